#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>

#include "report/labels.hpp"
#include "report/layout.hpp"
#include "report/metrics.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

constexpr double gap = 12;             ///< pixels between two texts of a horizontal axis
constexpr double line_gap = 26;        ///< between the middles of two texts of a vertical one
constexpr std::size_t enough = 3;      ///< powers of ten that suffice for an axis
constexpr double most_steps = 0x1p50;  ///< from 0 to a mark, so that doubles tell neighbouring marks apart

std::string raised(int number) {
    static const char* const digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string text = number < 0 ? "\u207b" : "";
    for (const char digit : std::to_string(std::abs(number))) text += digits[digit - '0'];
    return text;
}

/// "1.5\u00d710\u00b2\u2070" for 1.5e+20.
std::string with_power(const std::string& text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return with_minus(text);
    return with_minus(text.substr(0, e)) + "\u00d710" + raised(std::atoi(text.c_str() + e + 1));
}

std::string tick_text(double value) {
    std::string text = short_number(value, 6);
    if (std::strtod(text.c_str(), nullptr) != value) text = short_number(value, 10);
    return with_power(text);
}

Tick tick_at(double value) {
    return {value, tick_text(value)};
}

/// The numbers m 10^e on the axis with m among `leading`.
std::vector<double> marks(const Axis& axis, std::initializer_list<int> leading) {
    std::vector<double> found;
    if (!(*axis.least > 0)) return found;
    const int last = static_cast<int>(std::ceil(std::log10(*axis.most)));
    for (int exponent = static_cast<int>(std::floor(std::log10(*axis.least))); exponent <= last; ++exponent) {
        for (const int number : leading) {
            const double mark = number * std::pow(10.0, exponent);
            if (mark >= *axis.least && mark <= *axis.most) found.push_back(mark);
        }
    }
    return found;
}

/// Multiples of the step on the axis. A step is 1, 2 or 5 times a power of ten. The quotient by its inverse is rounded
/// once, like decimals.
std::vector<double> multiples(const Axis& axis, int leading, int exponent) {
    const double power = std::pow(10.0, std::abs(exponent));
    const auto multiple = [&](double count) {
        return exponent < 0 ? count * leading / power : count * leading * power;
    };
    const double step = multiple(1);
    std::vector<double> found;
    for (double count = std::ceil(*axis.least / step - 1e-9); multiple(count) <= *axis.most + step * 1e-9; ++count)
        found.push_back(multiple(count) + 0.0);
    return found;
}

/// With as many digits as neighbours need to differ.
std::vector<Tick> named(const std::vector<double>& values) {
    std::vector<Tick> ticks;
    ticks.reserve(values.size());
    for (const double value : values) ticks.push_back(tick_at(value));
    const auto same = [](const Tick& a, const Tick& b) { return a.text == b.text && a.at != b.at; };
    if (std::adjacent_find(ticks.begin(), ticks.end(), same) == ticks.end()) return ticks;
    for (Tick& tick : ticks) tick.text = with_power(fmt::format("{}", tick.at));
    return ticks;
}

using Fits = std::function<bool(const std::vector<Tick>&)>;

/// The finest of the round steps whose texts fit.
std::vector<Tick> stepped(const Axis& axis, double most, const Fits& fits) {
    const double length = *axis.most - *axis.least;
    if (!(length > 0) || !std::isfinite(length)) return {};
    const double largest = std::max(std::abs(*axis.least), std::abs(*axis.most));
    for (int exponent = static_cast<int>(std::floor(std::log10(length / most)));; ++exponent) {
        for (const int leading : {1, 2, 5}) {
            const double step = leading * std::pow(10.0, exponent);
            if (length / step > most || largest / step > most_steps) continue;
            std::vector<Tick> ticks = named(multiples(axis, leading, exponent));
            if (ticks.size() <= 2 || fits(ticks)) return ticks;
        }
    }
}

std::vector<Tick> powers(const std::vector<double>& values, std::size_t every) {
    std::vector<Tick> ticks;
    for (const double value : values) {
        const int exponent = static_cast<int>(std::lround(std::log10(value)));
        if (exponent % static_cast<int>(every) != 0) continue;
        ticks.push_back({value, exponent == 0 ? "1" : exponent == 1 ? "10" : "10" + raised(exponent)});
    }
    return ticks;
}

std::vector<Tick> logarithmic(const Axis& axis, double most, const Fits& fits) {
    const std::vector<double> tens = marks(axis, {1});
    if (tens.size() < enough) {
        std::vector<Tick> ticks = named(marks(axis, {1, 2, 5}));
        if (ticks.size() >= enough && fits(ticks)) return ticks;
        if (ticks.size() < enough) return stepped(axis, most, fits);
    }
    for (std::size_t every = 1; every < tens.size(); ++every) {
        std::vector<Tick> ticks = powers(tens, every);
        if (fits(ticks)) return ticks;
    }
    return named(tens);
}

std::vector<Tick> round_ticks(const Axis& axis, double most, const Fits& fits) {
    return axis.log ? logarithmic(axis, most, fits) : stepped(axis, most, fits);
}

/// Whether there is a gap between the texts of two neighbours.
bool keeps_apart(const Tick& a, const Tick& b, const Axis& axis, double pixels) {
    const double between = (share_of(b.at, axis) - share_of(a.at, axis)) * pixels;
    return between >= (text_width(a.text, tick_size) + text_width(b.text, tick_size)) / 2 + gap;
}

/// The measured values that have room, from the first on.
std::vector<Tick> measured_ticks(const Axis& axis, double pixels, const std::vector<double>& measured) {
    std::vector<Tick> ticks;
    for (const double value : measured) {
        if (!(value >= *axis.least && value <= *axis.most)) continue;
        const Tick next = tick_at(value);
        if (ticks.empty() || keeps_apart(ticks.back(), next, axis, pixels)) ticks.push_back(next);
    }
    return ticks;
}

}  // namespace

double share_of(double value, const Axis& axis) {
    const auto along = [&](double number) { return axis.log ? std::log(number) : number; };
    const double from = along(*axis.least);
    const double to = along(*axis.most);
    return (along(value) - from) / (to - from);
}

std::vector<Tick> horizontal_ticks(const Axis& axis, double pixels, const std::vector<double>& measured) {
    std::vector<Tick> own = measured_ticks(axis, pixels, measured);
    if (own.size() >= 2 && 3 * own.size() >= 2 * measured.size()) return own;
    return round_ticks(axis, 11, [&](const std::vector<Tick>& ticks) {
        for (std::size_t at = 1; at < ticks.size(); ++at)
            if (!keeps_apart(ticks[at - 1], ticks[at], axis, pixels)) return false;
        return true;
    });
}

std::vector<Tick> cell_ticks(const std::vector<double>& values) {
    return named(values);
}

std::vector<Tick> vertical_ticks(const Axis& axis, double pixels) {
    return round_ticks(axis, 10, [&](const std::vector<Tick>& ticks) {
        for (std::size_t at = 1; at < ticks.size(); ++at)
            if ((share_of(ticks[at].at, axis) - share_of(ticks[at - 1].at, axis)) * pixels < line_gap) return false;
        return true;
    });
}

}  // namespace farfield::report
