// Names, numbers and pictures as the files of a report carry them.
#include <catch2/catch.hpp>
#include <farfield/report/report.hpp>

#include "report/figure.hpp"
#include "report/html.hpp"
#include "report/json_text.hpp"
#include "report/sample.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

/// Every character of ASCII that `keeps` leaves as it is.
template <typename Keeps>
std::string kept(Keeps keeps) {
    std::string found;
    for (char c = 1; c > 0; ++c) {
        if (keeps(c)) found += c;
        if (c == 127) break;
    }
    return found;
}

const std::string digits = "0123456789", capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", small = "abcdefghijklmnopqrstuvwxyz";

std::string figure_id(const std::string& name) {
    report::Figure figure;
    figure.name = name;
    return report::finished_svg("'gpPt", figure);
}

}  // namespace

TEST_CASE("letters, digits and a few marks stay in the names of files, links, identifiers and commands") {
    const auto stem = [](char c) { return report::file_stem(std::string("a") + c) == std::string("a") + c; };
    CHECK(kept(stem) == "()+,-." + digits + "=" + capitals + "[]_" + small);
    const auto link = [](char c) { return report::url(std::string(1, c)) == std::string(1, c); };
    CHECK(kept(link) == "-./" + digits + capitals + "_" + small + "~");
    const auto identifier = [](char c) { return figure_id(std::string(1, c)) == std::string("'f-") + c + "-mark"; };
    CHECK(kept(identifier) == "-" + digits + capitals + small);
    core::StudyRecord study;
    study.file = "s";
    const auto word = [&](char c) {
        return report::reproduce_command(study, std::string(1, c)) == std::string("./farfield check s --only ") + c;
    };
    CHECK(kept(word) == "+,-./" + digits + "=" + capitals + "_" + small);
    CHECK(report::reproduce_command(study, "") == "./farfield check s --only ''");
}

TEST_CASE("each other byte becomes two hexadecimal digits, and so does a leading dot") {
    CHECK(report::file_stem(".a.b") == "%2Ea.b");
    CHECK(report::file_stem("\n/\xFF") == "%0A%2F%FF");
    CHECK(report::url("\n?\xFF") == "%0A%3F%FF");
}

TEST_CASE("control characters but tab and newline are replaced") {
    const auto stays = [](char c) { return report::valid_text(std::string(1, c)) == std::string(1, c); };
    std::string wanted = "\t\n";
    for (char c = 0x20; c < 0x7F; ++c) wanted += c;
    CHECK(kept(stays) == wanted);
}

TEST_CASE("numbers have the requested digits; values that are not finite have names") {
    CHECK(report::short_number(2.0 / 3) == "0.666667");
    CHECK(report::short_number(2.0 / 3, 3) == "0.667");
    CHECK(report::exact_number(0.1) == "0.10000000000000001");
    CHECK(report::exact_number(-INFINITY) == "-inf");
    CHECK(report::short_number(INFINITY) == "inf");
    CHECK(report::short_number(-NAN) == "nan");
}

TEST_CASE("gnuplot's title and description are replaced by the figure's") {
    report::Figure figure;
    figure.name = "a b";
    figure.title = "T";
    figure.x.label = "n";
    const core::Series series;
    figure.traces = {{"p", &series, 1, false}, {"q", &series, 1, false}};
    const auto told = [&](const std::string& inside) { return "A<title>T</title>\n<desc>" + inside + "</desc>B"; };
    const std::string gnuplots = "A<title>x</title>y<desc>z</desc>B";
    CHECK(report::finished_svg(gnuplots, figure) == told("Plot of p, q over n."));
    figure.source = "S";
    figure.x.label.clear();
    figure.kind = report::FigureKind::heatmap;
    CHECK(report::finished_svg(gnuplots, figure) == told("Heat map of p, q. Source: S."));
    for (const char* other : {"</desc>A<title>B", "<title>A", "A</desc>", "<title", ""}) {
        CHECK(report::finished_svg(other, figure) == other);
    }
    CHECK(report::finished_svg("<svg \n<svg \n<image ", figure) ==
          "<svg role=\"img\"\n<svg role=\"img\"\n<image style='image-rendering:pixelated' ");
    CHECK(report::finished_svg("id='gpPt0' '#gpPt0' id='gpDot #gpDot id='textbox #greybox id=\"gnuplot_plot", figure) ==
          "id='f-a-b-mark0' '#f-a-b-mark0' id='f-a-b-gpDot #f-a-b-gpDot id='f-a-b-textbox #f-a-b-greybox "
          "id=\"f-a-b-plot");
    CHECK(report::inline_svg("<?xml?>\n<svg>") == "<svg>");
    CHECK(report::inline_svg("<svg>") == "<svg>");
    CHECK(report::inline_svg("none").empty());
    CHECK(report::with_study("id='f-a-b-mark0' '#f-a-b-mark0' url(#f-a-b-x) id=\"f-a-b-plot\" f-a-b- 'f-a'", "a b",
                             "p/s") ==
          "id='f-p-s-a-b-mark0' '#f-p-s-a-b-mark0' url(#f-p-s-a-b-x) id=\"f-p-s-a-b-plot\" f-a-b- 'f-a'");
}

