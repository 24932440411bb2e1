#include "quantity/attention_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using numerics::Interval;

struct Terms {
    double shift;  ///< of the exponents
    double value;
    double sum_squares;
    double largest;
};

constexpr double none = -std::numeric_limits<double>::infinity();

/// scale s at an index, -inf if the row ends before it.
double scaled(const ResolutionInput& input, std::size_t index) {
    if (index == input.N + 1 && input.after) return input.scale * *input.after;
    return index < input.scores.size() ? input.scale * input.scores[index] : none;
}

/// The largest weight of the row, which is 1 by the choice of the shift, unless the score after the row is larger.
double largest_weight(const ResolutionInput& input, double shift) {
    const double next = scaled(input, input.N + 1);
    if (next == none || next < shift) return 1;
    const evaluate::Extremes scores = evaluate::extremes(input.scores.part(0, input.N + 1));
    return std::exp(std::max(input.scale * scores.least, input.scale * scores.greatest) - shift);
}

/// Sums over the row up to `last`, whose differences count, and after it.
Terms terms_of(const ResolutionInput& input) {
    const std::size_t head = input.last + 1;
    const evaluate::RowSums falling = evaluate::sum_row(input.scores.part(0, head), input.scale, scaled(input, head));
    evaluate::RowSums rest;
    if (head <= input.N) rest = evaluate::sum_row(input.scores.part(head, input.N + 1 - head), input.scale, none);
    rest.falls = 0;
    const evaluate::RowSums whole = evaluate::joined(falling, rest);
    const double weight = whole.total;
    return {whole.shift, whole.falls / weight / weight, whole.squares / weight / weight,
            largest_weight(input, whole.shift) / weight};
}

struct EnclosedTerms {
    Interval value;
    Interval sum_squares;
    Interval largest;
};

EnclosedTerms enclosed(const ResolutionInput& input, double shift) {
    const Interval scale = interval_of(input.scale_enclosure);
    const auto weight = [&](std::size_t i) {
        return numerics::fast::exp(scale * interval_of(input.enclosures[i]) - numerics::point(shift));
    };
    Interval total = numerics::point(0);
    Interval squares = total;
    Interval drops = total;
    Interval largest = total;
    Interval here = weight(0);
    for (std::size_t i = 0; i <= input.N; ++i) {
        const Interval next = i + 1 < input.enclosures.size() ? weight(i + 1) : numerics::point(0);
        total = total + here;
        squares = squares + here * here;
        if (i <= input.last) drops = drops + here * (here - next);
        largest = numerics::max(largest, here);
        here = next;
    }
    return {drops / total / total, squares / total / total, largest / total};
}

core::Cell cell_of(double number, const Interval& interval) {
    return cell(number, core::Enclosure{interval.lo, interval.hi});
}

}  // namespace

Resolution resolution(const ResolutionInput& input) {
    const Terms terms = terms_of(input);
    if (input.enclosures.empty())
        return {core::Cell::of(terms.value), core::Cell::of(terms.sum_squares), core::Cell::of(terms.largest)};
    const EnclosedTerms bounds = enclosed(input, terms.shift);
    return {cell_of(terms.value, bounds.value), cell_of(terms.sum_squares, bounds.sum_squares),
            cell_of(terms.largest, bounds.largest)};
}

}  // namespace farfield::quantity
