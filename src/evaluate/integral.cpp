#include "evaluate/integral.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <farfield/core/table.hpp>

#include "evaluate/enclosure_arithmetic.hpp"

namespace farfield::evaluate {
namespace {

using numerics::Interval;
using numerics::point;

/// Parts of an enclosure that does not narrow although it could.
constexpr std::size_t most_stalled_parts = 4'096;
constexpr std::size_t most_halves_at_once = 256;
/// Twice as many parts halve the width even if the function has no derivative.
constexpr double least_progress = 0.75;
constexpr double widest_of_numbers = 0x1p-30;

bool is_finite(const Interval& x) {
    return std::isfinite(x.lo) && std::isfinite(x.hi);
}

double largest_of(const Interval& x) {
    return std::max(std::abs(x.lo), std::abs(x.hi));
}

/// The intersection of both enclosures; one that is not finite is ignored.
Interval narrower(const Interval& a, const Interval& b) {
    if (!is_finite(b)) return is_finite(a) ? a : numerics::whole_line();
    if (!is_finite(a)) return b;
    return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

struct Part {
    double lo, hi;
    Interval at_lo, at_middle, at_hi;  ///< values of the function
    Interval integral;

    double middle() const { return numerics::midpoint({lo, hi}); }
    double width() const { return integral.hi - integral.lo; }
    bool operator<(const Part& other) const { return width() < other.width(); }
};

/// Halves the parts with the widest enclosures.
class Search {
public:
    Search(double lo, double hi, const OnParts& function, const SearchLimits& limits, const std::size_t* left)
        : function_(function), limits_(limits), left_(left), next_look_(limits.first_look) {
        const Interval at_lo = function(point(lo)).value, at_hi = function(point(hi)).value;
        // The range over a part, however small, is never narrower than the enclosure of the value at an end.
        if (is_finite(at_lo) && is_finite(at_hi)) add(lo, hi, at_lo, at_hi);
    }

    Integral run() {
        if (looked_at_ == 0) return {numerics::undefined_interval(), 0};
        while (looked_at_ < limits_.most_parts && has_operations() && !is_done() && is_narrowing()) {
            std::vector<Part> wide = take_widest();
            if (wide.empty()) break;
            for (const Part& part : wide) halve(part);
        }
        Interval sum = closed_;
        for (const Part& part : open_) sum = sum + part.integral;
        return {is_finite(sum) ? sum : numerics::undefined_interval(), magnitudes()};
    }

private:
    /// Encloses the part by the range of the function and, if the function is analytic, by Simpson's rule with its
    /// remainder, -h^5/2880 times the fourth derivative somewhere in the part.
    void add(double lo, double hi, const Interval& at_lo, const Interval& at_hi) {
        const OnPart all = function_({lo, hi});
        // Simpson's rule uses the exact middle, which may differ from the double at which the part is cut.
        const double cut = numerics::midpoint({lo, hi});
        const Interval middle = hull(point(cut), (point(lo) + point(hi)) / point(2));
        Part part{lo, hi, at_lo, function_(middle).value, at_hi, {}};
        const Interval width = point(hi) - point(lo);
        const Interval sum = at_lo + point(4) * part.at_middle + at_hi;
        const Interval square = width * width;
        const Interval rest = square * square * width / point(2880) * all.fourth;
        part.integral = narrower(width * all.value, width * sum / point(6) - rest);
        push(part);
        ++looked_at_;
    }

    /// A part that needs too much work stays whole.
    void halve(const Part& part) {
        if (!has_operations()) return push(part);
        const double middle = part.middle();
        add(part.lo, middle, part.at_lo, part.at_middle);
        add(middle, part.hi, part.at_middle, part.at_hi);
    }

    void push(const Part& part) {
        open_.push_back(part);
        std::push_heap(open_.begin(), open_.end());
    }

    /// Removes the widest parts, which their halves replace; a part that cannot be cut is final.
    std::vector<Part> take_widest() {
        std::vector<Part> wide;
        const double enough = std::max(open_.front().width() / 8, finished() / static_cast<double>(open_.size()));
        while (!open_.empty() && open_.front().width() >= enough && wide.size() < most_halves_at_once) {
            std::pop_heap(open_.begin(), open_.end());
            const Part widest = open_.back();
            open_.pop_back();
            const double middle = widest.middle();
            const bool is_cut = widest.lo < middle && middle < widest.hi;
            if (is_cut)
                wide.push_back(widest);
            else
                closed_ = closed_ + widest.integral;
        }
        return wide;
    }

    double magnitudes() const {
        double sum = largest_of(closed_);
        for (const Part& part : open_) sum += largest_of(part.integral);
        return sum;
    }

    /// The width that remains however short the parts are, such as that of an uncertain parameter.
    double width_of_values() const {
        double sum = 0;
        for (const Part& part : open_) sum += (part.hi - part.lo) * numerics::width(part.at_middle);
        return sum;
    }

    double width() const {
        double sum = closed_.hi - closed_.lo;
        for (const Part& part : open_) sum += part.width();
        return sum;
    }

    /// The total width at which the search ends.
    double finished() const {
        const double sum = magnitudes();
        return std::isfinite(sum) ? limits_.width * sum : 0;
    }

    bool has_operations() const { return left_ == nullptr || *left_ > 0; }
    bool is_done() const { return open_.empty() || !is_finite(closed_) || width() <= finished(); }

    /// Called each time the number of parts has doubled.
    bool is_narrowing() {
        if (looked_at_ < next_look_) return true;
        next_look_ = 2 * looked_at_;
        const double now = width();
        const bool is_narrower = now < least_progress * last_width_;
        last_width_ = now;
        if (is_narrower && std::isfinite(now)) return true;
        // Parts longer than a period of a wave narrow nothing, but shorter ones do.
        const bool can_narrow = !std::isfinite(now) || width_of_values() < least_progress * now;
        return can_narrow && looked_at_ < most_stalled_parts;
    }

    const OnParts& function_;
    const SearchLimits limits_;
    const std::size_t* left_;
    std::vector<Part> open_;  ///< a heap, the widest first
    Interval closed_{0, 0};
    std::size_t looked_at_ = 0;
    std::size_t next_look_;
    double last_width_ = numerics::infinity;
};

/// The integral from a double in the interval of the end to the end itself.
Interval rest_to(double from, const Interval& end, const OnParts& function) {
    if (end.lo == end.hi) return {0, 0};
    return (end - point(from)) * function(end).value;
}

}  // namespace

Integral integral(const Interval& from, const Interval& to, const OnParts& function, const SearchLimits& limits,
                  const std::size_t* left) {
    if (!is_finite(from) || !is_finite(to)) return {numerics::undefined_interval(), 0};
    const double first = numerics::midpoint(from);
    const double last = numerics::midpoint(to);
    Integral found{{0, 0}, 0};
    if (first != last) found = Search(std::min(first, last), std::max(first, last), function, limits, left).run();
    const bool has_value = first != last || !numerics::is_undefined(function(point(first)).value);
    if (first > last) found.value = -found.value;
    found.value = found.value + rest_to(last, to, function) - rest_to(first, from, function);
    if (!has_value || !is_finite(found.value)) found.value = numerics::undefined_interval();
    return found;
}

double integral_of_numbers(const formula::Program& program, std::size_t begin, const std::vector<double>& reals,
                           const std::vector<numerics::Truth>& booleans,
                           std::span<const std::span<const double>> tables) {
    using Run = Interpreter<EnclosureArithmetic<FastIntervals>, core::Enclosure>;
    std::vector<std::vector<core::Enclosure>> entries;
    std::vector<std::span<const core::Enclosure>> views;
    views.reserve(tables.size());
    for (const std::span<const double> table : tables) {
        entries.emplace_back();
        for (const double entry : table) entries.back().push_back({entry, entry});
    }
    for (const std::vector<core::Enclosure>& table : entries) views.emplace_back(table);
    Run run(program, {}, views);
    for (std::size_t i = program.first_input(); i < reals.size(); ++i) run.set_real(i, point(reals[i]));
    for (std::size_t i = 0; i < booleans.size(); ++i) run.set_boolean(i, booleans[i]);
    const Integral found = run.integral(begin);
    const bool is_narrow = numerics::width(found.value) <= widest_of_numbers * found.magnitudes;
    return is_narrow ? numerics::midpoint(found.value) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace farfield::evaluate
