// A diagnosis as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/printable.hpp>
#include <farfield/doctor/doctor.hpp>
#include <nlohmann/json.hpp>

namespace farfield::doctor {

namespace {

using Json = nlohmann::ordered_json;

template <class Number>
Json optional(const std::optional<Number>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json json_of(const core::Place& place) {
    Json json = Json::object();
    json["file"] = place.file;
    json["line"] = place.line;
    json["column"] = place.column;
    return json;
}

Json json_of(const std::vector<RecipeLength>& lengths) {
    Json list = Json::array();
    for (const RecipeLength& each : lengths) {
        Json json = {{"recipe", each.recipe}, {"length", optional(each.length)}};
        if (each.length) {
            json["is_longest"] = each.is_longest;
            json["limit"] = each.limit;
        } else {
            json["refusal"] = each.refusal;
        }
        list.push_back(std::move(json));
    }
    return list;
}

Json json_of(const Positions& positions) {
    Json json = Json::object();
    json["scheme"] = positions.scheme;
    json["formula"] = positions.formula;
    Json params = Json::object(), origins = Json::object(), pairs = Json::array();
    for (const Param& each : positions.params) {
        params[each.name] = each.value;
        Json origin = json_of(each.place);
        origin["key"] = each.from;
        origins[each.name] = std::move(origin);
    }
    json["params"] = std::move(params);
    json["origins"] = std::move(origins);
    json["inv_freq"] = positions.inv_freq();
    json["attention_factor"] = positions.attention_factor;
    json["softmax_factor"] = positions.softmax_factor;
    json["trained"] = optional(positions.trained);
    json["safe_length"] = optional(positions.safe_length);
    json["safe_lengths"] = json_of(positions.safe_lengths);
    json["head_dim"] = positions.head_dim;
    json["rotated"] = positions.rotated;
    json["pairing"] = positions.pairs;
    json["window"] = positions.window;
    json["layers"] = positions.layers;
    json["first_negative"] = optional(positions.first_negative);
    json["resolution"] = optional(positions.resolution);
    json["resolution_distances"] = positions.resolution_distances;
    for (const Pair& each : positions.pair_numbers)
        pairs.push_back({{"unscaled", each.unscaled},
                         {"frequency", each.frequency},
                         {"wavelength", each.wavelength},
                         {"trained_turns", each.trained_turns},
                         {"served_turns", each.served_turns},
                         {"kept", each.kept}});
    json["pairs"] = std::move(pairs);
    return json;
}

Json json_of(const Finding& finding) {
    Json json = Json::object();
    json["id"] = finding.id;
    json["severity"] = severity_name(finding.severity);
    json["key"] = finding.key;
    json["message"] = finding.message;
    json["file"] = finding.place.file;
    json["line"] = finding.place.line;
    json["column"] = finding.place.column;
    json["fix"] = finding.fix;
    if (!finding.report.empty()) json["report"] = finding.report;
    return json;
}

std::string tokens(const std::optional<long long>& length) {
    return length ? fmt::format("{}", *length) : "?";
}

std::string origin_text(const Param& param) {
    if (param.from == "default") return "default";
    return param.place.known() ? fmt::format("{}, line {}", param.from, param.place.line) : param.from;
}

std::string heading(const Positions& positions, bool is_alone) {
    std::string text = is_alone ? "" : fmt::format("{} ({} layers): ", positions.layer_type, positions.layers);
    text += positions.scheme.empty() ? "unknown" : positions.scheme;
    if (positions.rotated > 0)
        text += fmt::format(", {} of {} dimensions in {}", positions.rotated, positions.head_dim,
                            positions.pairs == "halves" ? "halves" : "interleaved pairs");
    if (positions.attention_factor != 1) text += fmt::format(", attention factor {:.6g}", positions.attention_factor);
    if (positions.softmax_factor != 1)
        text += fmt::format(", all logits multiplied by {:.6g}", positions.softmax_factor);
    if (positions.window > 0)
        text += fmt::format(", {} {}", positions.has_chunks() ? "chunks of" : "window", positions.window);
    return text;
}

void add_positions(std::string& text, const Positions& positions, bool is_alone) {
    text += heading(positions, is_alone) + "\n";
    if (!positions.formula.empty())
        text += fmt::format("  {} = {}\n", positions.rotated > 0 ? "angle" : "bias",
                            core::shortened(positions.formula, 110));
    for (const Param& each : positions.params)
        text += fmt::format("  {:<12} {:<12.8g} {}\n", each.name, each.value, origin_text(each));
}

void add_pairs(std::string& text, const Positions& positions, bool is_alone) {
    if (positions.pair_numbers.empty()) return;
    text += fmt::format("\n{}  pair  unscaled    frequency   wavelength  turns trained  turns served  unscaled share\n",
                        is_alone ? "" : positions.layer_type + "\n");
    const std::size_t count = positions.pair_numbers.size();
    const std::size_t step = std::max<std::size_t>(1, (count - 1) / 8);
    for (std::size_t i = 0; i < count; i += (i + step >= count && i + 1 < count) ? count - 1 - i : step) {
        const Pair& pair = positions.pair_numbers[i];
        text +=
            fmt::format("  {:>4}  {:<10.5g}  {:<10.5g}  {:<10.5g}  {:<13.5g}  {:<12.5g}  {:.3g}\n", i, pair.unscaled,
                        pair.frequency, pair.wavelength, pair.trained_turns, pair.served_turns, pair.kept);
    }
    const auto is_scaled = [](const Pair& pair) { return pair.kept != 1; };
    if (std::any_of(positions.pair_numbers.begin(), positions.pair_numbers.end(), is_scaled))
        text += "  unscaled share: 1 if the scaling leaves the frequency as it is, 0 if it is divided by the factor\n";
    text += fmt::format("  first negative sum of cosines at distance: {}\n",
                        positions.first_negative ? fmt::format("{}", *positions.first_negative)
                                                 : "none found below the served length and 2^20");
    if (positions.resolution)
        text += fmt::format("  attention resolution (Sun et al. 2023): {:.5g} over distances below {}\n",
                            *positions.resolution, positions.resolution_distances);
    std::string lengths;
    for (const RecipeLength& each : positions.safe_lengths)
        lengths += fmt::format("{} {} {}", lengths.empty() ? "" : ",", each.recipe, length_text(each));
    if (!lengths.empty()) text += "  safe length by recipe:" + lengths + "\n";
}

}  // namespace

std::string length_text(const RecipeLength& length) {
    if (!length.length) return "does not apply";
    return fmt::format("{}{}", *length.length, length.is_longest ? "" : " or more");
}

std::string text_of(const Diagnosis& diagnosis) {
    std::string text =
        fmt::format("{}{}: trained {}, served {} tokens\n", diagnosis.file,
                    diagnosis.model_type.empty() ? "" : " (" + core::printable_line(diagnosis.model_type) + ")",
                    tokens(diagnosis.trained), tokens(diagnosis.served));
    const bool is_alone = diagnosis.layer_types.size() == 1;
    for (const Positions& each : diagnosis.layer_types) add_positions(text, each, is_alone);
    if (diagnosis.reach)
        text += fmt::format("all layers have windows: the last one reaches {} tokens\n", *diagnosis.reach);
    text += '\n';
    if (diagnosis.findings.empty()) text += "no findings\n";
    for (const Finding& each : diagnosis.findings) {
        const std::string place =
            each.place.known() ? fmt::format("{}:{}:{}: ", each.place.file, each.place.line, each.place.column) : "";
        text += fmt::format("{}{}: {} [{}]\n", place, severity_name(each.severity), each.message, each.id);
        if (!each.fix.empty()) text += fmt::format("    fix: {}\n", each.fix);
        if (!each.report.empty()) text += fmt::format("    reported: {}\n", each.report);
    }
    std::vector<std::string> agreeing;
    for (const EngineAnswer& each : diagnosis.engines)
        if (each.agrees) agreeing.push_back(each.engine);
    if (!agreeing.empty()) text += fmt::format("the declared frequencies and factors: {}\n", fmt::join(agreeing, ", "));
    for (const TableAnswer& each : diagnosis.tables)
        if (each.agrees)
            text += fmt::format("{}{}: {} numbers are the declared table{}\n", core::printable_line(each.name),
                                each.layer_type.empty() ? "" : " (" + each.layer_type + ")", each.compared,
                                each.variations.empty() ? "" : fmt::format(" ({})", fmt::join(each.variations, ", ")));
    for (const Positions& each : diagnosis.layer_types) add_pairs(text, each, is_alone);
    return text;
}

std::string json_of(const Diagnosis& diagnosis) {
    Json json = Json::object();
    json["file"] = diagnosis.file;
    json["model_type"] = diagnosis.model_type;
    if (!diagnosis.layer_types.empty()) json.update(json_of(diagnosis.layer_types.front()));
    json["trained"] = optional(diagnosis.trained);
    json["served"] = optional(diagnosis.served);
    json["recipe"] = diagnosis.recipe;
    json["format"] = diagnosis.format;
    json["reach"] = optional(diagnosis.reach);
    Json findings = Json::array();
    for (const Finding& each : diagnosis.findings) findings.push_back(json_of(each));
    json["findings"] = std::move(findings);
    if (diagnosis.layer_types.size() > 1) {
        Json types = Json::object();
        for (const Positions& each : diagnosis.layer_types) types[each.layer_type] = json_of(each);
        json["layer_types"] = std::move(types);
    }
    Json tables = Json::array();
    for (const TableAnswer& each : diagnosis.tables)
        tables.push_back({{"name", each.name},
                          {"layer_type", each.layer_type},
                          {"part", each.part},
                          {"agrees", each.agrees},
                          {"compared", each.compared},
                          {"variations", each.variations}});
    if (!diagnosis.tables.empty()) json["tables"] = std::move(tables);
    Json engines = Json::object();
    for (const EngineAnswer& engine : diagnosis.engines) {
        Json answer = Json::object(), types = Json::object();
        answer["agrees"] = engine.agrees;
        answer["refusal"] = engine.refusal.empty() ? Json(nullptr) : Json(engine.refusal);
        if (!engine.layer_types.empty()) answer.update(json_of(engine.layer_types.front()));
        for (const Positions& each : engine.layer_types) types[each.layer_type] = json_of(each);
        if (engine.layer_types.size() > 1) answer["layer_types"] = std::move(types);
        engines[engine.engine] = std::move(answer);
    }
    if (!diagnosis.engines.empty()) json["engines"] = std::move(engines);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace farfield::doctor
