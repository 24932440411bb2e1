#include "soundness/scheme_oracle.hpp"

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

namespace {

/// The names of `let` with what they stand for.
std::string expanded(std::string text, const Question& question) {
    for (const auto& [key, formula] : question.pieces)
        if (key.starts_with("let.")) text = with_name(std::move(text), key.substr(4), formula);
    return text;
}

}  // namespace

SchemeOracle::SchemeOracle(const Question& question, long length) : is_causal_(question.is_causal) {
    for (const auto& [name, text] : question.pieces) {
        if (name == "origin")
            origin_ = text;
        else if (name == "frequency")
            pieces_.emplace("angle", Formula("p*(" + expanded(text, question) + ")"));
        else if (name == "recipe" || name == "format")
            (name == "recipe" ? recipe_.first : recipe_.second) = text;
        else if (name != "fraction" && !name.starts_with("let."))
            pieces_.emplace(name, Formula(expanded(text, question)));
    }
    for (const auto& [variable, key] :
         {std::pair("h", "head"), std::pair("H", "heads"), std::pair("layer", "layer"), std::pair("R", "layers")}) {
        const auto known = question.numbers.find(key);
        context_.emplace_back(variable, Number(Rational(known == question.numbers.end() ? 1 : known->second)));
    }
    for (const char* variable : {"L", "Ltr"}) context_.emplace_back(variable, Number(Rational(length)));
    const auto width = question.numbers.find("head_dim");
    if (width != question.numbers.end()) width_ = width->second;
    const auto fraction = question.pieces.find("fraction");
    const double share = fraction == question.pieces.end() ? 1 : std::stod(fraction->second);
    rotated_width_ = static_cast<long>(share * static_cast<double>(width_));
    pairs_ = rotated_width_ / 2;
}

void SchemeOracle::set(const std::string& variable, long value) {
    for (auto& [name, number] : context_)
        if (name == variable) number = Number(Rational(value));
}

Point SchemeOracle::with_context(Point point, bool is_of_rotation) const {
    point.insert(point.end(), context_.begin(), context_.end());
    point.emplace_back("d", Number(Rational(is_of_rotation ? rotated_width_ : width_)));
    return point;
}

Number SchemeOracle::at(const std::string& piece, Point point, long otherwise, bool is_of_rotation) {
    point = with_context(std::move(point), is_of_rotation);
    const auto when = pieces_.find(piece + ".when");
    if (when != pieces_.end()) {
        const Truth acts = when->second.truth(point);
        if (acts == Truth::no) return Number(Rational(otherwise));
        if (acts == Truth::maybe) return Number::unknown();
    }
    return pieces_.at(piece).at(point);
}

Number SchemeOracle::bias(const Number& query, const Number& key) {
    return has("bias") ? at("bias", {{"q", query}, {"k", key}, {"n", query - key}}, 0, false) : Number(Rational(0));
}

Number SchemeOracle::computed_bias(long query, long key) {
    const Number q{Rational(query)};
    const Number k{Rational(key)};
    if (recipe_.first.empty() || !has("bias")) return bias(q, k);
    const Steps steps = Steps::of_recipe(recipe_.first, recipe_.second);
    const auto step = [](const recheck::Format* format, const Number& value) {
        const Number result = format ? recheck::in_format(*format, value) : value;
        return has_no_value(result) ? Number::nowhere() : result;
    };
    return step(steps.bias, bias(step(steps.position, q), step(steps.position, k)));
}

Truth SchemeOracle::sees(long query, long key) {
    if (is_causal_ && key > query) return Truth::no;
    if (!has("mask")) return Truth::yes;
    const Point point = {
        {"q", Number(Rational(query))}, {"k", Number(Rational(key))}, {"n", Number(Rational(query - key))}};
    return pieces_.at("mask").truth(with_context(point, false));
}

