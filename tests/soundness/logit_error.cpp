// Logit errors by their definition: the matrices of a query and a key in each pair of dimensions, rounded and not.
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

Errors errors_at(const Question& question, long position, bool rounds_frequencies) {
    const auto number = [&](const char* key, long otherwise) {
        const auto known = question.numbers.find(key);
        return known == question.numbers.end() ? otherwise : known->second;
    };
    const long key = number("key", 0);
    const long last = std::stol(question.over.front().to);
    const long length = number("length", std::max(last, key) + 1);
    SchemeOracle scheme(question, length);
    RoundedScheme rounded(scheme, {&recheck::find_format(question.format), true, rounds_frequencies}, length);
    Errors errors;
    const long pairs = scheme.has("angle") ? question.numbers.at("head_dim") / 2 : 0;
    for (long pair = 0; pair < pairs; ++pair)
        errors.rotation = larger(errors.rotation, rounded.rotation_error(position, key, pair));
    if (scheme.has("bias")) errors.bias = rounded.bias_error(position, key);
    return errors;
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

}  // namespace

Outcome judge_logit_error(const Question& question, const core::Result& result) {
    const core::Cell* const most = result.find("max");
    if (!is_certified(most) || !result.series) return {};
    std::vector<long> positions;
    const Side& side = question.over.front();
    for (long at = std::stol(side.from); at <= std::stol(side.to); at += std::stol(side.step)) positions.push_back(at);
    std::optional<Number> largest = Number(Rational(0));
    const bool may_differ = question.may_be_proportional && !question.must_be_proportional;
    if (may_differ) return {true, std::nullopt};
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Errors errors = errors_at(question, positions[i], question.must_be_proportional);
        const bool is_infinite =
            (errors.rotation && errors.rotation->infinite() != 0) || (errors.bias && errors.bias->infinite() != 0);
        std::optional<Number> sum;
        if (is_infinite)
            sum = Number::infinity(1);
        else if (errors.rotation && errors.bias)
            sum = *errors.rotation + *errors.bias;
        largest = larger(largest, sum);
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
    const std::string why = misses(*most->enclosure, largest);
    if (!why.empty()) return wrong("max: " + why, within("max", *most));
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
