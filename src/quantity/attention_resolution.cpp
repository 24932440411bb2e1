#include "quantity/attention_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/sum.hpp>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using numerics::Interval;

struct Terms {
    double value;
    double sum_squares;
    double largest;
};

double shift_of(const ResolutionInput& input) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i <= input.N; ++i) largest = std::max(largest, input.scale * input.scores[i]);
    return largest;
}

Terms plain(const ResolutionInput& input, double shift) {
    numerics::Accumulator total;
    numerics::Accumulator squares;
    numerics::Accumulator drops;
    double largest = 0;
    double here = std::exp(input.scale * input.scores[0] - shift);
    for (std::size_t i = 0; i <= input.N; ++i) {
        const bool has_next = i + 1 < input.scores.size();
        const double next = has_next ? std::exp(input.scale * input.scores[i + 1] - shift) : 0;
        total.add(here);
        squares.add(here * here);
        if (i <= input.last) drops.add(here * (here - next));
        largest = std::max(largest, here);
        here = next;
    }
    const double weight = total.total();
    return {drops.total() / weight / weight, squares.total() / weight / weight, largest / weight};
}

struct EnclosedTerms {
    Interval value;
    Interval sum_squares;
    Interval largest;
};

Interval of(const core::Enclosure& enclosure) {
    return {enclosure.lo, enclosure.hi};
}

EnclosedTerms enclosed(const ResolutionInput& input, double shift) {
    const Interval scale = of(input.scale_enclosure);
    const auto weight = [&](std::size_t i) {
        return numerics::fast::exp(scale * of(input.enclosures[i]) - numerics::point(shift));
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
    const double shift = shift_of(input);
    const Terms terms = plain(input, shift);
    if (input.enclosures.empty())
        return {core::Cell::of(terms.value), core::Cell::of(terms.sum_squares), core::Cell::of(terms.largest)};
    const EnclosedTerms bounds = enclosed(input, shift);
    return {cell_of(terms.value, bounds.value), cell_of(terms.sum_squares, bounds.sum_squares),
            cell_of(terms.largest, bounds.largest)};
}

}  // namespace farfield::quantity
