// What a picture shows of its series, and what it says about the rest.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>

#include "report/draw.hpp"
#include "report/sample.hpp"
#include "report/script.hpp"
#include "report/thin.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;
using Catch::Matchers::WithinRel;

namespace {

core::Entry range(const std::string& axis, double least, double most) {
    core::Value low, high, both, table;
    low.data = least;
    high.data = most;
    both.data = core::List{low, high};
    core::Entries keys;
    keys.list = {entry("range", both)};
    table.data = keys;
    return entry(axis, table);
}

/// A figure of these quantities.
core::FigureRecord figure(const std::vector<std::string>& series, const std::vector<core::Entry>& more = {}) {
    core::FigureRecord record{"fig", "A title", "", {}};
    record.settings.list = {texts("series", series)};
    record.settings.list.insert(record.settings.list.end(), more.begin(), more.end());
    return record;
}

std::string drawn(const core::StudyRecord& study, const core::FigureRecord& record) {
    const report::Figure planned = report::plan_figure(record, study);
    return script_of([&](std::ostream& script) {
        planned.kind == report::FigureKind::heatmap ? report::write_heatmaps(script, planned)
                                                    : report::write_lines(script, planned);
    });
}

core::StudyRecord study_of(const std::vector<core::Result>& quantities) {
    core::StudyRecord study;
    study.quantities = quantities;
    return study;
}

/// A profile has words for its value; the residual is another column.
core::Result profile(const std::string& name) {
    core::Result result = curve(name, 100, [](double n) { return std::exp(-n); });
    result.kind = "profile";
    result.series->columns.push_back({"cumulative", result.series->columns[1].values, {}});
    return result;
}

}  // namespace

TEST_CASE("the part of a long series within the range is drawn with all of its rows") {
    const core::StudyRecord study = study_of({curve("decay", 1'000'000, [](double n) { return std::exp(-n / 20); })});
    const std::vector<std::string> rows = block(drawn(study, figure({"decay"}, {range("x", 0, 100)})), "$data0");
    REQUIRE(rows.size() == 102);  // 0 to 100, and the row to which the last line leads
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const std::vector<double> point = numbers(rows[n]);
        REQUIRE(point.size() == 2);
        CHECK(point[0] == static_cast<double>(n));
        CHECK_THAT(point[1], WithinRel(std::exp(-static_cast<double>(n) / 20), 1e-15));
    }
    // Between two rows a part of the line lies within the range.
    CHECK(block(drawn(study, figure({"decay"}, {range("x", 10.2, 10.8)})), "$data0").size() == 2);
}

TEST_CASE("rows outside of the axis are dropped, except those to which a line leads") {
    const core::Result row = curve("row", 1000, [](double n) { return n; });
    const auto kept = [&](double from, double to, std::size_t most) {
        return report::thin_rows(*row.series, {.most = most, .columns = {1}, .from = from, .to = to});
    };
    using Rows = std::vector<std::size_t>;
    CHECK(kept(10, 13, 100) == Rows{9, 10, 11, 12, 13, 14});
    CHECK(kept(-5, 1, 100) == Rows{0, 1, 2});
    CHECK(kept(997.5, 2000, 100) == Rows{997, 998, 999});
    CHECK(kept(2000, 3000, 100).empty());
    // Stretches of the range, not of the series: 10 of 42 rows, 4 stretches of 10.25.
    const Rows thinned = kept(100, 140, 10);
    CHECK(thinned.front() == 99);
    CHECK(thinned.back() == 141);
    CHECK(thinned.size() >= 8);
}

