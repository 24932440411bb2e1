#include "compare/tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <farfield/numerics/interval.hpp>
#include <string_view>
#include <vector>

#include "compare/layout.hpp"
#include "compare/units.hpp"

namespace farfield::compare {

namespace {

using numerics::infinity;

/// The largest |found - value| * per_unit; NaN if any is NaN or infinite. Processes many at once, so that vectors can
/// be used.
double largest(std::span<const double> found, std::span<const double> value, std::span<const double> per_unit) {
    constexpr std::size_t width = 8;
    std::array<double, width> worst = {};
    std::array<double, width> doubt = {};
    const std::size_t count = found.size();
    std::size_t at = 0;
    for (; at + width <= count; at += width) {
        for (std::size_t lane = 0; lane < width; ++lane) {
            const double units = std::abs(found[at + lane] - value[at + lane]) * per_unit[at + lane];
            worst[lane] = units > worst[lane] ? units : worst[lane];
            doubt[lane] += units * 0;  // NaN from there on
        }
    }
    double all = 0;
    double doubtful = 0;
    for (; at < count; ++at) {
        const double units = std::abs(found[at] - value[at]) * per_unit[at];
        all = units > all ? units : all;
        doubtful += units * 0;
    }
    for (std::size_t lane = 0; lane < width; ++lane) {
        all = std::max(all, worst[lane]);
        doubtful += doubt[lane];
    }
    return all + doubtful;
}

/// The number of finite numbers whose error exceeds the tolerance.
std::size_t count_beyond(const Strip& run, double tolerance) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < run.found.size(); ++at)
        count += std::abs(run.found[at] - run.value[at]) * run.per_unit[at] > tolerance ? 1 : 0;
    return count;
}

/// Whether all |found - value| * per_unit are at most `limit`; false if any is NaN.
bool all_within(std::span<const float> found, std::span<const float> value, std::span<const float> per_unit,
                float limit) {
    constexpr std::size_t width = 16;
    std::array<std::uint32_t, width> beyond = {};
    const std::size_t count = found.size();
    std::size_t at = 0;
    for (; at + width <= count; at += width) {
        for (std::size_t lane = 0; lane < width; ++lane) {
            const float units = std::abs(found[at + lane] - value[at + lane]) * per_unit[at + lane];
            beyond[lane] |= units <= limit ? 0 : 1;
        }
    }
    for (; at < count; ++at) beyond[0] |= std::abs(found[at] - value[at]) * per_unit[at] <= limit ? 0 : 1;
    return std::all_of(std::begin(beyond), std::end(beyond), [](std::uint32_t each) { return each == 0; });
}

/// Whether all numbers equal the first one; in most rows, the last number already differs.
template <class Number>
bool is_constant(std::span<const Number> numbers) {
    const Number first = numbers.front();
    if (numbers.back() != first) return false;
    return std::all_of(numbers.begin(), numbers.end(), [&](Number x) { return x == first; });
}

bool is_within(const Strip& run, double tolerance) {
    return largest(run.found, run.value, run.per_unit) <= tolerance;
}

bool is_within(const FloatStrip& run, double tolerance) {
    return all_within(run.found, run.value, run.per_unit, static_cast<float>(tolerance));
}

/// The kind of value in a run of masked numbers.
template <class Number>
Hidden kind_of(const StripOf<Number>& run, double tolerance) {
    const Number first = run.found.front();
    const bool constant = is_constant(run.found);
    if (constant && first == -std::numeric_limits<Number>::infinity()) return Hidden::minus_infinity;
    if (is_within(run, tolerance)) return Hidden::formula;
    if (constant && first <= hidden_below) return Hidden::large_negative;
    return constant && first == 0 ? Hidden::zero : Hidden::other;
}

bool is_low(Hidden kind) {
    return kind == Hidden::minus_infinity || kind == Hidden::large_negative;
}

/// Whether -inf can be added to the number. NaN or inf at a masked key becomes NaN.
bool is_addable(double number) {
    return number < infinity;
}

/// Whether some of the masked numbers are low, NaN or inf, so that each must be checked.
template <class Number>
bool is_mixed(Hidden kind, const StripOf<Number>& run) {
    return kind == Hidden::other && std::any_of(run.found.begin(), run.found.end(), [](Number number) {
               return !is_addable(number) || number <= hidden_below;
           });
}

