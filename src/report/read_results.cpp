#include <algorithm>
#include <array>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/report/report.hpp>
#include <stdexcept>

#include "report/json_text.hpp"

namespace farfield::report {
namespace {

constexpr std::array<std::string_view, 4> rigour_names = {"none", "rounding", "rigorous", "exact"};

/// The value of a key; null if it is missing.
const Json& at(const Json& object, const char* key) {
    static const Json none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

std::string text(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_null() ? "" : value.get<std::string>();
}

bool flag(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return !value.is_null() && value.get<bool>();
}

double number(const Json& object, const char* key) {
    const Json& value = at(object, key);
    return value.is_null() ? 0 : number_of(value);
}

std::optional<core::Verdict> verdict(const Json& object, const char* key) {
    const Json& value = at(object, key);
    if (value.is_null()) return std::nullopt;
    const std::optional<core::Verdict> found = core::find_verdict(value.get_ref<const std::string&>());
    if (!found) throw std::invalid_argument("no verdict: '" + value.get<std::string>() + "'");
    return found;
}

core::Verdict needed_verdict(const Json& object) {
    const std::optional<core::Verdict> found = verdict(object, "verdict");
    if (!found) throw std::invalid_argument("a claim or reading without a verdict");
    return *found;
}

core::Rigour rigour(const std::string& name) {
    const auto found = std::find(rigour_names.begin(), rigour_names.end(), name);
    if (found == rigour_names.end()) throw std::invalid_argument("no rigour: '" + name + "'");
    return static_cast<core::Rigour>(found - rigour_names.begin());
}

core::Cell cell(const Json& quantity, const std::string& name, const Json& value) {
    core::Cell cell;
    if (!value.is_null()) cell.number = number_of(value);
    const char* key = name.c_str();
    cell.printed = text(at(quantity, "printed"), key);
    cell.rational = text(at(quantity, "exact"), key);
    cell.censored = text(at(quantity, "censored"), key);
    if (const Json& ends = at(at(quantity, "enclosures"), key); !ends.is_null()) {
        cell.enclosure = core::Enclosure{number_of(ends.at(0)), number_of(ends.at(1))};
    }
    if (const std::string known = text(at(quantity, "rigour"), key); !known.empty()) cell.rigour = rigour(known);
    return cell;
}

core::Table table_of(const Json& json) {
    core::Table table{
        json.at("rows").get<std::vector<std::string>>(), json.at("columns").get<std::vector<std::string>>(), {}};
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            const Json& value = json.at("cells").at(row).at(column);
            core::Cell cell;
            if (!value.is_null()) cell.number = number_of(value);
            if (json.contains("printed")) cell.printed = json.at("printed").at(row).at(column).get<std::string>();
            table.cells.push_back(cell);
        }
    }
    return table;
}

std::vector<std::pair<std::string, std::string>> pairs(const Json& object) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& [key, value] : object.items()) result.emplace_back(key, value.get<std::string>());
    return result;
}

/// The series of a quantity that keeps it in the record; it is a curve.
std::optional<core::Series> series_of(const Json& quantity) {
    const Json& data = at(quantity, "data");
    if (data.is_null()) return std::nullopt;
    core::Series series;
    for (const auto& [name, numbers] : data.items()) {
        std::vector<double> values;
        for (const Json& value : numbers) values.push_back(number_of(value));
        series.columns.push_back({name, std::move(values), {}});
        if (series.columns.back().values.size() != series.rows())
            throw std::invalid_argument("columns of different lengths in 'data'");
    }
    if (series.columns.size() < 2) throw std::invalid_argument("no columns in 'data'");
    return series;
}

core::Result quantity_of(const std::string& name, const Json& json) {
    core::Result quantity;
    quantity.name = name;
    quantity.kind = text(json, "kind");
    quantity.seconds = number(json, "seconds");
    for (const auto& [key, value] : at(json, "values").items())
        quantity.values.emplace_back(key, cell(json, key, value));
    quantity.series = series_of(json);
    if (json.contains("table")) quantity.table = table_of(json.at("table"));
    quantity.notes = pairs(at(json, "notes"));
    quantity.evidence.facts = pairs(at(at(json, "evidence"), "facts"));
    return quantity;
}

core::BreakEven break_even_of(const Json& json) {
    core::BreakEven threshold;
    threshold.name = text(json, "name");
    threshold.given = text(json, "given");
    threshold.from = text(json, "from");
    threshold.to = text(json, "to");
    if (const Json& below = at(json, "below"); !below.is_null()) {
        threshold.below = text(below, "at");
        threshold.verdict_below = needed_verdict(below);
    }
    if (const Json& above = at(json, "above"); !above.is_null()) {
        threshold.above = text(above, "at");
        threshold.verdict_above = needed_verdict(above);
    }
    threshold.is_least = flag(json, "least");
    threshold.is_most = flag(json, "most");
    threshold.sensitive = flag(json, "sensitive");
    return threshold;
}

