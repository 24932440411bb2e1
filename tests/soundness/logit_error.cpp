// Logit errors by their definition: the matrices of a query and a key in each pair of dimensions, rounded and not.
#include <algorithm>
#include <cmath>

#include "soundness/scheme_oracle.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// What an error is for certain; nothing where that is not known.
struct Errors {
    std::optional<Number> rotation = Number(Rational(0));
    std::optional<Number> bias = Number(Rational(0));
};

std::optional<Number> larger(const std::optional<Number>& a, const std::optional<Number>& b) {
    if (!a || !b) return std::nullopt;
    if (a->infinite() != 0 || b->infinite() != 0) return Number::infinity(1);
    return recheck::max(*a, *b);
}

/// The scheme of the question and what is rounded of it.
class Logit {
public:
    Logit(const Question& question, const Steps& steps)
        : question_(question),
          key_(number("key", 0)),
          scheme_(question, length()),
          rounded_(scheme_, steps, length()) {}

    long pairs() const { return scheme_.pairs(); }
    bool has_bias() const { return scheme_.has("bias"); }
    std::optional<Number> error_of(long position, long pair) { return rounded_.rotation_error(position, key_, pair); }
    const Turn& exact(long position, long pair) { return rounded_.exact(position, pair); }
    const Turn& rounded(long position, long pair) { return rounded_.rounded(position, pair); }

    Errors at(long position) {
        Errors errors;
        for (long pair = 0; pair < pairs(); ++pair) errors.rotation = larger(errors.rotation, error_of(position, pair));
        if (has_bias()) errors.bias = rounded_.bias_error(position, key_);
        return errors;
    }

private:
    long number(const char* key, long otherwise) const {
        const auto known = question_.numbers.find(key);
        return known == question_.numbers.end() ? otherwise : known->second;
    }
    long length() const {
        return number("length", std::max(std::stol(question_.over.front().to), number("key", 0)) + 1);
    }

    const Question& question_;
    long key_;
    SchemeOracle scheme_;
    RoundedScheme rounded_;
};

Steps steps_of(const Question& question, bool is_proportional) {
    const auto own = question.values.find("recipe");
    if (own != question.values.end()) return Steps::of_recipe(own->second, question.format);
    const auto of_scheme = question.pieces.find("recipe");
    if (of_scheme != question.pieces.end()) {
        const auto format = question.pieces.find("format");
        return Steps::of_recipe(of_scheme->second, format == question.pieces.end() ? "" : format->second);
    }
    Steps steps = Steps::all(question.format, is_proportional);
    if (question.rounded.empty()) return steps;
    const auto keep = [&](const char* name, const recheck::Format*& step) {
        const auto& named = question.rounded;
        if (std::find(named.begin(), named.end(), name) == named.end()) step = nullptr;
    };
    keep("positions", steps.position);
    keep("frequencies", steps.frequency);
    keep("angles", steps.angle);
    keep("values", steps.value);
    keep("scale", steps.scale);
    keep("bias", steps.bias);
    return steps;
}

/// Why an enclosure does not hold the number; "" if it may.
std::string misses(const core::Enclosure& enclosure, const std::optional<Number>& value) {
    if (!value) return "";
    core::Cell cell;
    cell.enclosure = enclosure;
    const bool is_infinite = value->infinite() != 0;
    if (is_infinite) return std::isinf(enclosure.hi) ? "" : "it overflows";
    if (std::isinf(enclosure.lo)) return "it does not overflow";
    if (value->defined() == Truth::no) return std::isinf(enclosure.hi) ? "" : "it has no value";
    return is_below(*value, cell) || is_above(*value, cell) ? "it is " + show(*value) : "";
}