template <class Number>
StripOf<Number> part(const StripOf<Number>& strip, std::size_t begin, std::size_t end) {
    const auto cut = [&](auto span) { return span.subspan(begin, end - begin); };
    return {cut(strip.found), cut(strip.value), cut(strip.per_unit), cut(strip.seen), strip.first + begin};
}

/// Calls visit(run, seen) for each run of numbers that are all visible or all masked.
template <class Number, class Visit>
void each_run(const StripOf<Number>& strip, const Visit& visit) {
    const std::uint8_t* seen = strip.seen.data();
    for (std::size_t from = 0; from < strip.found.size();) {
        const void* end = std::memchr(seen + from, seen[from] ? 0 : 1, strip.seen.size() - from);
        const std::size_t to =
            end ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - seen) : strip.found.size();
        visit(part(strip, from, to), seen[from] != 0);
        from = to;
    }
}

/// The distance of equal infinities is 0.
double units_between(double found, double value, double per_unit) {
    if (found == value) return 0;
    const double units = std::abs(found - value) * per_unit;
    return std::isnan(units) ? infinity : units;
}

}  // namespace

void Tally::note(std::size_t index, double units, double found_, double wanted_) {
    if (units < worst || (units == worst && (worst == 0 || index >= at))) return;
    worst = units;
    at = index;
    found = found_;
    wanted = wanted_;
}

void Tally::add_seen(const Strip& run) {
    compared += run.found.size();
    const double most = largest(run.found, run.value, run.per_unit);
    if (most <= worst && most <= tolerance) return;
    if (!std::isfinite(most)) return add_one_by_one(run);
    if (most > tolerance) add_beyond(run);
    if (most < worst) return;
    for (std::size_t i = 0; i < run.found.size(); ++i) {
        const double units = units_between(run.found[i], run.value[i], run.per_unit[i]);
        if (units == most) return note(run.first + i, units, run.found[i], run.value[i]);
    }
}

/// Adds finite numbers, some of which are beyond the tolerance.
void Tally::add_beyond(const Strip& run) {
    beyond += count_beyond(run, tolerance);
    if (run.first >= first_beyond) return;
    for (std::size_t i = 0; i < run.found.size(); ++i) {
        if (!(std::abs(run.found[i] - run.value[i]) * run.per_unit[i] > tolerance)) continue;
        first_beyond = std::min(first_beyond, run.first + i);
        return;
    }
}

/// Adds numbers, some of which are NaN or infinite.
void Tally::add_one_by_one(const Strip& run) {
    for (std::size_t i = 0; i < run.found.size(); ++i) {
        if (std::isnan(run.found[i])) first_invalid = std::min(first_invalid, run.first + i);
        const double units = units_between(run.found[i], run.value[i], run.per_unit[i]);
        if (!(units <= tolerance)) {
            ++beyond;
            first_beyond = std::min(first_beyond, run.first + i);
        }
        note(run.first + i, units, run.found[i], run.value[i]);
    }
}

void Tally::add_hidden(const Strip& run) {
    const Hidden kind = kind_of(run, tolerance);
    if (kind == Hidden::large_negative) {
        large_negative = std::min(large_negative, run.found.front());
        highest_low = std::max(highest_low, run.found.front());
    }
    if (run.found.size() > 1 && is_mixed(kind, run)) {
        for (std::size_t i = 0; i < run.found.size(); ++i) add_hidden(part(run, i, i + 1));
        return;
    }
    hidden[static_cast<std::size_t>(kind)] += run.found.size();
    if (!is_addable(run.found.front())) first_invalid = std::min(first_invalid, run.first);
    if (!is_strict || kind != Hidden::other) {
        if (!is_low(kind)) add_open(run.first, run.found.front(), run.found.size());
        return;
    }
    compared += run.found.size();
    beyond += run.found.size();
    first_beyond = std::min(first_beyond, run.first);
    note(run.first, infinity, run.found.front(), run.value.front());
}

