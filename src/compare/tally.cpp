#include "compare/tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "compare/layout.hpp"
#include "compare/units.hpp"

namespace farfield::compare {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest |found - value| * per_unit; NaN if any is NaN or infinite. Eight at once, so that it is done by vectors.
double largest(const double* found, const double* value, const double* per_unit, std::size_t count) {
    constexpr std::size_t width = 8;
    double worst[width] = {};
    double doubt[width] = {};
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

/// Equal infinities are no distance apart.
double units_between(double found, double value, double per_unit) {
    if (found == value) return 0;
    const double units = std::abs(found - value) * per_unit;
    return std::isnan(units) ? infinity : units;
}

Strip part(const Strip& strip, std::size_t begin, std::size_t end) {
    const auto cut = [&](auto span) { return span.empty() ? span : span.subspan(begin, end - begin); };
    return {cut(strip.found), cut(strip.value), cut(strip.per_unit), cut(strip.seen), strip.first + begin};
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
    const double most = largest(run.found.data(), run.value.data(), run.per_unit.data(), run.found.size());
    if (most <= worst && most <= tolerance) return;
    for (std::size_t i = 0; i < run.found.size(); ++i) {
        if (std::isnan(run.found[i])) first_nan = std::min(first_nan, run.first + i);
        const double units = units_between(run.found[i], run.value[i], run.per_unit[i]);
        if (!(units <= tolerance)) ++beyond;
        note(run.first + i, units, run.found[i], run.value[i]);
    }
}

void Tally::add_hidden(const Strip& run) {
    const double first = run.found.front();
    const bool is_constant = std::all_of(run.found.begin(), run.found.end(), [&](double x) { return x == first; });
    Hidden kind = Hidden::other;
    if (is_constant && first == -infinity) kind = Hidden::minus_infinity;
    if (is_constant && first == 0) kind = Hidden::zero;
    if (is_constant && first <= hidden_below && first != -infinity) {
        kind = Hidden::large_negative;
        large_negative = std::min(large_negative, first);
    }
    if (kind == Hidden::other || kind == Hidden::zero) {
        const double most = largest(run.found.data(), run.value.data(), run.per_unit.data(), run.found.size());
        if (most <= tolerance) kind = Hidden::formula;
    }
    hidden[static_cast<std::size_t>(kind)] += run.found.size();
}

/// The constant lies in the middle of the differences, so that the furthest off are least far.
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
    // The rounding is that of the sum.
    const std::vector<double> per_unit(value.size(), 1 / unit);
    for (double& each : value) each += constant;
    add({row.found, value, per_unit, row.seen, row.first}, false);
}

void Tally::add(const Strip& strip, bool row_constant) {
    if (row_constant) return add_row(strip);
    const auto begin = strip.seen.begin();
    for (std::size_t from = 0; from < strip.found.size();) {
        const std::uint8_t seen = strip.seen[from];
        const auto end = std::find(begin + static_cast<std::ptrdiff_t>(from), strip.seen.end(), seen ? 0 : 1);
        const auto to = static_cast<std::size_t>(end - begin);
        if (seen)
            add_seen(part(strip, from, to));
        else
            add_hidden(part(strip, from, to));
        from = to;
    }
}

void Tally::merge(const Tally& other) {
    compared += other.compared;
    beyond += other.beyond;
    if (other.worst > 0) note(other.at, other.worst, other.found, other.wanted);
    for (std::size_t kind = 0; kind < hidden.size(); ++kind) hidden[kind] += other.hidden[kind];
    large_negative = std::min(large_negative, other.large_negative);
    first_nan = std::min(first_nan, other.first_nan);
}

std::string Tally::hidden_text() const {
    const std::string low = fmt::format("{}", large_negative);
    const std::array<std::string_view, 5> names = {"-inf", low, "0", "what the formula gives", "other numbers"};
    std::string text;
    for (std::size_t kind = 0; kind < hidden.size(); ++kind)
        if (hidden[kind] > 0) text += (text.empty() ? "" : " and ") + std::string(names[kind]);
    return text;
}

}  // namespace farfield::compare
