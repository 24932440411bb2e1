#include <algorithm>
#include <charconv>
#include <cmath>
#include <farfield/core/table.hpp>
#include <limits>

namespace farfield::core {
namespace {

/// The exponent of ten of the last printed digit, or nothing if the text is not a decimal number.
std::optional<int> last_digit_exponent(std::string_view text) {
    std::size_t at = 0;
    const auto digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    int decimals = 0;
    std::size_t digits = 0;
    for (; digit(); ++at) ++digits;
    if (at < text.size() && text[at] == '.') {
        for (++at; digit(); ++at, ++digits) ++decimals;
    }
    if (digits == 0) return std::nullopt;
    int exponent = 0;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        if (at < text.size() && text[at] == '+') ++at;
        const auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
        if (failure != std::errc() || std::abs(exponent) > 400) return std::nullopt;
        at = static_cast<std::size_t>(end - text.data());
    }
    if (at != text.size()) return std::nullopt;
    return exponent - decimals;
}

double outward(const std::string& decimal, bool up) {
    const double nearest = std::strtod(decimal.c_str(), nullptr);
    const double infinity = std::numeric_limits<double>::infinity();
    return std::nextafter(nearest, up ? infinity : -infinity);
}

}  // namespace

const Column* Series::find(std::string_view name) const {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

const Cell* Table::find(std::string_view row, std::string_view column) const {
    const auto at_row = std::find(rows.begin(), rows.end(), row);
    const auto at_column = std::find(columns.begin(), columns.end(), column);
    if (at_row == rows.end() || at_column == columns.end()) return nullptr;
    const auto index = static_cast<std::size_t>(at_row - rows.begin()) * columns.size() +
                       static_cast<std::size_t>(at_column - columns.begin());
    return index < cells.size() ? &cells[index] : nullptr;
}

void Result::set(std::string value_name, Cell cell) {
    for (auto& [known, value] : values) {
        if (known == value_name) {
            value = std::move(cell);
            return;
        }
    }
    values.emplace_back(std::move(value_name), std::move(cell));
}

const Cell* Result::find(std::string_view value_name) const {
    for (const auto& [known, value] : values) {
        if (known == value_name) return &value;
    }
    return nullptr;
}

std::optional<Enclosure> rounding_interval(std::string_view printed) {
    const std::optional<int> exponent = last_digit_exponent(printed);
    if (!exponent) return std::nullopt;
    // The ends are the decimals printed -+ 5e(exponent-1). Both are sums of doubles within an ulp; one step outward
    // each keeps the true ends inside.
    const std::string centre(printed);
    const std::string half = "5e" + std::to_string(*exponent - 1);
    const double low = std::nextafter(outward(centre, false) - outward(half, true), -INFINITY);
    const double high = std::nextafter(outward(centre, true) + outward(half, true), INFINITY);
    return Enclosure{low, high};
}

}  // namespace farfield::core
