#include <algorithm>
#include <farfield/report/report.hpp>

#include "numerics/progression.hpp"
#include "report/json_text.hpp"
#include "report/series_file.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

constexpr const char* written_rigours[] = {"none", "rounding", "rigorous", "exact"};

Json number_or_null(const core::Cell& cell) {
    return cell.number ? json_number(*cell.number) : Json();
}

Json verdict_or_null(const std::optional<core::Verdict>& verdict) {
    return verdict ? Json(core::verdict_name(*verdict)) : Json();
}

Json ends(const core::Enclosure& enclosure) {
    return Json::array({json_number(enclosure.lo), json_number(enclosure.hi)});
}

/// Adds what is known about the values in addition to their numbers; a key is written only if it has content.
void add_values(const core::Result& quantity, Json& json) {
    Json values = Json::object(), enclosures = Json::object(), rigour = Json::object(), printed = Json::object();
    Json exact = Json::object(), censored = Json::object();
    for (const auto& [name, cell] : quantity.values) {
        values[name] = number_or_null(cell);
        if (cell.enclosure) enclosures[name] = ends(*cell.enclosure);
        if (cell.rigour != core::Rigour::none) rigour[name] = written_rigours[static_cast<std::size_t>(cell.rigour)];
        if (!cell.printed.empty()) printed[name] = cell.printed;
        if (!cell.rational.empty()) exact[name] = cell.rational;
        if (!cell.censored.empty()) censored[name] = cell.censored;
    }
    json["values"] = values;
    if (!enclosures.empty()) json["enclosures"] = enclosures;
    if (!rigour.empty()) json["rigour"] = rigour;
    if (!printed.empty()) json["printed"] = printed;
    if (!exact.empty()) json["exact"] = exact;
    if (!censored.empty()) json["censored"] = censored;
}

/// Measurements of trained models, which cannot be recomputed within seconds, are kept in the record, so that their
/// figures can be drawn again.
constexpr std::size_t most_kept_rows = 1024;

bool is_kept(const core::Result& quantity) {
    return !quantity.scale.empty() && quantity.series->variables == 1 && quantity.series->rows() <= most_kept_rows;
}

Json data_json(const core::Series& series) {
    Json data = Json::object();
    for (const core::Column& column : series.columns) {
        Json numbers = Json::array();
        for (const double value : column.values) numbers.push_back(json_number(value));
        data[column.name] = numbers;
    }
    return data;
}

void add_series(const core::Result& quantity, Json& json) {
    json["series"] = series_file(quantity);
    if (const std::string thinned = thinned_file(quantity); !thinned.empty()) json["thinned"] = thinned;
    json["rows"] = quantity.series->rows();
    Json columns = Json::array();
    for (const core::Column& column : quantity.series->columns) columns.push_back(column.name);
    json["columns"] = columns;
    for (const core::Column& column : quantity.series->columns) {
        // Integers and steps of 0.25 are exact in the file.
        const auto grid = numerics::progression_of(column);
        if (grid && !grid->is_exact_in_doubles())
            json["steps"][column.name] = {{"from", column.steps->from}, {"step", column.steps->step}};
    }
    if (is_kept(quantity)) json["data"] = data_json(*quantity.series);
}

/// A cell of a table is its number, or its number with the printed text if it is known.
Json table_json(const core::Table& table) {
    Json cells = Json::array(), printed = Json::array();
    const bool has_text =
        std::any_of(table.cells.begin(), table.cells.end(), [](const core::Cell& c) { return !c.printed.empty(); });
    const std::size_t width = table.columns.size();
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        Json numbers = Json::array(), texts = Json::array();
        for (std::size_t column = 0; column < width; ++column) {
            const core::Cell& cell = table.cells.at(row * width + column);
            numbers.push_back(number_or_null(cell));
            texts.push_back(cell.printed);
        }
        cells.push_back(numbers);
        printed.push_back(texts);
    }
    Json json = {{"rows", table.rows}, {"columns", table.columns}, {"cells", cells}};
    if (has_text) json["printed"] = printed;
    return json;
}

/// With more boxes, only their number is written; a recheck subdivides again.
constexpr std::size_t most_boxes = 200;

Json evidence_json(const core::Evidence& evidence) {
    Json json = Json::object();
    for (const auto& [key, text] : evidence.facts) json["facts"][key] = text;
    if (evidence.boxes.size() > most_boxes) {
        json["boxes"] = evidence.boxes.size();
        return json;
    }
    for (const auto& [where, found] : evidence.boxes) json["boxes"].push_back({{"on", where}, {"found", found}});
    return json;
}

Json quantity_json(const core::Result& quantity) {
    Json json = {{"kind", quantity.kind}, {"seconds", json_number(quantity.seconds)}};
    add_values(quantity, json);
    if (quantity.series) add_series(quantity, json);
    if (quantity.table) json["table"] = table_json(*quantity.table);
    for (const auto& [key, text] : quantity.notes) json["notes"][key] = text;
    if (!quantity.evidence.empty()) json["evidence"] = evidence_json(quantity.evidence);
    return json;
}

