#include "report/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "report/text.hpp"

namespace farfield::report {
namespace {

constexpr std::size_t line_width = 120;

std::string in_quotes(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string scalar(const Json& value) {
    if (value.is_number_float()) return exact_number(value.get<double>());
    if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
    return value.dump();
}

bool is_flat(const Json& value) {
    for (const Json& part : value) {
        if (part.is_structured() && !part.empty()) return false;
    }
    return true;
}

void append(const Json& value, std::size_t indent, std::string& out);

void append_parts(const Json& value, const std::string& between, std::size_t indent, std::string& out) {
    bool first = true;
    for (const auto& [key, part] : value.items()) {
        if (!first) out += between;
        first = false;
        if (value.is_object()) out += in_quotes(key) + ": ";
        append(part, indent, out);
    }
}

bool is_list_of_numbers(const Json& value) {
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const Json& part) { return part.is_number(); });
}

/// Puts as many numbers on a line as fit.
void append_numbers(const Json& value, const std::string& margin, std::string& out) {
    std::size_t used = margin.size();
    for (std::size_t at = 0; at < value.size(); ++at) {
        const std::string text = scalar(value[at]) + (at + 1 < value.size() ? "," : "");
        if (at > 0 && used + 1 + text.size() > line_width) {
            out += "\n" + margin;
            used = margin.size();
        } else if (at > 0) {
            out += " ";
            ++used;
        }
        out += text;
        used += text.size();
    }
}

void append(const Json& value, std::size_t indent, std::string& out) {
    if (!value.is_structured()) {
        out += scalar(value);
        return;
    }
    const char open = value.is_object() ? '{' : '[';
    const char close = value.is_object() ? '}' : ']';
    if (is_flat(value)) {
        std::string line(1, open);
        append_parts(value, ", ", indent, line);
        line += close;
        if (line.size() + indent <= line_width) {
            out += line;
            return;
        }
    }
    const std::string margin(indent + 2, ' ');
    out += open;
    out += "\n" + margin;
    if (is_list_of_numbers(value))
        append_numbers(value, margin, out);
    else
        append_parts(value, ",\n" + margin, indent + 2, out);
    out += "\n" + std::string(indent, ' ') + close;
}

}  // namespace

std::string json_text(const Json& value) {
    std::string out;
    append(value, 0, out);
    out += "\n";
    return out;
}

Json json_number(double value) {
    if (std::isfinite(value)) return value;
    return exact_number(value);
}

double number_of(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return std::numeric_limits<double>::infinity();
    if (value == "-inf") return -std::numeric_limits<double>::infinity();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    throw std::invalid_argument("no number: " + value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace farfield::report
