#include "report/labels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace farfield::report {
namespace {

struct Name {
    std::string base;
    std::vector<std::pair<std::string, std::string>> values;  ///< of swept keys
};

/// Parses "row[w=40,scheme=alibi]". A value may contain commas: a part without "=" belongs to the part before.
Name parsed(std::string_view text) {
    const std::size_t open = text.find('[');
    Name name;
    name.base = text.substr(0, open);
    std::replace(name.base.begin(), name.base.end(), '_', ' ');
    if (open == std::string::npos || text.back() != ']') return name;
    std::string_view rest = text.substr(open + 1, text.size() - open - 2);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view part = rest.substr(0, end);
        const std::size_t equals = part.find('=');
        if (equals != std::string::npos)
            name.values.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        else if (!name.values.empty())
            name.values.back().second += "," + std::string(part);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return name;
}

bool is_number(const std::string& text) {
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

bool is_of_texts(const Name& name) {
    return !name.values.empty() && std::none_of(name.values.begin(), name.values.end(),
                                                [](const auto& each) { return is_number(each.second); });
}

std::string joined_texts(const Name& name) {
    std::string text;
    for (const auto& [key, value] : name.values) text += (text.empty() ? "" : ", ") + value;
    return text;
}

/// "shift \u22123", or "shift, delta = \u22123, w = 8".
std::string training_label(const Name& name) {
    if (is_of_texts(name)) return joined_texts(name);
    if (name.values.size() == 1) return name.base + " " + with_minus(name.values.front().second);
    std::string text = name.base;
    for (const auto& [key, value] : name.values) text += ", " + key + " = " + with_minus(value);
    return text;
}

std::string full_label(const Name& name) {
    std::string text = name.base;
    for (const auto& [key, value] : name.values) text += ", " + key + " = " + with_minus(value);
    return text;
}

std::string filled(std::string text, const Name& name) {
    for (const auto& [key, value] : name.values) {
        const std::string place = "{" + key + "}";
        for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size()))
            text.replace(at, place.size(), with_minus(value));
    }
    return text;
}

/// The training that a quantity measures; empty if it measures none.
std::string training_of(const core::Result& quantity) {
    if (quantity.trained_length == 0) return "";
    for (const auto& [key, text] : quantity.evidence.facts)
        if (key == "setting.of") return text;
    return "";
}

/// Names of the kinds' columns in words; the kind "" means any kind.
struct Words {
    std::string_view kind, column, words;
};
constexpr Words words[] = {
    {"perplexity", "length", "context length (tokens)"},
    {"perplexity", "ppl", "perplexity"},
    {"perplexity", "nll", "loss (nats per token)"},
    {"perplexity", "delta", "change of the loss (nats per token)"},
    {"perplexity", "optimal", "least possible loss (nats per token)"},
    {"perplexity", "accuracy", "share of known tokens predicted"},
    {"gradient-field", "n", "distance from the last token (tokens)"},
    {"gradient-field", "c", "share of the gradient up to this distance"},
    {"gradient-field", "s", "share of the gradient at this distance"},
    {"attention-resolution", "n", "distance (tokens)"},
    {"attention-resolution", "s", "expected logit"},
    {"expectation", "n", "distance (tokens)"},
    {"expectation", "value", "expected product of query and key"},
    {"profile", "n", "distance (tokens)"},
    {"profile", "value", "share of the attention at this distance"},
    {"profile", "cumulative", "share of the attention up to this distance"},
    {"matrix", "q", "query position q"},
    {"matrix", "k", "key position k"},
    {"", "data", "value"},
};

}  // namespace

std::string with_minus(std::string_view number) {
    return number.starts_with('-') ? "\u2212" + std::string(number.substr(1)) : std::string(number);
}

std::string series_label(const core::Result& quantity) {
    const Name own = parsed(quantity.name);
    if (!quantity.label.empty()) return filled(quantity.label, own);
    if (const std::string training = training_of(quantity); !training.empty()) return training_label(parsed(training));
    return is_of_texts(own) ? joined_texts(own) : full_label(own);
}

std::string long_label(const core::Result& quantity) {
    return full_label(parsed(quantity.name));
}

std::string axis_words(std::string_view kind, const std::string& column) {
    for (const Words& each : words)
        if ((each.kind.empty() || each.kind == kind) && each.column == column) return std::string(each.words);
    return column;
}

}  // namespace farfield::report