/// At one position of a rotation: errors, cosines and sines of every pair.
Outcome judge_pairs(const core::Series& series, Logit& logit, long position, const std::string& holds) {
    for (long pair = 0; pair < logit.pairs(); ++pair) {
        const Turn& exact = logit.exact(position, pair);
        const Turn& rounded = logit.rounded(position, pair);
        const std::pair<const char*, std::optional<Number>> columns[] = {{"error", logit.error_of(position, pair)},
                                                                         {"cosine", exact.cosine},
                                                                         {"rounded_cosine", rounded.cosine},
                                                                         {"sine", exact.sine},
                                                                         {"rounded_sine", rounded.sine}};
        for (std::size_t i = 0; i < std::size(columns); ++i) {
            const auto& [name, value] = columns[i];
            const core::Enclosure& enclosure = series.columns[i + 1].enclosures[static_cast<std::size_t>(pair)];
            // Of an angle that overflows the cosine is unknown, not infinite.
            const bool is_known = !std::isnan(enclosure.lo) && !(value && value->infinite() != 0 && i > 0) &&
                                  !(std::isinf(enclosure.lo) && std::isinf(enclosure.hi));
            const std::string why = is_known ? misses(enclosure, value) : "";
            if (!why.empty()) return wrong(std::string(name) + " of pair " + std::to_string(pair) + ": " + why, holds);
        }
    }
    return {true, std::nullopt};
}

Outcome judge_steps(const Question& question, const core::Result& result, const Steps& steps) {
    const core::Cell* const most = result.find("max");
    std::vector<long> positions;
    const Side& side = question.over.front();
    for (long at = std::stol(side.from); at <= std::stol(side.to); at += std::stol(side.step)) positions.push_back(at);
    Logit logit(question, steps);
    std::optional<Number> largest = Number(Rational(0)), largest_rotation = largest, largest_bias = largest;
    std::vector<std::optional<Number>> sums;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Errors errors = logit.at(positions[i]);
        const bool is_infinite =
            (errors.rotation && errors.rotation->infinite() != 0) || (errors.bias && errors.bias->infinite() != 0);
        std::optional<Number> sum;
        if (is_infinite)
            sum = Number::infinity(1);
        else if (errors.rotation && errors.bias)
            sum = *errors.rotation + *errors.bias;
        sums.push_back(sum);
        largest = larger(largest, sum);
        largest_rotation = larger(largest_rotation, errors.rotation);
        largest_bias = larger(largest_bias, errors.bias);
        if (positions.size() == 1) continue;
        const std::string at = " at " + std::to_string(positions[i]);
        const auto& columns = result.series->columns;
        for (const auto& [name, column, value] :
             {std::tuple("error", 1, sum), std::tuple("rotation", 2, errors.rotation),
              std::tuple("bias", 3, errors.bias)}) {
            const std::string why = misses(columns[static_cast<std::size_t>(column)].enclosures[i], value);
            if (!why.empty()) return wrong(name + at + ": " + why, within("max", *most));
        }
    }
    for (const auto& [name, value] :
         {std::pair("max", largest), std::pair("max_rotation", largest_rotation), std::pair("max_bias", largest_bias),
          std::pair("first", sums.front()), std::pair("last", sums.back())}) {
        const core::Cell* const cell = result.find(name);
        const std::string why = is_certified(cell) ? misses(*cell->enclosure, value) : "";
        if (!why.empty()) return wrong(std::string(name) + ": " + why, within(name, *cell));
    }
    if (positions.size() > 1 || logit.pairs() == 0) return {true, std::nullopt};
    return judge_pairs(*result.series, logit, positions.front(), within("max", *most));
}

}  // namespace

Outcome judge_logit_error(const Question& question, const core::Result& result) {
    if (!is_certified(result.find("max")) || !result.series) return {};
    const bool may_differ = question.may_be_proportional && !question.must_be_proportional;
    Outcome outcome = judge_steps(question, result, steps_of(question, question.must_be_proportional));
    // Of an angle that may be proportional to the position or not, the answer is wrong if it is so by both.
    if (may_differ && outcome.wrong && !judge_steps(question, result, steps_of(question, true)).wrong)
        return {true, std::nullopt};
    return outcome;
}

}  // namespace farfield::soundness
