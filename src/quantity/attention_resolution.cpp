#include "quantity/attention_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/sum.hpp>

#include "quantity/shifted_exp.hpp"
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
    const auto scores = input.scores.first(input.N + 1);
    const auto [least, largest] = std::minmax_element(scores.begin(), scores.end());
    return input.scale < 0 ? input.scale * *least : input.scale * *largest;
}

/// Sums over the row, block by block, so that weights stay in the cache between their uses.
class Sums {
public:
    Sums(const ResolutionInput& input, double shift)
        : input_(input), shift_(shift), weights_(block + 1), drops_(block) {}

    Terms run() {
        for (std::size_t begin = 0; begin <= input_.N; begin += block)
            add(begin, std::min(block, input_.N + 1 - begin));
        const double weight = total_.total();
        return {fall_.total() / weight / weight, squares_.total() / weight / weight, largest_ / weight};
    }

private:
    static constexpr std::size_t block = 16384;

    void add(std::size_t begin, std::size_t count) {
        const std::size_t known = std::min(count + 1, input_.scores.size() - begin);
        shifted_exp(input_.scores.subspan(begin, known), input_.scale, shift_, std::span(weights_).first(known));
        if (known == count) weights_[count] = 0;
        for (std::size_t i = 0; i < count; ++i) drops_[i] = weights_[i] - weights_[i + 1];
        const std::span<const double> weights = std::span(weights_).first(count);
        total_.add(numerics::compensated_sum(weights));
        squares_.add(numerics::compensated_dot(weights, weights));
        largest_ = std::max(largest_, *std::max_element(weights.begin(), weights.end()));
        if (input_.last < begin) return;
        const std::size_t used = std::min(count, input_.last + 1 - begin);
        fall_.add(numerics::compensated_dot(weights.first(used), std::span<const double>(drops_).first(used)));
    }

    const ResolutionInput& input_;
    double shift_;
    std::vector<double> weights_;
    std::vector<double> drops_;
    numerics::Accumulator total_;
    numerics::Accumulator squares_;
    numerics::Accumulator fall_;
    double largest_ = 0;
};

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
    const Terms terms = Sums(input, shift).run();
    if (input.enclosures.empty())
        return {core::Cell::of(terms.value), core::Cell::of(terms.sum_squares), core::Cell::of(terms.largest)};
    const EnclosedTerms bounds = enclosed(input, shift);
    return {cell_of(terms.value, bounds.value), cell_of(terms.sum_squares, bounds.sum_squares),
            cell_of(terms.largest, bounds.largest)};
}

}  // namespace farfield::quantity
