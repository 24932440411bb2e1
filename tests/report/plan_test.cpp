// What figures are made of, and which rows of long series are kept.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/plot.hpp>
#include <farfield/report/report.hpp>

#include "report/draw.hpp"
#include "report/figure.hpp"
#include "report/render.hpp"
#include "report/sample.hpp"
#include "report/series_file.hpp"
#include "report/thin.hpp"
#include "report/written_files.hpp"

using Catch::Matchers::Contains;
using namespace farfield;
using namespace farfield::tests;

namespace {

core::Value number(double value, std::string text = {}) {
    core::Value result;
    result.data = value;
    result.text = std::move(text);
    return result;
}

core::Value list(const std::vector<core::Value>& values) {
    core::Value result;
    result.data = core::List(values.begin(), values.end());
    return result;
}

core::Value table(std::vector<core::Entry> entries) {
    core::Entries keys;
    keys.list = std::move(entries);
    core::Value result;
    result.data = std::move(keys);
    return result;
}

/// What is wrong with a figure whose settings these are, one problem a line.
std::string problems_of(std::vector<core::Entry> settings) {
    core::Entries keys;
    keys.list = std::move(settings);
    core::Problems problems;
    report::check_figure(keys, {}, problems);
    std::string text;
    for (const core::Diagnostic& problem : problems.list()) text += problem.found + "\n";
    return text;
}

core::FigureRecord figure(std::vector<core::Entry> settings) {
    core::FigureRecord record{"fig", "", "", {}};
    record.settings.list = std::move(settings);
    return record;
}

/// Columns n, a and b.
core::Result wide(const std::string& name) {
    core::Result result = curve(name, 3, [](double n) { return n; });
    result.series->columns[1].name = "a";
    result.series->columns.push_back({"b", {7, 8, 9}, {}});
    return result;
}

/// Rows of (x, y).
core::Series series_of(const std::vector<double>& x, const std::vector<double>& y) {
    core::Series series;
    series.columns = {{"x", x, {}}, {"y", y, {}}};
    return series;
}

using Rows = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a range is a pair of a number and a larger one, above zero on a logarithmic axis") {
    const std::string pair = "'range' is not a pair of a number and a larger one\n";
    const core::Value text = text_value("x");
    const auto with = [](const core::Value& range, bool log = false) {
        core::Value is_log;
        is_log.data = log;
        return problems_of({texts("series", {"a"}), entry("y", table({entry("log", is_log), entry("range", range)}))});
    };
    const auto from_to = [](const core::Value& from, const core::Value& to) {
        return table({entry("from", from), entry("to", to)});
    };
    CHECK(with(list({number(1), number(2)})).empty());
    CHECK(with(from_to(number(1), number(2))).empty());
    for (const core::Value& wrong :
         {list({number(1)}), list({number(1), number(2), number(3)}), list({number(1), text}), list({text, number(1)}),
          list({number(2), number(2)}), list({number(2), number(1)}), table({entry("from", number(1))}),
          table({entry("from", number(1)), entry("two", number(2))}),
          table({entry("form", number(1)), entry("to", number(2))}),
          table({entry("from", number(1)), entry("to", number(2)), entry("by", number(1))}), number(1),
          from_to(text, number(2)), from_to(number(1), text)}) {
        CHECK(with(wrong) == pair);
    }
    CHECK(with(list({number(0, "0"), number(2)}), true) == "a logarithmic axis cannot start at 0\n");
    CHECK(with(list({number(0.5), number(2)}), true).empty());
    CHECK(with(list({number(-1), number(2)})).empty());
    core::Problems problems;
    core::Entries settings;
    settings.list = {entry("x", table({entry("range", from_to(number(-3), number(4)))}))};
    const report::Axis axis = report::read_axis(settings, "x", problems);
    CHECK(axis.least == -3);
    CHECK(axis.most == 4);
    CHECK_FALSE(axis.log);
    CHECK_FALSE(report::read_axis(settings, "y", problems).least);
}