Json break_even_json(const core::ReadingRecord& reading, const core::BreakEven& threshold) {
    Json json = {{"name", threshold.name}, {"given", threshold.given}, {"from", threshold.from}, {"to", threshold.to}};
    if (!threshold.below.empty())
        json["below"] = {{"at", threshold.below}, {"verdict", core::verdict_name(threshold.verdict_below)}};
    if (!threshold.above.empty())
        json["above"] = {{"at", threshold.above}, {"verdict", core::verdict_name(threshold.verdict_above)}};
    if (threshold.is_least) json["least"] = true;
    if (threshold.is_most) json["most"] = true;
    if (threshold.sensitive) json["sensitive"] = true;
    json["text"] = reading.text_of(threshold);
    return json;
}

Json reading_json(const core::ReadingRecord& reading) {
    Json json = {{"name", reading.name}, {"verdict", core::verdict_name(reading.verdict)}};
    if (reading.expected) json["expected"] = core::verdict_name(*reading.expected);
    json["certified"] = reading.certified;
    if (reading.by_definition) json["by_definition"] = true;
    if (reading.extra) json["extra"] = true;
    if (reading.covers_part) json["covers"] = "part";
    json["holds"] = reading.holds;
    for (const auto& [name, text] : reading.given) json["given"][name] = text;
    if (!reading.because.empty()) json["because"] = reading.because;
    for (const core::BreakEven& threshold : reading.break_even)
        json["break_even"].push_back(break_even_json(reading, threshold));
    json["explain"] = reading.explain;
    return json;
}

Json claim_json(const core::ClaimRecord& claim) {
    Json json = {{"id", claim.id},
                 {"verdict", core::verdict_name(claim.verdict)},
                 {"expected", verdict_or_null(claim.expected)},
                 {"certified", claim.certified},
                 {"says", claim.says},
                 {"source", claim.source}};
    if (claim.is_by_definition()) json["by_definition"] = true;
    if (claim.is_sensitive()) json["sensitive"] = true;
    if (!claim.scale.empty()) json["scale"] = claim.scale;
    if (!claim.comment.empty()) json["comment"] = claim.comment;
    if (claim.place.known()) json["line"] = claim.place.line;
    if (const std::string change = claim.would_change(); !change.empty()) json["would_change"] = change;
    json["uses"] = claim.uses;
    json["readings"] = Json::array();
    for (const core::ReadingRecord& reading : claim.readings) json["readings"].push_back(reading_json(reading));
    return json;
}

Json figure_json(const core::FigureRecord& figure) {
    const std::string stem = file_stem(figure.name);
    return {{"title", figure.title},
            {"source", figure.source},
            {"series", figure_series(figure)},
            {"svg", stem + ".svg"},
            {"png", stem + ".png"}};
}

Json summary_json(const Summary& summary) {
    return {{"claims", summary.claims},     {"as_expected", summary.as_expected}, {"unexpected", summary.unexpected},
            {"unstated", summary.unstated}, {"missing", summary.missing},         {"skipped", summary.skipped}};
}

/// The program's own version, which the study module writes into the manifest.
std::string version_of(const core::StudyRecord& study) {
    const auto found = std::find_if(study.manifest.begin(), study.manifest.end(),
                                    [](const auto& entry) { return entry.first == "version"; });
    return found == study.manifest.end() ? "unknown" : found->second;
}

}  // namespace

std::string results_json(const core::StudyRecord& study, const Undrawn& undrawn) {
    Json json = {{"farfield", version_of(study)},
                 {"study", study.study},
                 {"device", study.device},
                 {"seconds", json_number(study.seconds)},
                 {"file", study.file},
                 {"title", study.title},
                 {"source", study.source}};
    if (!study.doc.empty()) json["doc"] = study.doc;
    if (study.interrupted) json["interrupted"] = true;
    for (const auto* list : {&study.missing, &undrawn.missing})
        for (const auto& [name, why] : *list) json["missing"][name] = why;
    for (const auto* list : {&study.failed, &undrawn.failed})
        for (const core::FailureRecord& failure : *list) json["failed"][failure.name] = failure.text();
    if (!study.warnings.empty()) json["warnings"] = study.warnings;
    json["quantities"] = Json::object();
    // Appended directly, because the names differ; the object would otherwise search all its keys for each.
    Json::object_t::Container& quantities = json["quantities"].get_ref<Json::object_t&>();
    quantities.reserve(study.quantities.size());
    for (const core::Result& quantity : study.quantities)
        quantities.emplace_back(quantity.name, quantity_json(quantity));
    json["claims"] = Json::array();
    for (const core::ClaimRecord& claim : study.claims) json["claims"].push_back(claim_json(claim));
    json["summary"] = summary_json(summarise(study.claims));
    for (const core::FigureRecord& figure : study.figures) json["figures"][figure.name] = figure_json(figure);
    for (const core::FormulaRecord& formula : study.formulas) {
        json["formulas"].push_back({{"where", formula.where}, {"text", formula.text}, {"mathml", formula.mathml}});
    }
    for (const auto& [key, text] : study.manifest) json["manifest"][key] = text;
    return json_text(json);
}

std::string claims_json(std::span<const core::StudyRecord> studies, std::string_view id) {
    Json list = Json::array();
    for (const core::StudyRecord& study : studies) {
        for (const core::ClaimRecord& claim : study.claims) {
            if (!id.empty() && claim.id != id) continue;
            Json json = {{"study", study.study}, {"file", study.file}};
            json.update(claim_json(claim));
            list.push_back(json);
        }
    }
    return list.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace farfield::report
