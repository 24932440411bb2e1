// Attention resolution by its formula.
#include <functional>
#include <memory>

#include "soundness/scheme_oracle.hpp"
#include "soundness/weights.hpp"

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;

namespace {

/// The scores: a formula, or what a scheme makes of a query and the key 0.
std::function<Number(long)> score_of(const Question& question) {
    if (question.curve_kind.empty()) {
        const auto formula = std::make_shared<Formula>(question.formula);
        return [=](long n) { return formula->at({{"n", Number(Rational(n))}}); };
    }
    Question of_scheme = question;
    of_scheme.numbers = question.curve_numbers;
    const long length = std::stol(question.over.front().to) + 1;
    const auto scheme = std::make_shared<SchemeOracle>(of_scheme, length);
    if (question.curve_kind == "expectation")
        return [=](long n) { return expected_score(*scheme, n, scheme->pairs(), length); };
    return [=](long n) { return scheme->computed_bias(n, 0); };
}

}  // namespace

Outcome judge_resolution(const Question& question, const core::Result& result) {
    const core::Cell* const resolution = result.find("R");
    if (!is_certified(resolution)) return {};
    const auto score = score_of(question);
    const long N = question.numbers.at("N");
    const auto named_last = question.numbers.find("last");
    const long last = named_last == question.numbers.end() ? N : named_last->second;
    const Number scale = value_of(question, "scale", "1");
    const auto scaled = [&](const Number& value) {
        return value.infinite() != 0 && recheck::less(Number(Rational(0)), scale) == recheck::Truth::yes
                   ? value
                   : value * scale;
    };
    Weights scores;
    for (long n = 0; n <= N; ++n) scores.push_back(scaled(score(n)));
    const bool needs_next = last == N;
    Number next = Number::unknown();
    if (needs_next)
        next = scaled(question.values.count("after") != 0 ? value_of(question, "after", "0") : score(N + 1));
    // e^(s[N+1]) over the sum is the weight of N + 1 over one less that weight, where all N + 2 scores have one.
    const Weights row = softmax(scores);
    Number sum{Rational(0)};
    Number squares{Rational(0)};
    Number largest{Rational(0)};
    for (const Number& weight : row) {
        squares = squares + weight * weight;
        largest = recheck::max(largest, weight);
    }
    for (long i = 0; i <= last; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (i < N) {
            sum = sum + row[at] * (row[at] - row[at + 1]);
            continue;
        }
        Weights longer = scores;
        longer.push_back(next);
        const Weights wide = softmax(longer);
        const Number beyond = wide.back() / (Number(Rational(1)) - wide.back());
        sum = sum + row[at] * (row[at] - beyond);
    }
    const std::pair<const char*, Number> expected[] = {{"R", sum}, {"sum_squares", squares}, {"largest", largest}};
    for (const auto& [name, value] : expected) {
        const core::Cell* const cell = result.find(name);
        if (!is_certified(cell)) continue;
        if (has_no_value(value)) return wrong(std::string(name) + " has no value", within(name, *cell));
        if (is_below(value, *cell) || is_above(value, *cell))
            return wrong(std::string(name) + " is " + show(value), within(name, *cell));
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