TEST_CASE("a figure's lists are not empty and name nothing twice, but labels may be alike") {
    CHECK(problems_of({texts("series", {"a", "b", "a"})}) == "'a' is listed twice in 'series'\n");
    CHECK(problems_of({texts("series", {"a"}), texts("columns", {"c", "c"})}) == "'c' is listed twice in 'columns'\n");
    CHECK(problems_of({texts("series", {"a"}), texts("labels", {"c", "c"})}).empty());
    CHECK(problems_of({texts("series", {"a"}), texts("labels", {})}) == "'labels' is empty\n");
    CHECK(problems_of({texts("series", {"a", "b"})}).empty());
    CHECK(problems_of({entry("series", text_value("a"))}).empty());
}

TEST_CASE("a figure draws the requested columns, or the first after the variables") {
    core::StudyRecord study;
    study.quantities = {wide("w"), matrix("m", 2, [](double, double) { return 1; })};
    const auto planned = [&](std::vector<core::Entry> settings) {
        return report::plan_figure(figure(std::move(settings)), study);
    };
    const report::Figure first = planned({texts("series", {"w"})});
    REQUIRE(first.traces.size() == 1);
    CHECK(first.traces[0].column == 1);
    CHECK(first.traces[0].label == "w");
    CHECK(first.kind == report::FigureKind::lines);
    CHECK(first.title == "fig");
    const report::Figure second = planned({texts("series", {"w"}), texts("columns", {"b"})});
    REQUIRE(second.traces.size() == 1);
    CHECK(second.traces[0].column == 2);
    CHECK(second.traces[0].label == "w");
    const report::Figure both = planned({texts("series", {"w"}), texts("columns", {"b", "a"})});
    REQUIRE(both.traces.size() == 2);
    CHECK(both.traces[0].label == "w: a");
    CHECK(both.traces[1].label == "w: b");
    CHECK(planned({texts("series", {"m"})}).kind == report::FigureKind::heatmap);
    CHECK(planned({texts("series", {"m"})}).traces[0].column == 2);
    CHECK(planned({texts("series", {"w"}), entry("kind", text_value("points"))}).kind == report::FigureKind::points);
    CHECK_THROWS_AS(planned({texts("series", {"m"}), entry("kind", text_value("lines"))}), core::UserError);
    CHECK_THROWS_AS(planned({texts("series", {"w"}), texts("columns", {"n"})}), core::UserError);
}

TEST_CASE("labels are given in order, unless a series is absent") {
    core::StudyRecord study;
    study.quantities = {wide("w"), wide("v")};
    const auto labels = [&](const std::vector<std::string>& series) {
        std::string text;
        for (const report::Trace& trace :
             report::plan_figure(figure({texts("series", series), texts("labels", {"one", "two"})}), study).traces) {
            text += trace.label + " ";
        }
        return text;
    };
    CHECK(labels({"v", "w"}) == "one two ");
    CHECK(labels({"v", "none"}) == "v ");
}

TEST_CASE("a fit is marked as one, and a series without rows cannot be drawn") {
    core::StudyRecord study;
    study.quantities = {wide("w"), wide("f"), curve("empty", 0, [](double n) { return n; })};
    study.quantities[1].kind = "fit";
    const report::Figure planned = report::plan_figure(figure({texts("series", {"w", "f"})}), study);
    CHECK_FALSE(planned.traces[0].is_fit);
    CHECK(planned.traces[1].is_fit);
    CHECK_THROWS_AS(report::plan_figure(figure({texts("series", {"empty"})}), study), core::UserError);
}

