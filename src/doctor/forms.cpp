// A diagnosis as Markdown for pull requests, and the differences of two.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/doctor/doctor.hpp>
#include <nlohmann/json.hpp>

namespace farfield::doctor {

namespace {

using Json = nlohmann::ordered_json;

/// Text inside a cell of a Markdown table.
std::string cell(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') result += '\\';
        result += c == '\n' ? ' ' : c;
    }
    return result;
}

double value_of(const Positions& positions, const std::string& name) {
    for (const Param& each : positions.params)
        if (each.name == name) return each.value;
    return NAN;
}

void compare_params(const Positions& a, const Positions& b, std::vector<Difference>& list) {
    std::vector<std::string> names;
    for (const Positions* each : {&a, &b})
        for (const Param& param : each->params)
            if (std::find(names.begin(), names.end(), param.name) == names.end()) names.push_back(param.name);
    for (const std::string& name : names) {
        const double x = value_of(a, name), y = value_of(b, name);
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        const auto text = [](double value) {
            return std::isnan(value) ? std::string("absent") : fmt::format("{:.9g}", value);
        };
        list.push_back({a.layer_type, name, text(x), text(y)});
    }
}

void add_fault(const Diagnosis& diagnosis, std::vector<Fault>& faults) {
    const auto is_error = [](const Finding& each) { return each.severity == Severity::error; };
    const auto is_unknown = [](const Positions& each) { return each.scheme.empty(); };
    const std::vector<Positions>& types = diagnosis.layer_types;
    const auto errors = std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(), is_error);
    if (errors > 0 || types.empty() || std::any_of(types.begin(), types.end(), is_unknown))
        faults.push_back({diagnosis.file, static_cast<std::size_t>(errors)});
}

/// One row for each kind of layers, and one column for each recipe.
std::string safe_length_table(const Diagnosis& diagnosis) {
    std::string head, line, rows;
    for (const Positions& each : diagnosis.layer_types) {
        if (each.safe_lengths.empty()) continue;
        rows += fmt::format("| {} |", cell(each.layer_type.empty() ? each.scheme : each.layer_type));
        for (const RecipeLength& length : each.safe_lengths) {
            rows += fmt::format(" {} |", length_text(length));
            if (rows.find('\n') != std::string::npos) continue;
            head += fmt::format(" {} |", length.recipe);
            line += " ---: |";
        }
        rows += '\n';
    }
    return rows.empty() ? "" : fmt::format("\n| safe length |{}\n| --- |{}\n{}", head, line, rows);
}

}  // namespace

std::string markdown_of(const Diagnosis& diagnosis) {
    std::string text = fmt::format("### farfield doctor: {}\n\n", cell(diagnosis.file));
    for (const Positions& each : diagnosis.layer_types)
        text += fmt::format(
            "- {}{}{}{}\n", each.layer_type.empty() ? "" : each.layer_type + ": ", each.scheme,
            each.attention_factor == 1 ? "" : fmt::format(", attention factor {:.6g}", each.attention_factor),
            each.softmax_factor == 1 ? "" : fmt::format(", all logits multiplied by {:.6g}", each.softmax_factor));
    text += safe_length_table(diagnosis);
    if (diagnosis.findings.empty()) return text + "\nNo findings.\n";
    text += "\n| severity | line | finding | fix |\n| --- | ---: | --- | --- |\n";
    for (const Finding& each : diagnosis.findings)
        text += fmt::format("| {} | {} | {} (`{}`) | {} |\n", severity_name(each.severity),
                            each.place.known() ? fmt::format("{}", each.place.line) : "", cell(each.message), each.id,
                            cell(each.fix));
    return text;
}

std::string Fault::text() const {
    const std::string what = errors == 0 ? "no positions" : fmt::format("{} error{}", errors, errors == 1 ? "" : "s");
    return fmt::format("{} has {}; run farfield doctor {}", file, what, file);
}