void Tally::add_open(std::size_t index, double number, std::size_t count) {
    open += count;
    if (index >= first_open) return;
    first_open = index;
    open_found = number;
}

void Tally::close() {
    const auto count = [&](Hidden kind) { return hidden[static_cast<std::size_t>(kind)]; };
    // Low numbers of very different sizes are values of a steep bias. Those of a mask are one number, or differ by the
    // bias to which it was added, or by a factor of two where two masks were.
    const bool is_of_mask = count(Hidden::large_negative) > 1 && highest_low <= large_negative / 2;
    const bool is_masked = count(Hidden::minus_infinity) > 0 || is_of_mask;
    if (!is_masked || open == 0) return;
    compared += open;
    beyond += open;
    first_beyond = std::min(first_beyond, first_open);
    note(first_open, infinity, open_found, -infinity);
}

/// The constant is the middle of the differences, which minimizes the largest error.
void Tally::add_row(const Strip& row) {
    double least = infinity;
    double most = -infinity;
    double unit = 0;
    for (std::size_t i = 0; i < row.found.size(); ++i) {
        if (!row.seen[i]) continue;
        const double difference = row.found[i] - row.value[i];
        least = std::min(least, difference);
        most = std::max(most, difference);
        unit = std::max({unit, 1 / row.per_unit[i], spacing(format, std::abs(row.found[i]))});
    }
    if (!std::isfinite(least) || !std::isfinite(most)) return add(row, false);
    const double constant = least + (most - least) / 2;
    std::vector<double> value(row.value.begin(), row.value.end());
    // The rounding unit is that of the sum.
    const std::vector<double> per_unit(value.size(), 1 / unit);
    for (double& each : value) each += constant;
    add({row.found, value, per_unit, row.seen, row.first}, false);
}

void Tally::add(const Strip& strip, bool row_constant) {
    if (row_constant) return add_row(strip);
    each_run(strip, [&](const Strip& run, bool seen) {
        if (seen)
            add_seen(run);
        else
            add_hidden(run);
    });
}

bool Tally::add_quickly(const FloatStrip& strip) {
    const auto limit = static_cast<float>(std::min(worst, tolerance));
    Tally more = *this;
    bool is_quick = true;
    each_run(strip, [&](const FloatStrip& run, bool seen) {
        if (seen) {
            is_quick = is_quick && all_within(run.found, run.value, run.per_unit, limit);
            more.compared += run.found.size();
            return;
        }
        const Hidden kind = kind_of(run, tolerance);
        is_quick = is_quick && !(is_strict && kind == Hidden::other) && !is_mixed(kind, run);
        if (!is_low(kind)) more.add_open(run.first, run.found.front(), run.found.size());
        if (kind == Hidden::large_negative) {
            more.large_negative = std::min(more.large_negative, static_cast<double>(run.found.front()));
            more.highest_low = std::max(more.highest_low, static_cast<double>(run.found.front()));
        }
        more.hidden[static_cast<std::size_t>(kind)] += run.found.size();
    });
    if (is_quick) *this = more;
    return is_quick;
}

void Tally::merge(const Tally& other) {
    compared += other.compared;
    beyond += other.beyond;
    if (other.worst > 0) note(other.at, other.worst, other.found, other.wanted);
    for (std::size_t kind = 0; kind < hidden.size(); ++kind) hidden[kind] += other.hidden[kind];
    large_negative = std::min(large_negative, other.large_negative);
    first_invalid = std::min(first_invalid, other.first_invalid);
    first_beyond = std::min(first_beyond, other.first_beyond);
    highest_low = std::max(highest_low, other.highest_low);
    if (other.open > 0) add_open(other.first_open, other.open_found, other.open);
}

std::string Tally::hidden_text() const {
    const std::string lowest = highest_low == large_negative ? fmt::format("{}", large_negative)
                                                             : fmt::format("{} to {}", large_negative, highest_low);
    const std::array<std::string_view, 5> names = {"-inf", lowest, "0", "the formula's values", "other values"};
    std::string text;
    for (std::size_t kind = 0; kind < hidden.size(); ++kind)
        if (hidden[kind] > 0) text += (text.empty() ? "" : " and ") + std::string(names[kind]);
    return text;
}

}  // namespace farfield::compare