TEST_CASE("of a cloud of many points one is drawn in each square of four pixels, and the picture says so") {
    core::Result cloud = curve("cloud", 100'000, [](double n) { return std::fmod(n * n, 1009) / 1009; });
    const core::StudyRecord study = study_of({cloud});
    const std::string script = drawn(study, figure({"cloud"}, {entry("kind", text_value("points"))}));
    CHECK_THAT(script, Contains("Of points closer than 4 pixels, one is drawn."));
    // The middle is filled like the edges.
    std::size_t middle = 0, all = 0;
    for (const std::string& line : block(script, "$data0")) {
        const double y = numbers(line)[1];
        middle += y > 0.4 && y < 0.6;
        ++all;
    }
    CHECK(all > 10'000);
    CHECK_THAT(static_cast<double>(middle) / static_cast<double>(all), WithinRel(0.2, 0.1));
    const core::StudyRecord few = study_of({curve("few", 2400, [](double n) { return n; })});
    CHECK(block(drawn(few, figure({"few"}, {entry("kind", text_value("points"))})), "$data0").size() == 2400);
}

TEST_CASE("a point beyond the end of its axis by a rounding is drawn at the end") {
    const core::StudyRecord study = study_of({curve("p", 3, [](double n) { return n == 1 ? 1 + 0x1p-52 : 1.1 * n; })});
    const std::string script = drawn(study, figure({"p"}, {entry("kind", text_value("points")), range("y", 0, 1)}));
    CHECK(block(script, "$data0") == std::vector<std::string>{"0 0", "1 1"});
}

TEST_CASE("a value without neighbours is a point, and the values that have no place are counted") {
    const core::StudyRecord study =
        study_of({curve("stride", 101, [](double n) { return std::fmod(n, 8) > 0 ? -INFINITY : -n; }),
                  curve("gaps", 101, [](double n) { return std::fmod(n, 2) > 0 ? NAN : n + 1; }),
                  curve("zeros", 101, [](double n) { return std::fmod(n, 2) > 0 ? 3 : 0; })});
    const std::string script = drawn(study, figure({"stride"}));
    CHECK(block(script, "$alone0").size() == 13);
    CHECK_THAT(script, Contains("$alone0 using 1:2 with points"));
    CHECK_THAT(script, Contains("Not drawn: 88 infinite values."));
    CHECK_THAT(drawn(study, figure({"gaps"})), Contains("Not drawn: 50 missing values."));
    CHECK_THAT(drawn(study, figure({"zeros"}, {axis("y", {"y", true})})),
               Contains("Not drawn: 51 values that are not above 0."));
    CHECK_THAT(drawn(study, figure({"zeros"})), !Contains("Not drawn") && !Contains("$alone"));
    // Only what the range shows counts.
    CHECK_THAT(drawn(study, figure({"stride"}, {range("x", 0, 8)})), Contains("Not drawn: 7 infinite values."));
}

TEST_CASE("a figure in which nothing can be seen is refused") {
    const core::StudyRecord study = study_of({curve("ramp", 2001, [](double n) { return n; }),
                                              curve("step", 3, [](double n) { return n < 2 ? 0 : 100; }),
                                              curve("wide", 11, [](double n) { return (n - 5) * 3e307; })});
    const auto problem = [&](const core::FigureRecord& record) {
        try {
            report::plan_figure(record, study);
        } catch (const core::UserError& error) {
            return error.diagnostics().front().found;
        }
        return std::string("none");
    };
    const std::string outside = "nothing of the series lies within the axes";
    // Each range has a part of the series, but not the same.
    CHECK(problem(figure({"ramp"}, {range("x", 0, 10), range("y", 100, 200)})) == outside);
    CHECK(problem(figure({"ramp"}, {range("x", 0, 100), range("y", 100, 200)})) == "none");
    // A line between two points crosses the axes; points do not.
    CHECK(problem(figure({"step"}, {range("x", 1.4, 1.6), range("y", 45, 55)})) == "none");
    CHECK(problem(figure({"step"}, {range("x", 1.9, 2), range("y", 45, 55)})) == outside);
    CHECK(problem(figure({"ramp"}, {range("x", 5.2, 5.8), entry("kind", text_value("points"))})) == outside);
    CHECK(problem(figure({"ramp"}, {range("x", 5.2, 5.8)})) == "none");
    CHECK(problem(figure({"wide"})) == "the values from -1.5e+308 to 1.5e+308 are too far apart for an axis");
    CHECK(problem(figure({"wide"}, {range("y", -1, 1)})) == "none");
}

TEST_CASE("an axis is named after what all its series show; otherwise their labels say what they show") {
    core::Result bias = curve("row", 10, [](double n) { return -n; });
    bias.evidence.facts = {{"setting.scheme", "alibi"}};
    const core::StudyRecord study =
        study_of({profile("shares"), bias, curve("own", 10, [](double n) { return -2 * n; })});
    const auto labels = [&](const core::FigureRecord& record) {
        std::vector<std::string> found;
        for (const report::Trace& trace : report::plan_figure(record, study).traces) found.push_back(trace.label);
        return found;
    };
    using Labels = std::vector<std::string>;
    const std::string share = "share of the attention at this distance";
    CHECK(labels(figure({"shares", "row"})) == Labels{"shares: " + share, "row: bias"});
    CHECK_THAT(drawn(study, figure({"shares", "row"})), !Contains("'" + share + "'"));
    CHECK_THAT(drawn(study, figure({"shares"})), Contains("'" + share + "'"));
    // The value of a formula may be anything, also a bias.
    CHECK(labels(figure({"own", "row"})) == Labels{"own", "row"});
    CHECK_THAT(drawn(study, figure({"own", "row"})), Contains("'bias' noenhanced"));
    CHECK(labels(figure({"shares", "row"}, {axis("y", {"y", false})})) == Labels{"shares", "row"});
}

TEST_CASE("a panel of a column has only this column") {
    const core::StudyRecord study = study_of({curve("row", 100, [](double n) { return -n; }), profile("shares")});
    const report::Figure planned = report::plan_figure(
        figure({"row", "shares"}, {texts("columns", {"value", "cumulative"}), entry("panels", text_value("column"))}),
        study);
    std::vector<std::pair<std::string, std::size_t>> found;
    for (const report::Trace& trace : planned.traces)
        found.emplace_back(trace.series->columns[trace.column].name, trace.panel);
    CHECK(found == std::vector<std::pair<std::string, std::size_t>>{{"value", 0}, {"value", 0}, {"cumulative", 1}});
    const report::Figure turned = report::plan_figure(
        figure({"shares", "row"}, {texts("columns", {"cumulative", "value"}), entry("panels", text_value("column"))}),
        study);
    for (const report::Trace& trace : turned.traces)
        CHECK(trace.panel == (trace.series->columns[trace.column].name == "value" ? 1 : 0));
}

TEST_CASE("the remark of heat maps is that of all of them, and tells the reasons for grey apart") {
    core::Result full = matrix("full", 3, [](double q, double k) { return q - k; });
    core::Result masked = matrix("masked", 3, [](double q, double k) { return k > q ? NAN : q - k; });
    core::Result infinite = matrix("infinite", 3, [](double q, double k) { return k > q ? INFINITY : q - k + 1; });
    core::Result large = matrix("large", 802, [](double q, double k) { return q - k; });
    core::StudyRecord study = study_of({full, masked, infinite, large});
    CHECK_THAT(drawn(study, figure({"full"})), !Contains("grey"));
    CHECK_THAT(drawn(study, figure({"full", "masked"})), Contains("'grey: masked'"));
    CHECK_THAT(drawn(study, figure({"infinite"})), Contains("'grey: infinite'"));
    CHECK_THAT(drawn(study, figure({"masked", "infinite"})), Contains("'grey: masked or infinite'"));
    CHECK_THAT(drawn(study, figure({"full"}, {axis("z", {"z", true})})), Contains("'grey: not above 0'"));
    CHECK_THAT(drawn(study, figure({"full", "large"})), Contains("'each cell is the mean of at most 3\u00d73 values'"));
}

TEST_CASE("apostrophes anywhere in a text can be drawn") {
    const Folder folder;
    core::StudyRecord study = study_of({curve("row", 3, [](double n) { return n; })});
    for (const char* text : {"'Train short, test long'", "f''(n)", "'", "''''", "a'b"}) {
        core::FigureRecord record = figure({"row"}, {axis("y", {text, false})});
        record.title = text;
        REQUIRE(report::draw_figure(record, study, folder.path()));
    }
    CHECK_THAT(content(folder.path("fig.svg")), Contains(">a'b<"));
}

TEST_CASE("marks of an axis have as many digits as tell them apart") {
    const core::StudyRecord study = study_of({curve("far", 101, [](double n) { return 1e12 + n; }),
                                              curve("near", 11, [](double n) { return 1 + n * 1e-12; })});
    CHECK_THAT(drawn(study, figure({"far"})), Contains("'1000000000020' 1000000000020"));
    CHECK_THAT(drawn(study, figure({"near"})), Contains("'1.000000000002' "));
}

TEST_CASE("a page has only figures of its own run, and says which could not be drawn") {
    const Folder folder;
    core::StudyRecord study = study_of({curve("row", 10, [](double n) { return n; })});
    study.study = "s";
    study.figures = {figure({"row"})};
    study.figures[0].title = "OLD TITLE";
    report::write_study(study, folder.path());
    REQUIRE_THAT(content(folder.path("report.html")), Contains("OLD TITLE"));
    study.figures[0].title = "NEW TITLE";
    study.figures[0].settings.list.push_back(range("x", 100, 200));
    CHECK_THROWS_AS(report::write_study(study, folder.path()), core::UserError);
    const std::string page = content(folder.path("report.html"));
    CHECK_THAT(page, !Contains("OLD TITLE") && Contains("figure fig failed: nothing of the series lies within"));
    CHECK_THAT(content(folder.path("results.json")), Contains("\"figure fig\": \"nothing of the series"));
    CHECK_FALSE(std::filesystem::exists(folder.path("fig.svg")));
    CHECK_FALSE(std::filesystem::exists(folder.path("fig.png")));
}

TEST_CASE("a figure that a run was not asked for is a loss") {
    const Folder folder;
    core::StudyRecord study = study_of({curve("row", 10, [](double n) { return n; })});
    study.study = "s";
    study.figures = {figure({"row"})};
    report::write_study(study, folder.path(), {.figures = false});
    study.figures.clear();
    CHECK(report::losses_of_writing(study, folder.path()).empty());
    study.not_computed = {"figure fig", "figure other"};
    CHECK(report::losses_of_writing(study, folder.path()) == std::vector<std::string>{"figure fig"});
}