Comparison compare(const Diagnosis& a, const Diagnosis& b) {
    Comparison comparison;
    for (const Diagnosis* each : {&a, &b}) add_fault(*each, comparison.faults);
    for (const Positions& x : a.layer_types) {
        const auto same_type = [&](const Positions& each) { return each.layer_type == x.layer_type; };
        const auto y = std::find_if(b.layer_types.begin(), b.layer_types.end(), same_type);
        const bool are_alone = a.layer_types.size() == 1 && b.layer_types.size() == 1;
        if (y == b.layer_types.end() && !are_alone) {
            comparison.differences.push_back({x.layer_type, "layer type", "present", "absent"});
            continue;
        }
        const Positions& other = y == b.layer_types.end() ? b.layer_types.front() : *y;
        const auto text = [](const auto& value) { return fmt::format("{}", value); };
        auto& list = comparison.differences;
        if (x.scheme != other.scheme) list.push_back({x.layer_type, "scheme", x.scheme, other.scheme});
        compare_params(x, other, list);
        if (x.rotated != other.rotated) list.push_back({x.layer_type, "rotated", text(x.rotated), text(other.rotated)});
        if (x.pairs != other.pairs) list.push_back({x.layer_type, "pairing", x.pairs, other.pairs});
        if (x.layers != other.layers) list.push_back({x.layer_type, "layers", text(x.layers), text(other.layers)});
        if (x.window != other.window) list.push_back({x.layer_type, "window", text(x.window), text(other.window)});
        if (x.attention_factor != other.attention_factor)
            list.push_back({x.layer_type, "attention_factor", fmt::format("{:.9g}", x.attention_factor),
                            fmt::format("{:.9g}", other.attention_factor)});
        if (x.softmax_factor != other.softmax_factor)
            list.push_back({x.layer_type, "softmax_factor", fmt::format("{:.9g}", x.softmax_factor),
                            fmt::format("{:.9g}", other.softmax_factor)});
        const long long length = std::max(a.served.value_or(4096), b.served.value_or(4096));
        const LogitDifference logits = logit_difference(x, other, length);
        if (std::abs(logits.largest) > std::abs(comparison.logits.largest) || comparison.logits.by_distance.empty())
            comparison.logits = logits;
    }
    for (const Positions& each : b.layer_types) {
        const auto same_type = [&](const Positions& x) { return x.layer_type == each.layer_type; };
        if (std::none_of(a.layer_types.begin(), a.layer_types.end(), same_type) &&
            a.layer_types.size() + b.layer_types.size() > 2)
            comparison.differences.push_back({each.layer_type, "layer type", "absent", "present"});
    }
    // Layers of the same kinds and numbers may be in another order.
    if (comparison.differences.empty() && a.layer_order != b.layer_order) {
        const auto [x, y] =
            std::mismatch(a.layer_order.begin(), a.layer_order.end(), b.layer_order.begin(), b.layer_order.end());
        if (x != a.layer_order.end() && y != b.layer_order.end())
            comparison.differences.push_back({"", fmt::format("layer {}", x - a.layer_order.begin()), *x, *y});
    }
    if (a.trained != b.trained)
        comparison.differences.push_back({"", "trained", a.trained ? fmt::format("{}", *a.trained) : "absent",
                                          b.trained ? fmt::format("{}", *b.trained) : "absent"});
    return comparison;
}

std::string text_of(const Comparison& comparison, const std::string& a, const std::string& b) {
    if (comparison.are_same()) return fmt::format("{} and {}: the same positions\n", a, b);
    std::string text = comparison.differences.empty()
                           ? fmt::format("{} and {}: undecided whether the positions are the same\n", a, b)
                           : fmt::format("{} and {} differ\n", a, b);
    for (const Fault& each : comparison.faults) text += "  " + each.text() + "\n";
    for (const Difference& each : comparison.differences)
        text += fmt::format("  {}{:<18} {:<20} {}\n", each.layer_type.empty() ? "" : each.layer_type + " ", each.what,
                            each.a, each.b);
    if (comparison.logits.by_distance.empty() || comparison.logits.largest == 0) return text;
    text += fmt::format("logits of equal queries and keys differ by up to {:.3g} |q||k|/sqrt(d), at distance {}\n",
                        std::abs(comparison.logits.largest), comparison.logits.distance);
    for (const auto& [distance, difference] : comparison.logits.by_distance)
        text += fmt::format("  {:>9}  {:+.4f}\n", distance, difference);
    return text;
}

std::string json_of(const Comparison& comparison) {
    Json differences = Json::array(), distances = Json::array();
    for (const Difference& each : comparison.differences)
        differences.push_back({{"layer_type", each.layer_type}, {"what", each.what}, {"a", each.a}, {"b", each.b}});
    for (const auto& [distance, difference] : comparison.logits.by_distance)
        distances.push_back({{"distance", distance}, {"difference", difference}});
    Json faults = Json::array();
    for (const Fault& each : comparison.faults) faults.push_back({{"file", each.file}, {"errors", each.errors}});
    const Json json = {{"differences", differences},
                       {"faults", faults},
                       {"largest_logit_difference", std::abs(comparison.logits.largest)},
                       {"at_distance", comparison.logits.distance},
                       {"logit_difference", distances}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace farfield::doctor
