// What figures call series and axes, and how wide texts are.
#include <catch2/catch.hpp>
#include <farfield/report/report.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "report/figure.hpp"
#include "report/labels.hpp"
#include "report/layout.hpp"
#include "report/metrics.hpp"
#include "report/sample.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;

namespace {

core::Result named(const std::string& name, const std::string& label = "", const std::string& training = "") {
    core::Result result = curve(name, 3, [](double n) { return n; });
    result.label = label;
    if (training.empty()) return result;
    result.trained_length = 64;
    result.evidence.add("setting.of", training);
    return result;
}

report::Figure planned(std::vector<core::Entry> settings, const core::StudyRecord& study) {
    core::FigureRecord record{"fig", "", "", {}};
    record.settings.list = std::move(settings);
    return report::plan_figure(record, study);
}

}  // namespace

TEST_CASE("a series is named by its label, by the measured value, or by its name in words") {
    struct Case {
        core::Result quantity;
        std::string label;
    };
    const std::vector<Case> cases = {
        {named("ppl_shift[delta=-3]", "", "shift[delta=-3]"), "shift \u22123"},
        {named("ppl_sinusoidal", "", "sinusoidal_short"), "sinusoidal short"},
        {named("urn[scheme=kerple-log]", "", "urn[scheme=kerple-log]"), "kerple-log"},
        {named("x[a=1,b=-2]", "", "mine[a=1,b=-2]"), "mine, a = 1, b = \u22122"},
        {named("row[w=40]"), "row, w = 40"},
        {named("row[scheme=alibi]"), "alibi"},
        {named("alibi-m3"), "alibi-m3"},
        {named("row[w=-40,name=a,b]", "window {w} of {name}, {other}"), "window \u221240 of a,b, {other}"},
    };
    for (const Case& each : cases) CHECK(report::series_label(each.quantity) == each.label);
}

TEST_CASE("series that would have the same label are named after their quantities") {
    core::StudyRecord study;
    study.quantities = {named("ppl_rope", "", "rope"), named("field_rope", "", "rope"), named("ppl_lex", "", "lex")};
    const report::Figure figure = planned({texts("series", {"ppl_rope", "field_rope", "ppl_lex"})}, study);
    CHECK(figure.traces[0].label == "ppl rope");
    CHECK(figure.traces[1].label == "field rope");
    CHECK(figure.traces[2].label == "lex");
}

TEST_CASE("axes of known kinds have names with units") {
    CHECK(report::axis_words("perplexity", "length") == "context length (tokens)");
    CHECK(report::axis_words("perplexity", "nll") == "loss (nats per token)");
    CHECK(report::axis_words("curve", "n") == "n");
}

TEST_CASE("deviations, trained lengths and names of points are found for a figure") {
    core::StudyRecord study;
    core::Result measured = named("ppl_a", "", "a");
    measured.kind = "perplexity";
    measured.series->columns[0].name = "length";
    measured.series->columns[1].name = "ppl";
    measured.series->columns.push_back({"ppl_sd", {1, 1, 1}, {}});
    core::Result pairs = curve("pairs", 2, [](double n) { return n; });
    pairs.kind = "correlation";
    pairs.table = core::Table{{"ppl_a.delta[1024]", "other[w=0.5].share"}, {"x", "y"}, std::vector<core::Cell>(4)};
    study.quantities = {measured, pairs};
    const report::Figure line = planned({texts("series", {"ppl_a"})}, study);
    CHECK(line.traces.at(0).deviation == 2);
    CHECK(line.traces[0].trained_length == 64);
    CHECK(line.traces[0].x_words == "context length (tokens)");
    const report::Figure points = planned({texts("series", {"pairs"}), entry("kind", text_value("points"))}, study);
    CHECK(points.traces.at(0).point_names == std::vector<std::string>{"a", "other[w=0.5].share"});
}

TEST_CASE("a figure is divided by series, by quantities with one look for each scheme, or by columns") {
    core::StudyRecord study;
    for (const char* base : {"ppl", "field"})
        for (const char* scheme : {"alibi", "t5"})
            study.quantities.push_back(named(std::string(base) + "[scheme=" + scheme + "]"));
    const auto divided = [&](const char* how) {
        return planned({texts("series", {"ppl", "field"}), entry("panels", text_value(how))}, study);
    };
    const report::Figure quantities = divided("quantity");
    REQUIRE(quantities.panels.size() == 2);
    CHECK((quantities.panels[0].title == "ppl" && quantities.panels[1].title == "field"));
    CHECK_FALSE(quantities.shared_y);
    CHECK((quantities.traces[0].look == 0 && quantities.traces[1].look == 1 && quantities.traces[2].look == 0));
    CHECK((quantities.traces[1].panel == 0 && quantities.traces[2].panel == 1));
    const report::Figure multiples = divided("series");
    CHECK(multiples.panels.size() == 4);
    CHECK(multiples.shared_y);
    core::Result wide = named("wide");
    wide.series->columns.push_back({"b", {1, 2, 3}, {}});
    study.quantities = {wide};
    const report::Figure columns = planned(
        {texts("series", {"wide"}), texts("columns", {"value", "b"}), entry("panels", text_value("column"))}, study);
    REQUIRE(columns.panels.size() == 2);
    CHECK((columns.panels[0].title == "wide" && columns.panels[1].title == "b"));
    CHECK(columns.traces[0].label == "wide");
}