std::optional<Truth> SchemeOracle::is_far(long query, long key) {
    if (!has("far.where")) return Truth::no;
    Formula& where = pieces_.at("far.where");
    const Point point = with_context(
        {{"q", Number(Rational(query))}, {"k", Number(Rational(key))}, {"n", Number(Rational(query - key))}}, false);
    recheck::Evaluator evaluator;
    if (lacks_value(where.tree(), evaluator, point)) return std::nullopt;
    return where.truth(point);
}

Number SchemeOracle::temperature(long query) {
    return has("temperature") ? at("temperature", {{"q", Number(Rational(query))}}, 1, false) : Number(Rational(1));
}

Number SchemeOracle::angle(const Number& position, long pair) {
    return at("angle", {{"p", position}, {"i", Number(Rational(pair))}}, 0, true);
}

Number SchemeOracle::position(Turned turned, const Number& position) {
    const std::string piece = turned == Turned::far_query ? "far.query" : "far.key";
    if (turned == Turned::near || !has(piece)) return position;
    return at(piece, {{"p", position}}, 0, true);
}

Number SchemeOracle::scale(const Number& position, long pair, long tokens) {
    if (!has("scale")) return Number(Rational(1));
    const long origin = origin_ == "centre" ? (tokens + 1) / 2 : origin_ == "end" ? tokens - 1 : 0;
    return at("scale", {{"p", position - Number(Rational(origin))}, {"i", Number(Rational(pair))}}, 1, true);
}

Steps Steps::all(const std::string& format, bool rounds_frequencies) {
    const recheck::Format* const one = &recheck::find_format(format);
    return {one, rounds_frequencies ? one : nullptr, one, one, one, one};
}

Steps Steps::of_recipe(const std::string& name, const std::string& format) {
    const recheck::Format* const fp32 = &recheck::find_format("fp32");
    if (name == "all-bf16") return all("bf16", true);
    if (name == "fp32" || name == "recurrence" || name == "powf") {
        Steps steps = all("fp32", true);
        if (name != "fp32") steps.from = name == "powf" ? From::power : From::previous;
        return steps;
    }
    const recheck::Format* const own = &recheck::find_format(format);
    const recheck::Format* const of_angles = name == "hf" ? fp32 : nullptr;
    return {nullptr, of_angles, of_angles, own, own, own};
}

std::optional<Number> RoundedScheme::in_format(const recheck::Format* format, const Number& value) {
    if (has_no_value(value)) return Number::nowhere();
    if (!format) return value;
    if (value.defined() != Truth::yes) return std::nullopt;
    const std::optional<Number> result = recheck::rounded(*format, value);
    // Of a format without infinities.
    return result && has_no_value(*result) ? Number::infinity(1) : result;
}

const Turn& RoundedScheme::exact(long position, long pair, Turned turned) {
    const auto known = exact_.find({position, pair, turned});
    if (known != exact_.end()) return known->second;
    const Number at{Rational(position)};
    const Number angle = scheme_.angle(scheme_.position(turned, at), pair);
    const Number scale = scheme_.scale(at, pair, tokens_);
    return exact_[{position, pair, turned}] = {recheck::cos(angle), recheck::sin(angle), scale,
                                               Number(Rational(1)) / scale};
}

std::optional<Number> RoundedScheme::rounded_angle(const Number& position, long pair) {
    if (!steps_.frequency) return in_format(steps_.angle, scheme_.angle(position, pair));
    const Number one{Rational(1)};
    const bool is_own = steps_.from == Steps::From::itself;
    std::optional<Number> factor = in_format(steps_.frequency, scheme_.angle(one, is_own ? pair : 1));
    if (factor && steps_.from == Steps::From::power)
        factor = in_format(steps_.frequency, recheck::power(*factor, Number(Rational(pair))));
    if (!factor) return std::nullopt;
    if (steps_.from != Steps::From::previous) return in_format(steps_.angle, position * *factor);
    std::optional<Number> angle = position;
    for (long step = 0; step < pair && angle; ++step) angle = in_format(steps_.angle, *angle * *factor);
    return angle;
}