TEST_CASE("a flat list or object is on one line up to 120 characters, others have one part on each line") {
    using report::Json;
    const auto text = [](const Json& json) { return report::json_text(json); };
    CHECK(text(Json::array()) == "[]\n");
    CHECK(text({{"a", 1}, {"b", Json::array()}, {"c", nullptr}}) == "{\"a\": 1, \"b\": [], \"c\": null}\n");
    CHECK(text({{"a", Json::array({1, "x", true})}}) == "{\n  \"a\": [1, \"x\", true]\n}\n");
    CHECK(text(Json::array({Json::array({1, 2}), Json::array()})) == "[\n  [1, 2],\n  []\n]\n");
    // Brackets and quotes are 4 characters.
    CHECK(text(Json::array({std::string(116, 'x')})) == "[\"" + std::string(116, 'x') + "\"]\n");
    CHECK(text(Json::array({std::string(117, 'x')})) == "[\n  \"" + std::string(117, 'x') + "\"\n]\n");
    // The indentation of 2 counts, the key before does not.
    const std::string fits(114, 'x'), wide(115, 'x');
    CHECK(text({{"k", Json::array({fits})}}) == "{\n  \"k\": [\"" + fits + "\"]\n}\n");
    CHECK(text({{"k", Json::array({wide})}}) == "{\n  \"k\": [\n    \"" + wide + "\"\n  ]\n}\n");
}

TEST_CASE("a number of JSON may be the name of a value that is not finite, and nothing else") {
    CHECK(report::number_of(report::json_number(0.5)) == 0.5);
    CHECK(report::number_of(report::json_number(INFINITY)) == INFINITY);
    CHECK(report::number_of(report::json_number(-INFINITY)) == -INFINITY);
    CHECK(std::isnan(report::number_of(report::json_number(NAN))));
    CHECK(report::json_number(1).is_number());
    CHECK_THROWS_AS(report::number_of("1"), std::invalid_argument);
    CHECK_THROWS_AS(report::number_of(true), std::invalid_argument);
}

TEST_CASE("a claim shows the values of a quantity in columns to eight digits, more than twelve of them folded") {
    core::StudyRecord study;
    core::ClaimRecord claim;
    claim.uses = {"q", "none", "bare"};
    study.quantities.resize(2);
    study.quantities[0].name = "q";
    study.quantities[1].name = "bare";
    for (int value = 0; value < 12; ++value)
        study.quantities[0].set("v" + std::to_string(value), core::Cell::of(2.0 / 3));
    const auto shown = [&] { return report::claim_section(claim, study); };
    const auto holds = [&](const std::string& part) { return shown().find(part) != std::string::npos; };
    const std::string number =
        "</th><td class=\"whole\" title=\"0.6666666666666666\">0</td>"
        "<td class=\"rest\" title=\"0.6666666666666666\">.66666667</td></tr>";
    CHECK(holds("<dt><code>q</code></dt><dd><div class=\"scroll\"><table class=\"numbers\">"));
    CHECK((holds("<th scope=\"row\">v0" + number) && holds("<th scope=\"row\">v11" + number)));
    CHECK_FALSE((holds("bare") || holds("12 values")));
    study.quantities[0].set("v12", core::Cell::missing());
    CHECK(holds("<details><summary>13 values</summary>"));
    CHECK(holds("<th scope=\"row\">v12</th><td class=\"whole\">none</td><td class=\"rest\"></td></tr>"));
}

TEST_CASE("a claim's section lists its known values, and leaves out unknown ones") {
    core::StudyRecord study;
    study.source = "the paper";
    core::ClaimRecord claim;
    claim.id = "A b";
    claim.verdict = core::Verdict::confirmed;
    const auto holds = [&](const std::string& part) {
        return report::claim_section(claim, study, "<dt>more</dt>").find(part) != std::string::npos;
    };
    CHECK(report::claim_anchor(claim.id) == "claim-A~20b");
    CHECK(holds("<dt>Source</dt><dd>the paper</dd>"));
    CHECK(holds("<dt>more</dt><dt>Study</dt>"));
    CHECK(holds("not certified"));
    for (const char* absent : {"on record", ", line", "<p class=\"soft\"", "extra:", "<br>"})
        CHECK_FALSE(holds(absent));
    claim.source = "its own";
    claim.comment = "but";
    claim.place.line = 7;
    claim.expected = core::Verdict::confirmed;
    claim.readings.resize(1);
    CHECK(holds("<dd>its own</dd>"));
    CHECK(holds("<p class=\"soft\">but</p>"));
    CHECK(holds("</code>, line 7</dd>"));
    CHECK_FALSE(holds("on record"));
    CHECK_FALSE(holds("<br>"));
    claim.expected = core::Verdict::refuted;
    claim.scale = "4 layers";
    claim.readings[0].extra = true;
    claim.readings[0].because = "why";
    CHECK(holds("<span class=\"unexpected\">on record: refuted</span>"));
    CHECK(holds("<span class=\"mark soft\">4 layers</span>"));
    CHECK(holds("(extra: shown, not counted)</span><br><span class=\"soft\">why</span>"));
}

TEST_CASE("a claim's figures are those that show a quantity which it mentions") {
    core::StudyRecord study;
    core::ClaimRecord claim;
    claim.uses = {"a", "b"};
    study.figures = {{"f", "", "", {}}, {"g", "", "", {}}, {"h", "", "", {}}};
    study.figures[0].settings.list = {texts("series", {"x", "b"})};
    study.figures[1].settings.list = {texts("series", {"x", "y"})};
    study.figures[2].settings.list = {texts("series", {"a", "b"})};
    CHECK(report::figures_of(claim, study) == std::vector<std::string>{"f", "h"});
}