TEST_CASE("thinning keeps the least and greatest value and the first gap of each stretch, and both ends") {
    // Two stretches: 6 rows of 11, less 2 for the ends, at 2 a stretch; x is cut at 5.
    const std::vector<double> x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const auto kept = [](const core::Series& series, std::size_t most, bool log = false, Rows columns = {}) {
        return report::thin_rows(series, {most, log, std::move(columns)});
    };
    CHECK(kept(series_of(x, {5, 5, 9, 5, 1, 5, 5, 2, 5, 8, 5}), 6) == Rows{0, 2, 4, 7, 9, 10});
    CHECK(kept(series_of(x, {5, NAN, NAN, 9, 1, 5, 5, NAN, 2, 8, 5}), 6) == Rows{0, 1, 3, 4, 7, 8, 9, 10});
    // Of equal values the first stays.
    CHECK(kept(series_of(x, std::vector<double>(11, 3)), 6) == Rows{0, 5, 10});
    CHECK(kept(series_of(x, std::vector<double>(11, NAN)), 6) == Rows{0, 5, 10});
    // The axis is cut, not the rows: 0 to 2 lie left of the half of [0, 100].
    const std::vector<double> uneven = {0, 1, 49, 51, 52, 53, 54, 55, 56, 57, 100};
    CHECK(kept(series_of(uneven, {5, 9, 1, 5, 5, 2, 5, 8, 5, 5, 5}), 6) == Rows{0, 1, 2, 5, 7, 10});
    // The logarithm's half of [1, 10000] is at 100; what is not above zero is of the first stretch.
    const std::vector<double> decades = {-1, 0, 1, 10, 99, 101, 200, 300, 400, 500, 10000};
    CHECK(kept(series_of(decades, {5, 9, 5, 5, 1, 5, 2, 8, 5, 5, 5}), 6, true) == Rows{0, 1, 4, 6, 7, 10});
    // Without a logarithmic axis the half is at 4999.5.
    CHECK(kept(series_of(decades, {5, 9, 5, 5, 1, 5, 2, 8, 5, 5, 5}), 6) == Rows{0, 1, 4, 10});
    // Not sorted, or all in one place: cut by row, from 11 / 2 rounded up.
    const std::vector<double> values = {5, 5, 9, 5, 1, 5, 5, 2, 5, 8, 5};
    for (const std::vector<double>& odd :
         {std::vector<double>{3, 1, 2, 0, 5, 4, 6, 7, 8, 9, 10}, std::vector<double>(11, 2),
          std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, INFINITY},
          std::vector<double>{-INFINITY, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}) {
        CHECK(kept(series_of(odd, values), 6) == Rows{0, 2, 4, 7, 9, 10});
    }
    CHECK(kept(series_of(std::vector<double>(11, -1), values), 6, true) == Rows{0, 2, 4, 7, 9, 10});
}

TEST_CASE("thinning heeds the columns that count, and shares the rows among them") {
    std::vector<double> x, up, peak, other;
    for (int row = 0; row < 100; ++row) {
        x.push_back(row);
        up.push_back(row);
        peak.push_back(row == 37 ? 1 : 0);
        other.push_back(row == 61 ? 1 : 0);
    }
    core::Series series = series_of(x, up);
    series.columns.push_back({"p", peak, {}});
    series.columns.push_back({"o", other, {}});
    const auto has = [](const Rows& rows, std::size_t row) {
        return std::binary_search(rows.begin(), rows.end(), row);
    };
    const Rows all = report::thin_rows(series, {50, false, {}}), one = report::thin_rows(series, {50, false, {2}});
    CHECK((has(all, 37) && has(all, 61)));
    CHECK((has(one, 37) && !has(one, 61)));
    // 8 stretches for three columns; 24 for one, of which each has one row more than the first only about the peak.
    CHECK(all.size() <= 50);
    CHECK(one.size() >= 24);
    CHECK(report::thin_rows(series, {100, false, {}}).size() == 100);
    CHECK(report::thin_rows(series, {99, false, {1}}).size() <= 99);
    // So few that one stretch is left.
    CHECK(report::thin_rows(series, {2, false, {2}}) == Rows{0, 37, 99});
    CHECK(report::thin_rows(series, {7, false, {}}) == Rows{0, 37, 61, 99});
}

TEST_CASE("a matrix is thinned by rows") {
    const core::Result map = matrix("m", 4, [](double q, double k) { return q == 1 && k == 2 ? 9 : 0; });
    // 8 rows in each of two stretches; row 6 holds the 9.
    CHECK(report::thin_rows(*map.series, {6, false, {}}) == Rows{0, 6, 8, 15});
}