core::ReadingRecord reading_of(const Json& json) {
    core::ReadingRecord reading{.name = text(json, "name"),
                                .holds = text(json, "holds"),
                                .because = text(json, "because"),
                                .extra = flag(json, "extra"),
                                .verdict = needed_verdict(json),
                                .expected = verdict(json, "expected"),
                                .certified = flag(json, "certified"),
                                .explain = text(json, "explain"),
                                .given = pairs(at(json, "given")),
                                .covers_part = text(json, "covers") == "part",
                                .by_definition = flag(json, "by_definition")};
    for (const Json& threshold : at(json, "break_even")) reading.break_even.push_back(break_even_of(threshold));
    return reading;
}

core::ClaimRecord claim_of(const Json& json, const std::string& file) {
    core::ClaimRecord claim;
    claim.id = text(json, "id");
    claim.says = text(json, "says");
    claim.source = text(json, "source");
    claim.comment = text(json, "comment");
    claim.scale = text(json, "scale");
    claim.place.file = file;
    claim.place.line = static_cast<std::size_t>(number(json, "line"));
    claim.verdict = needed_verdict(json);
    claim.expected = verdict(json, "expected");
    claim.certified = flag(json, "certified");
    for (const Json& reading : at(json, "readings")) claim.readings.push_back(reading_of(reading));
    for (const Json& name : at(json, "uses")) claim.uses.push_back(name.get<std::string>());
    return claim;
}

core::FigureRecord figure_of(const std::string& name, const Json& json) {
    core::FigureRecord figure{name, text(json, "title"), text(json, "source"), {}};
    core::List series;
    for (const Json& each : at(json, "series")) series.push_back({each.get<std::string>(), {}, {}});
    figure.settings.list.push_back({"series", {}, {std::move(series), {}, {}}});
    return figure;
}

core::StudyRecord study_of(const Json& json) {
    core::StudyRecord study;
    if (!json.is_object() || !json.contains("study") || !json.contains("claims")) {
        throw std::invalid_argument("the keys 'study' and 'claims' are not there");
    }
    study.study = text(json, "study");
    study.file = text(json, "file");
    study.title = text(json, "title");
    study.source = text(json, "source");
    study.doc = text(json, "doc");
    study.device = text(json, "device");
    study.seconds = number(json, "seconds");
    study.interrupted = flag(json, "interrupted");
    study.missing = pairs(at(json, "missing"));
    for (const auto& [name, why] : pairs(at(json, "failed"))) study.failed.push_back({name, {{{}, why, {}, {}}}});
    for (const Json& warning : at(json, "warnings")) study.warnings.push_back(warning.get<std::string>());
    for (const auto& [name, quantity] : at(json, "quantities").items()) {
        study.quantities.push_back(quantity_of(name, quantity));
    }
    for (const Json& claim : at(json, "claims")) study.claims.push_back(claim_of(claim, study.file));
    for (const auto& [name, figure] : at(json, "figures").items()) study.figures.push_back(figure_of(name, figure));
    for (const Json& formula : at(json, "formulas")) {
        study.formulas.push_back({text(formula, "where"), text(formula, "text"), text(formula, "mathml")});
    }
    study.manifest = pairs(at(json, "manifest"));
    return study;
}

/// The place of a byte of the text, counted from 1 like the parser.
core::Place place_of(const std::string& path, const std::string& content, std::size_t byte) {
    const std::size_t end = std::min(byte > 0 ? byte - 1 : 0, content.size());
    const auto line = std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(end), '\n') + 1;
    const std::size_t before = end == 0 ? std::string::npos : content.rfind('\n', end - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return {path, static_cast<std::size_t>(line), end - start + 1, 1, {}};
}

[[noreturn]] void fail(const core::Place& place, const std::string& reason) {
    throw core::UserError(
        {{place, "this is not a results.json of farfield: " + reason, "", "farfield run writes such files."}});
}

}  // namespace

core::StudyRecord read_results(const std::string& path) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
    core::Place place;
    place.file = path;
    const std::string whole = core::read_file(path, most_bytes);
    try {
        return study_of(Json::parse(whole));
    } catch (const Json::parse_error& error) {
        fail(place_of(path, whole, error.byte), "it is not JSON from here on");
    } catch (const Json::exception& error) {
        fail(place, core::shortened(error.what(), 200));
    } catch (const std::invalid_argument& error) {
        fail(place, error.what());
    }
}

}  // namespace farfield::report