const Turn& RoundedScheme::rounded(long position, long pair, Turned turned) {
    const auto known = rounded_.find({position, pair, turned});
    if (known != rounded_.end()) return known->second;
    Turn& turn = rounded_[{position, pair, turned}];
    const std::optional<Number> at = in_format(steps_.position, scheme_.position(turned, Number(Rational(position))));
    if (!at || at->infinite() != 0) return turn;
    const std::optional<Number> angle = rounded_angle(*at, pair);
    if (!angle) return turn;
    if (angle->infinite() != 0) return turn = {angle, angle, Number::infinity(1), Number::infinity(1)};
    const Number scale = scheme_.has("far.where") ? Number(Rational(1)) : scheme_.scale(*at, pair, tokens_);
    turn = {in_format(steps_.value, recheck::cos(*angle)), in_format(steps_.value, recheck::sin(*angle)), scale,
            Number(Rational(1)) / scale};
    if (!scheme_.has("scale")) return turn;
    turn.scale = in_format(steps_.scale, *turn.scale);
    turn.reciprocal = in_format(steps_.scale, *turn.reciprocal);
    return turn;
}

std::optional<Number> RoundedScheme::rotation_error(long query, long key, long pair) {
    const std::optional<Truth> is_far = scheme_.is_far(query, key);
    if (!is_far) return Number::nowhere();
    if (*is_far == Truth::maybe) return std::nullopt;
    return rotation_error(query, key, pair, *is_far == Truth::yes);
}

std::optional<Number> RoundedScheme::rotation_error(long query, long key, long pair, bool is_far) {
    const Turned of_query = is_far ? Turned::far_query : Turned::near;
    const Turned of_key = is_far ? Turned::far_key : Turned::near;
    const Turn& q = rounded(query, pair, of_query);
    const Turn& k = rounded(key, pair, of_key);
    if (!q.scale || !k.reciprocal) return std::nullopt;
    if (q.scale->infinite() != 0 || k.reciprocal->infinite() != 0) return Number::infinity(1);
    if (!q.cosine || !q.sine || !k.cosine || !k.sine) return std::nullopt;
    const Turn& exact_q = exact(query, pair, of_query);
    const Turn& exact_k = exact(key, pair, of_key);
    const auto real = [](const Turn& a, const Turn& b) {
        return *a.scale * *b.reciprocal * (*a.cosine * *b.cosine + *a.sine * *b.sine);
    };
    const auto imaginary = [](const Turn& a, const Turn& b) {
        return *a.scale * *b.reciprocal * (*a.cosine * *b.sine - *a.sine * *b.cosine);
    };
    const Number x = real(q, k) - real(exact_q, exact_k);
    const Number y = imaginary(q, k) - imaginary(exact_q, exact_k);
    const Number square = x * x + y * y;
    if (has_no_value(square)) return Number::nowhere();
    return recheck::sqrt(recheck::max(square, Number(Rational(0))));
}

std::optional<Number> RoundedScheme::bias_error(long query, long key) {
    const std::optional<Number> q = in_format(steps_.position, Number(Rational(query)));
    const std::optional<Number> k = in_format(steps_.position, Number(Rational(key)));
    // What a bias is of a position that overflows is a matter of its operations.
    if (!q || !k || q->infinite() != 0 || k->infinite() != 0) return std::nullopt;
    const Number exact = scheme_.bias(Number(Rational(query)), Number(Rational(key)));
    const bool is_same = *q->exact() == Rational(query) && *k->exact() == Rational(key);
    const std::optional<Number> got = in_format(steps_.bias, is_same ? exact : scheme_.bias(*q, *k));
    if (!got) return std::nullopt;
    if (got->infinite() != 0) return Number::infinity(1);
    return recheck::abs(*got - exact);
}

}  // namespace farfield::soundness