TEST_CASE("a curve over n shares the axis of a kind that calls n the distance") {
    core::StudyRecord study;
    study.quantities = {named("bias"), named("share"), named("field"), named("ppl")};
    study.quantities[1].kind = "profile";
    study.quantities[2].kind = "gradient-field";
    study.quantities[3].kind = "perplexity";
    study.quantities[3].series->columns[0].name = "length";
    const auto axis = [&](std::vector<std::string> names) {
        const report::Layout layout = report::layout_of(planned({texts("series", std::move(names))}, study));
        std::set<std::string> all;
        for (const report::Text& text : layout.texts) all.insert(text.text);
        return all;
    };
    CHECK(axis({"bias", "share"}).count("distance (tokens)") == 1);
    CHECK(axis({"share", "bias"}).count("distance (tokens)") == 1);
    CHECK(axis({"bias"}).count("n") == 1);
    // Both are named n, but one counts from the last token.
    CHECK_THROWS_WITH(axis({"bias", "share", "field"}),
                      Contains("'distance (tokens)' and 'distance from the last token (tokens)'"));
    CHECK_THROWS_WITH(axis({"bias", "ppl"}), Contains("'n' and 'context length (tokens)'"));
}

TEST_CASE("the curve of a scheme is a bias over the distance") {
    core::StudyRecord study;
    study.quantities = {named("a"), named("b")};
    for (core::Result& each : study.quantities) each.evidence.add("setting.scheme", "alibi");
    const report::Figure figure = planned({texts("series", {"a", "b"})}, study);
    CHECK((figure.traces[0].x_words == "distance (tokens)" && figure.traces[0].y_words == "bias"));
    const report::Figure panels =
        planned({texts("series", {"a", "b"}), entry("panels", text_value("quantity"))}, study);
    CHECK((panels.panels.at(0).title == "a: bias" && panels.panels.at(1).title == "b: bias"));
}

TEST_CASE("texts are as wide as DejaVu Sans draws them, and are broken at blanks") {
    // hmtx of DejaVuSans.ttf: W 2025, i 569, blank 651 of 2048.
    CHECK(report::text_width("Wi W", 2048) == 2025 + 569 + 651 + 2025);
    CHECK(report::text_width("", 10) == 0);
    // Sums over the blank to the tilde of the advances, times the place to the powers 0, 1 and 2.
    double sums[3] = {};
    for (char letter = ' '; letter <= '~'; ++letter) {
        const double place = letter - ' ' + 1, width = report::text_width(std::string(1, letter), 2048);
        for (int power = 0; power < 3; ++power) sums[power] += std::pow(place, power) * width;
    }
    CHECK((sums[0] == 116178 && sums[1] == 5591819 && sums[2] == 352182271));
    CHECK(report::wrapped("Wi W", 2048, 2600) == std::vector<std::string>{"Wi", "W"});
    // Not beside an equals sign, if there is another blank.
    CHECK(report::wrapped("W i = W", 2048, 6200) == std::vector<std::string>{"W", "i = W"});
    CHECK(report::wrapped("i = W", 2048, 3100) == std::vector<std::string>{"i =", "W"});
    CHECK(report::wrapped("WWW", 2048, 4100) == std::vector<std::string>{"WW", "W"});
    CHECK(report::wrapped("a\nb", 10, 100) == std::vector<std::string>{"a", "b"});
    CHECK(report::wrapped("", 10, 100) == std::vector<std::string>{""});
    CHECK(report::wrapped("W", 2048, 1) == std::vector<std::string>{"W"});
}

TEST_CASE("measurements of trained models keep their series with the record, and are read back") {
    core::StudyRecord study;
    study.study = "s";
    study.quantities = {named("kept"), named("formula")};
    study.quantities[0].scale = "4 layers, width 64, 3 seeds";
    study.quantities[0].series->columns[1].values = {0.1, 1.0 / 3, NAN};
    const Folder folder;
    folder.write("results.json", report::results_json(study));
    const core::StudyRecord back = report::read_results(folder.path("results.json"));
    REQUIRE(back.quantities.size() == 2);
    REQUIRE(back.quantities[0].series);
    CHECK(back.quantities[0].series->columns[0].values == core::Values(std::vector<double>{0, 1, 2}));
    CHECK(back.quantities[0].series->columns[1].values[1] == 1.0 / 3);
    CHECK(std::isnan(back.quantities[0].series->columns[1].values[2]));
    CHECK_FALSE(back.quantities[1].series);
}

TEST_CASE("SARIF has a result for each claim that fails, at its line, and none for the others") {
    const core::StudyRecord study = sample_study();
    const auto json =
        nlohmann::json::parse(report::sarif(report::alerts_of(std::vector<core::StudyRecord>{study}), "1.2"));
    CHECK(json["version"] == "2.1.0");
    const auto& run = json["runs"].at(0);
    CHECK(run["tool"]["driver"]["version"] == "1.2");
    REQUIRE(run["results"].size() == 1);
    const auto& result = run["results"][0];
    CHECK(result["ruleId"] == "EX-02");
    CHECK(result["level"] == "error");
    CHECK_THAT(result["message"]["text"].get<std::string>(), Contains("expected undecided, found confirmed"));
    const auto& place = result["locations"][0]["physicalLocation"];
    CHECK(place["artifactLocation"]["uri"] == "studies/paper/sample.toml");
    CHECK_FALSE(place.contains("region"));
    CHECK(run["tool"]["driver"]["rules"][0]["id"] == "EX-02");
    // A claim without an expected verdict fails where it is refuted.
    core::StudyRecord unstated = study;
    unstated.claims = {study.claims[0]};
    unstated.claims[0].expected.reset();
    const std::vector<report::Alert> alerts = report::alerts_of(std::vector<core::StudyRecord>{unstated});
    REQUIRE(alerts.size() == 1);
    CHECK_THAT(alerts[0].message, Contains(": found refuted") && !Contains("expected refuted"));
}