TEST_CASE("npy names columns beyond ASCII in its version 3, whose header's length has four bytes") {
    core::Series series;
    series.columns = {{"\u03b8", {1}, {}}, {"a\\b", {2}, {}}};
    const std::string bytes = tests::npy_of(series);
    REQUIRE(bytes.size() > 12);
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x03\x00", 8));
    std::size_t header = 0;
    for (std::size_t byte = 0; byte < 4; ++byte)
        header += std::size_t{static_cast<unsigned char>(bytes[8 + byte])} << (8 * byte);
    CHECK((12 + header) % 64 == 0);
    CHECK(bytes.size() == 12 + header + 16);
    CHECK(bytes.substr(12).starts_with("{'descr': [('\u03b8', '<f8'), ('a\\\\b', '<f8'), ], "));
    // A header of more than 255 bytes.
    series.columns[1].name = std::string(300, 'x');
    const std::string longer = tests::npy_of(series);
    const std::size_t low = static_cast<unsigned char>(longer[8]), high = static_cast<unsigned char>(longer[9]);
    CHECK(longer.size() == 12 + low + 256 * high + 16);
    CHECK(high > 0);
}

TEST_CASE("a series of 100,000 rows is CSV, with names quoted if they contain a comma, a quote or a line break") {
    const core::Result edge = curve("edge", 100'000, [](double n) { return n; });
    CHECK(report::series_file(edge) == "edge.csv");
    CHECK(report::thinned_file(edge).empty());
    core::Series series;
    series.columns = {{"a\"b", {1}, {}}, {"c\nd", {2}, {}}, {"e\rf", {3}, {}}, {"g h", {4}, {}}};
    CHECK(report::series_csv(series) == "\"a\"\"b\",\"c\nd\",\"e\rf\",g h\n1,2,3,4\n");
    const core::Result longer = curve("long", 20'000, [](double n) { return n; });
    const std::string csv = report::thinned_csv(*longer.series);
    const auto rows = std::count(csv.begin(), csv.end(), '\n') - 1;
    CHECK((rows > 9900 && rows <= 10'000));
}

TEST_CASE("a plot on the terminal has 40 columns and 10 rows at least, and a series that can be drawn") {
    const core::Result row = curve("row", 30, [](double n) { return n + 1; });
    const auto plot = [&](std::size_t columns, std::size_t rows) {
        return report::terminal_plot(*row.series, {.title = "T", .columns = columns, .rows = rows});
    };
    const std::string least = plot(40, 10);
    CHECK(least.ends_with("\n"));
    CHECK_FALSE(least.ends_with("\n\n"));
    CHECK_FALSE(least.starts_with("\n"));
    CHECK(least.find(" \n") == std::string::npos);
    CHECK(least.find('\f') == std::string::npos);
    CHECK_THROWS_AS(plot(39, 10), core::PreconditionError);
    CHECK_THROWS_AS(plot(40, 9), core::PreconditionError);
    core::Series bare = *row.series;
    bare.columns.pop_back();
    CHECK_THROWS_AS(report::terminal_plot(bare), core::PreconditionError);
    // One column is named on its axis; two have a key below.
    const core::Result two = wide("w");
    CHECK(report::terminal_plot(*two.series).find("a **") != std::string::npos);
    CHECK(report::terminal_plot(*row.series).find("value **") == std::string::npos);
    const core::Result single = curve("one", 1, [](double) { return 2; });
    CHECK_FALSE(report::terminal_plot(*single.series).empty());
}

TEST_CASE("a figure is 880 pixels wide and as high as its parts need, and on paper twice that") {
    const core::Result row = curve("row", 30, [](double n) { return n; });
    report::Figure drawn;
    drawn.traces = {{"row", &*row.series, 1, false}};
    const std::string svg = report::render_svg(drawn), png = report::render_png(drawn);
    const int height = report::picture_height(drawn);
    CHECK(svg.find("viewBox=\"0 0 880 " + std::to_string(height) + "\"") != std::string::npos);
    // Width and height are big-endian at bytes 16 and 20 of a PNG.
    const auto size = [&](std::size_t at) {
        return 256 * static_cast<unsigned char>(png.at(at + 2)) + static_cast<unsigned char>(png.at(at + 3));
    };
    CHECK(size(16) == 1760);
    CHECK(size(20) == 2 * height);
}

TEST_CASE("files that an earlier run of the study wrote and this one does not are removed, and nothing else") {
    const Folder folder;
    core::StudyRecord study;
    study.study = "s";
    study.quantities = {curve("a", 2, [](double n) { return n; }), curve("b", 2, [](double n) { return n; })};
    report::write_study(study, folder.path(), {.figures = false});
    folder.write("c.csv", "mine");
    const std::string whole = content(folder.path("results.json"));
    study.quantities.pop_back();
    const auto is_there = [&](const char* name) { return std::filesystem::exists(folder.path(name)); };
    SECTION("by a run that was not interrupted") {
        study.interrupted = true;
        report::write_study(study, folder.path(), {.figures = false});
        CHECK(is_there("b.csv"));
        core::write_file(folder.path("results.json"), whole);
        study.interrupted = false;
        report::write_study(study, folder.path(), {.figures = false});
        CHECK_FALSE(is_there("b.csv"));
    }
    SECTION("by a run of the same study") {
        study.study = "other";
        report::write_study(study, folder.path(), {.figures = false});
        CHECK(is_there("b.csv"));
    }
    SECTION("but no path into another folder, no link, and no results.json") {
        std::filesystem::create_symlink("c.csv", folder.path("l.csv"));
        folder.write("sub/d.csv", "mine");
        report::remove_left_over(folder.path(),
                                 {"s", "", {"", "sub/d.csv", "l.csv", "results.json", "sub", "b.csv"}, {}}, {});
        CHECK(is_there("l.csv"));
        CHECK(is_there("sub/d.csv"));
        CHECK(is_there("results.json"));
        CHECK_FALSE(is_there("b.csv"));
    }
    CHECK(is_there("a.csv"));
    CHECK(is_there("c.csv"));
}

TEST_CASE("the files of an earlier run are read from its results.json, whatever else it holds") {
    const Folder folder;
    CHECK_FALSE(report::read_written_files(folder.path()));
    for (const char* wrong : {"", "[]", "{", "{\"quantities\": 3}", "<<<<<<< HEAD\n{\"study\": \"s\"}"}) {
        folder.write("results.json", wrong);
        CHECK_THROWS_WITH(report::read_written_files(folder.path()), Contains("not a results.json of farfield"));
    }
    folder.write("results.json",
                 R"({"study": "s", "file": 3, "quantities": {"a": {"series": "a.npy", "thinned": "a.csv"}, "b": 1},
                     "claims": [{"id": "A", "verdict": "refuted"}, {"id": "B", "verdict": "skipped"}], "figures": {"f g": {}}})");
    const auto found = report::read_written_files(folder.path());
    REQUIRE(found);
    CHECK(found->study == "s");
    CHECK(found->file.empty());
    CHECK(found->names == std::vector<std::string>{"a.npy", "a.csv", "", "", "f%20g.svg", "f%20g.png"});
    CHECK(found->computed == std::set<std::string>{"a", "b", "claim A", "figure f g"});
    core::StudyRecord study;
    study.not_computed = {"c", "b", "claim A", "claim B"};
    CHECK(report::losses_of_writing(study, folder.path()) == std::vector<std::string>{"b", "claim A"});
    CHECK(report::losses_of_writing(study, folder.path("elsewhere")).empty());
}

TEST_CASE("a series that is plotted alone is drawn as data, not as a fit") {
    const Folder folder;
    const core::Result row = curve("row", 100, [](double n) { return n; });
    report::plot_to_file(*row.series, folder.path("plain.svg"));
    report::Figure drawn;
    drawn.name = "plot";
    drawn.traces = {{"value", &*row.series, 1, false}};
    CHECK(content(folder.path("plain.svg")) == report::render_svg(drawn));
    drawn.traces[0].is_fit = true;
    CHECK(content(folder.path("plain.svg")) != report::render_svg(drawn));
}
