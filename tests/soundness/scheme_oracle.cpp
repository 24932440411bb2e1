#include "soundness/scheme_oracle.hpp"

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

SchemeOracle::SchemeOracle(const Question& question, long length) : is_causal_(question.is_causal) {
    for (const auto& [name, text] : question.pieces) {
        if (name == "origin")
            origin_ = text;
        else
            pieces_.emplace(name, Formula(text));
    }
    for (const auto& [variable, key] : {std::pair("h", "head"), std::pair("H", "heads"), std::pair("d", "head_dim"),
                                        std::pair("layer", "layer"), std::pair("R", "layers")}) {
        const auto known = question.numbers.find(key);
        context_.emplace_back(variable, Number(Rational(known == question.numbers.end() ? 1 : known->second)));
    }
    for (const char* variable : {"L", "Ltr"}) context_.emplace_back(variable, Number(Rational(length)));
}

void SchemeOracle::set(const std::string& variable, long value) {
    for (auto& [name, number] : context_)
        if (name == variable) number = Number(Rational(value));
}

Number SchemeOracle::at(const std::string& piece, Point point) {
    point.insert(point.end(), context_.begin(), context_.end());
    return pieces_.at(piece).at(point);
}

Number SchemeOracle::bias(const Number& query, const Number& key) {
    return has("bias") ? at("bias", {{"q", query}, {"k", key}, {"n", query - key}}) : Number(Rational(0));
}

Truth SchemeOracle::sees(long query, long key) {
    if (is_causal_ && key > query) return Truth::no;
    if (!has("mask")) return Truth::yes;
    Point point = {{"q", Number(Rational(query))}, {"k", Number(Rational(key))}, {"n", Number(Rational(query - key))}};
    point.insert(point.end(), context_.begin(), context_.end());
    return pieces_.at("mask").truth(point);
}

Number SchemeOracle::temperature(long query) {
    return has("temperature") ? at("temperature", {{"q", Number(Rational(query))}}) : Number(Rational(1));
}

Number SchemeOracle::angle(const Number& position, long pair) {
    return at("angle", {{"p", position}, {"i", Number(Rational(pair))}});
}

Number SchemeOracle::scale(const Number& position, long pair, long tokens) {
    if (!has("scale")) return Number(Rational(1));
    const long origin = origin_ == "centre" ? (tokens + 1) / 2 : origin_ == "end" ? tokens - 1 : 0;
    return at("scale", {{"p", position - Number(Rational(origin))}, {"i", Number(Rational(pair))}});
}

std::optional<Number> RoundedScheme::in_format(const Number& value) const {
    if (has_no_value(value)) return Number::nowhere();
    if (value.defined() != Truth::yes) return std::nullopt;
    const std::optional<Number> result = recheck::rounded(*steps_.format, value);
    // Of a format without infinities.
    return result && has_no_value(*result) ? Number::infinity(1) : result;
}

std::optional<Number> RoundedScheme::rounded_position(long position) const {
    const Number exact{Rational(position)};
    return steps_.rounds_positions ? in_format(exact) : exact;
}

const Turn& RoundedScheme::exact(long position, long pair) {
    const auto known = exact_.find({position, pair});
    if (known != exact_.end()) return known->second;
    const Number at{Rational(position)};
    const Number angle = scheme_.angle(at, pair);
    const Number scale = scheme_.scale(at, pair, tokens_);
    return exact_[{position, pair}] = {recheck::cos(angle), recheck::sin(angle), scale, Number(Rational(1)) / scale};
}

const Turn& RoundedScheme::rounded(long position, long pair) {
    const auto known = rounded_.find({position, pair});
    if (known != rounded_.end()) return known->second;
    Turn& turn = rounded_[{position, pair}];
    const std::optional<Number> at = rounded_position(position);
    if (!at || at->infinite() != 0) return turn;
    std::optional<Number> angle = scheme_.angle(*at, pair);
    if (steps_.rounds_frequencies) {
        angle = in_format(scheme_.angle(Number(Rational(1)), pair));
        if (angle) angle = *at * *angle;
    }
    if (angle) angle = in_format(*angle);
    if (!angle) return turn;
    if (angle->infinite() != 0) return turn = {angle, angle, Number::infinity(1), Number::infinity(1)};
    const Number scale = scheme_.scale(*at, pair, tokens_);
    turn = {in_format(recheck::cos(*angle)), in_format(recheck::sin(*angle)), scale, Number(Rational(1)) / scale};
    if (!scheme_.has("scale")) return turn;
    turn.scale = in_format(*turn.scale);
    turn.reciprocal = in_format(*turn.reciprocal);
    return turn;
}

std::optional<Number> RoundedScheme::rotation_error(long query, long key, long pair) {
    const Turn& q = rounded(query, pair);
    const Turn& k = rounded(key, pair);
    if (!q.scale || !k.reciprocal) return std::nullopt;
    if (q.scale->infinite() != 0 || k.reciprocal->infinite() != 0) return Number::infinity(1);
    if (!q.cosine || !q.sine || !k.cosine || !k.sine) return std::nullopt;
    const Turn& exact_q = exact(query, pair);
    const Turn& exact_k = exact(key, pair);
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
    const std::optional<Number> q = rounded_position(query);
    const std::optional<Number> k = rounded_position(key);
    // What a bias is of a position that overflows is a matter of its operations.
    if (!q || !k || q->infinite() != 0 || k->infinite() != 0) return std::nullopt;
    const std::optional<Number> got = in_format(scheme_.bias(*q, *k));
    if (!got) return std::nullopt;
    if (got->infinite() != 0) return Number::infinity(1);
    return recheck::abs(*got - scheme_.bias(Number(Rational(query)), Number(Rational(key))));
}

}  // namespace farfield::soundness
