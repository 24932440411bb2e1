// Lines and points as gnuplot is told to draw them.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "report/draw.hpp"
#include "report/sample.hpp"
#include "report/script.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::WithinRel;

namespace {

using Points = std::vector<std::pair<double, double>>;

core::Series series_of(const Points& points) {
    core::Series series;
    series.columns = {{"n", {}, {}}, {"value", {}, {}}};
    for (const auto& [x, y] : points) {
        series.columns[0].values.push_back(x);
        series.columns[1].values.push_back(y);
    }
    return series;
}

/// y(n) for n from 0.
template <typename Function>
core::Series along(std::size_t rows, Function y) {
    Points points;
    for (std::size_t n = 0; n < rows; ++n) points.emplace_back(n, y(n));
    return series_of(points);
}

core::Series slope(std::size_t rows) {
    return along(rows, [](std::size_t n) { return static_cast<double>(n); });
}

/// Up and down, a turn at each row but the two ends.
core::Series zigzag(std::size_t turns) {
    return along(turns + 2, [](std::size_t n) { return n % 2 == 0 ? 10.0 : 11.0; });
}

report::Figure figure_of(const std::vector<core::Series>& all) {
    report::Figure figure;
    for (const core::Series& series : all) {
        const std::string label = "trace " + std::to_string(figure.traces.size());
        figure.traces.push_back({label, &series, 1, false});
    }
    return figure;
}

std::string drawn(const report::Figure& figure) {
    return script_of([&](std::ostream& script) { report::write_lines(script, figure); });
}

/// How each trace is drawn, in the order of drawing: "$data3 using 1:2 with lines ...".
std::vector<std::string> drawing(const report::Figure& figure) {
    const std::string script = drawn(figure);
    std::vector<std::string> found = lines_after(script, "plot ");
    for (const std::string& next : lines_after(script, "     ")) found.push_back(next);
    return found;
}

std::vector<double> range(const report::Figure& figure, const std::string& axis) {
    return numbers(line_after(drawn(figure), "set " + axis + "range "));
}

}  // namespace

TEST_CASE("an axis ends a little beyond the points that are drawn") {
    const double inf = std::numeric_limits<double>::infinity();
    // A hundredth of the length at both ends of x, a twenty-fifth of y.
    const std::vector<core::Series> all = {series_of({{0, 7}, {50, 5}, {60, 30}}),
                                           series_of({{100, 9}, {300, NAN}, {-inf, 40}, {NAN, -9}})};
    report::Figure figure = figure_of(all);
    CHECK(range(figure, "x") == std::vector<double>{-1, 101});
    CHECK(range(figure, "y") == std::vector<double>{4, 31});
    SECTION("points outside of the range that is asked for do not count, its ends do") {
        figure.x.least = 50, figure.x.most = 60;
        CHECK(range(figure, "x") == std::vector<double>{50, 60});
        CHECK(range(figure, "y") == std::vector<double>{4, 31});
        figure.x.least = 0, figure.x.most = 50;
        CHECK(range(figure, "y") == std::vector<double>{5 - 0.08, 7 + 0.08});
    }
    SECTION("ends that are asked for stay") {
        figure.y.least = 6, figure.y.most = 7;
        CHECK(range(figure, "y") == std::vector<double>{6, 7});
        CHECK(range(figure, "x") == std::vector<double>{-1, 101});
    }
}

TEST_CASE("a logarithmic axis ends beyond the points by the same share of its decades") {
    const std::vector<core::Series> all = {
        series_of({{0, 5}, {1, 0}, {2, 1}, {3, 0.5}, {200, 100}, {20, -7}, {-4, 1000}})};
    report::Figure figure = figure_of(all);
    figure.x.log = figure.y.log = true;
    const std::vector<double> x = range(figure, "x"), y = range(figure, "y");
    REQUIRE((x.size() == 2 && y.size() == 2));
    // exp and log err by an ulp each, of arguments up to 5.3.
    const double few = 16 * std::numeric_limits<double>::epsilon();
    CHECK_THAT(x[0], WithinRel(2 * std::pow(100, -0.01), few));
    CHECK_THAT(x[1], WithinRel(200 * std::pow(100, 0.01), few));
    CHECK_THAT(y[0], WithinRel(0.5 * std::pow(200, -0.04), few));
    CHECK_THAT(y[1], WithinRel(100 * std::pow(200, 0.04), few));
}

TEST_CASE("an axis of one value has it in its middle, and one of none is that of the unit or the first decade") {
    struct Case {
        double value;
        bool log;
        double least, most;
    };
    // A tenth to both sides, a half of the logarithm; about zero, what is still a range.
    const auto [value, log, least, most] =
        GENERATE(Case{2, false, 1.8, 2.2}, Case{-5, false, -5.5, -4.5}, Case{0, false, -1e-300, 1e-300},
                 Case{3, true, 3 * std::exp(-0.5), 3 * std::exp(0.5)}, Case{NAN, false, 0, 1}, Case{NAN, true, 1, 10},
                 Case{-1, true, 1, 10});
    const std::vector<core::Series> all = {series_of({{1, value}, {2, value}})};
    report::Figure figure = figure_of(all);
    figure.y.log = log;
    const std::vector<double> found = range(figure, "y");
    REQUIRE(found.size() == 2);
    const double few = 8 * std::numeric_limits<double>::epsilon();
    CHECK_THAT(found[0], WithinRel(least, few));
    CHECK_THAT(found[1], WithinRel(most, few));
}

TEST_CASE("the points are written to ten digits; what cannot be drawn is a gap, or left out where it has no place") {
    const std::vector<core::Series> all = {
        series_of({{-1, 4}, {0, 5}, {0.5, 1}, {1, 1.0 / 3}, {2, 0}, {3, -2}, {4, INFINITY}, {INFINITY, 1}})};
    report::Figure figure = figure_of(all);
    CHECK(block(drawn(figure), "$data0") ==
          std::vector<std::string>{"-1 4", "0 5", "0.5 1", "1 0.3333333333", "2 0", "3 -2", "4 NaN"});
    figure.x.log = figure.y.log = true;
    CHECK(block(drawn(figure), "$data0") ==
          std::vector<std::string>{"0.5 1", "1 0.3333333333", "2 NaN", "3 NaN", "4 NaN"});
}

TEST_CASE("a line keeps 2400 points, as many as the picture has dots to tell them apart") {
    const std::vector<core::Series> all = {slope(2400), slope(2401)};
    const std::string script = drawn(figure_of(all));
    CHECK(block(script, "$data0").size() == 2400);
    CHECK(block(script, "$data1").size() < 2400);
    CHECK(block(script, "$data1").size() > 1200);
}

TEST_CASE("few data under a fit and single points are points, all else lines unless points are asked for") {
    struct Case {
        std::size_t rows;
        bool under_fit;
        report::FigureKind kind;
        bool are_points;
    };
    constexpr auto lines = report::FigureKind::lines, points = report::FigureKind::points;
    const Case each =
        GENERATE_COPY(Case{1, false, lines, true}, Case{2, false, lines, false}, Case{60, false, lines, false},
                      Case{60, true, lines, true}, Case{61, true, lines, false}, Case{61, true, points, true},
                      Case{2, false, points, true});
    const std::vector<core::Series> all = {slope(each.rows), slope(100)};
    report::Figure figure = figure_of(all);
    figure.kind = each.kind;
    figure.traces[1].is_fit = each.under_fit;
    const std::string script = drawn(figure);
    CHECK((script.find("$data0 using 1:2 with points") != script.npos) == each.are_points);
    CHECK((script.find("$data1 using 1:2 with points") != script.npos) == (each.kind == points && !each.under_fit));
    CHECK((script.find("linewidth 2.6") != script.npos) == each.under_fit);
}

TEST_CASE("a line that turns more than 60 times is solid and thin, others are dashed") {
    const auto stairs = [](double step) {
        return [=](std::size_t n) { return step * std::floor(static_cast<double>(n) / 2); };
    };
    const std::vector<core::Series> all = {zigzag(60),
                                           zigzag(61),
                                           along(200, stairs(1)),
                                           along(200, stairs(-1)),
                                           along(200, [](std::size_t n) { return 0.5 * static_cast<double>(n); }),
                                           along(63, [](std::size_t n) { return n % 2 == 0 ? -11 : -10; })};
    report::Figure figure = figure_of(all);
    const std::string script = drawn(figure);
    for (const std::size_t trace : {0, 1, 2, 3, 4, 5}) {
        const std::string start = "$data" + std::to_string(trace) + " using 1:2 with lines dashtype ";
        const bool rough = script.find(start + "solid linewidth 1.2 ") != script.npos;
        CHECK(rough == (trace == 1 || trace == 5));
        CHECK((script.find(start) != script.npos));
    }
}

TEST_CASE("points and rough lines are drawn first, then smooth ones, fits last, each in the order asked for") {
    const std::vector<core::Series> all = {slope(100), slope(100), zigzag(61), slope(100), slope(1), slope(100)};
    report::Figure figure = figure_of(all);
    figure.traces[0].is_fit = figure.traces[5].is_fit = true;
    std::string order;
    for (const std::string& trace : drawing(figure)) order += trace.substr(0, 6) + ' ';
    CHECK(order == "$data2 $data4 $data1 $data3 $data0 $data5 ");
}

TEST_CASE("no two of 42 lines look alike, and points have seven markers") {
    const std::vector<core::Series> all(42, slope(100));
    report::Figure figure = figure_of(all);
    std::set<std::string> looks;
    std::vector<std::string> colours, dashes;
    for (const std::string& trace : drawing(figure)) {
        dashes.push_back(trace.substr(trace.find("dashtype"), trace.find(" linewidth") - trace.find("dashtype")));
        looks.insert(trace.substr(trace.find("dashtype"), trace.find(" title") - trace.find("dashtype")));
        colours.push_back(trace.substr(trace.find("rgb '#"), 13));
        CHECK_THAT(trace, Contains(" linewidth 2 "));
    }
    CHECK(looks.size() == 42);
    REQUIRE(colours.size() == 42);
    CHECK(std::set<std::string>(colours.begin(), colours.end()).size() == 7);
    for (std::size_t at = 7; at < 42; ++at) CHECK(colours[at] == colours[at - 7]);
    // After seven lines the colours start again, the dashes with the second.
    CHECK(dashes[7] == dashes[1]);
    CHECK(dashes[14] == dashes[2]);
    figure.kind = report::FigureKind::points;
    // gnuplot's full circle, square, triangle and diamond, open circle, triangle on its tip, open square.
    const std::vector<std::string> markers = {"7 ", "5 ", "9 ", "13 ", "6 ", "11 ", "4 "};
    const std::vector<std::string> points = drawing(figure);
    for (std::size_t at = 0; at < 14; ++at) {
        CHECK_THAT(points.at(at), Contains(" with points pointtype " + markers[at % 7]));
    }
}

TEST_CASE(
    "the axes of one line are named after its columns and label, those of several after the first one's columns") {
    const std::vector<core::Series> all = {slope(3), slope(3)};
    report::Figure figure = figure_of(all);
    CHECK(line_after(drawn(figure), "set xlabel ") == "'n' noenhanced");
    CHECK(line_after(drawn(figure), "set ylabel ") == "'value' noenhanced");
    figure.traces.pop_back();
    CHECK(line_after(drawn(figure), "set ylabel ") == "'trace 0' noenhanced");
    figure.y.label = "y";
    CHECK(line_after(drawn(figure), "set ylabel ") == "'y' noenhanced");
}

TEST_CASE("a legend stands above in as many columns as fit, or beside where it would be tall") {
    struct Case {
        std::size_t traces, longest;
        std::string expected;  ///< columns and upper margin; or "beside"; or "none"
    };
    // A line of 770 pixels, 8 a character, and 8 characters for the sample; a row needs a margin of 1.2 lines.
    const Case each = GENERATE(Case{1, 5, "none"}, Case{2, 5, "2 4.8"}, Case{12, 0, "12 4.8"}, Case{13, 0, "12 6"},
                               Case{7, 8, "6 6"}, Case{5, 12, "4 6"}, Case{3, 150, "1 7.2"}, Case{6, 28, "2 7.2"},
                               Case{7, 28, "beside"}, Case{7, 29, "2 8.4"});
    const std::vector<core::Series> all(each.traces, slope(2));
    report::Figure figure = figure_of(all);
    for (report::Trace& trace : figure.traces) trace.label = std::string(std::min<std::size_t>(each.longest, 1), 'x');
    figure.traces[each.traces / 2].label = std::string(each.longest, 'x');
    const std::string script = script_of([&](std::ostream& out) { report::write_legend(out, figure); });
    const std::string key = line_after(script, "set key "), margin = line_after(script, "set tmargin ");
    if (each.expected == "none") {
        CHECK_THAT(script, Contains("unset key\n"));
        CHECK(margin == "3.2");
    } else if (each.expected == "beside") {
        CHECK_THAT(key, Contains("outside right top vertical"));
        CHECK(margin == "3.2");
    } else {
        const std::size_t at = key.find("maxcols ");
        REQUIRE(at != key.npos);
        CHECK(key.substr(at + 8, key.find(' ', at + 8) - at - 8) + " " + margin == each.expected);
    }
}

TEST_CASE("a logarithmic axis with less than three powers of ten has marks between, at least three") {
    struct Case {
        double least, most;
        std::vector<double> marks;
    };
    const Case each =
        GENERATE(Case{1, 100, {}}, Case{0.9, 1000.5, {}},  // powers alone
                 Case{60, 1100, {100, 200, 500, 1000}}, Case{1, 50, {1, 2, 5, 10, 20, 50}},
                 Case{0.5, 99, {0.5, 1, 2, 5, 10, 20, 50}}, Case{1.5, 15, {2, 5, 10}},
                 // Equal steps: 1, 1/2 or 1/5 of a power of ten, between three and ten of them.
                 Case{1.5, 9, {2, 3, 4, 5, 6, 7, 8, 9}}, Case{3.5, 6.5, {4, 5, 6}},
                 Case{3.5, 6, {3.5, 4, 4.5, 5, 5.5, 6}}, Case{1.11, 1.23, {1.12, 1.14, 1.16, 1.18, 1.2, 1.22}},
                 Case{2.05, 2.95, {2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9}});
    const report::Axis axis = {"", true, each.least, each.most};
    const std::string script = script_of([&](std::ostream& out) { report::write_axis(out, "x", axis, "n"); });
    const std::vector<std::string> marks = lines_after(script, "set xtics ");
    const std::vector<double> found = marks.empty() ? std::vector<double>() : numbers(marks.front());
    REQUIRE(found.size() == each.marks.size());
    // A whole number times a step that is rounded.
    for (std::size_t at = 0; at < found.size(); ++at) CHECK_THAT(found[at], WithinRel(each.marks[at], 4e-16));
    if (!marks.empty()) CHECK(marks.front().find("(,") == std::string::npos);
    CHECK_THAT(script, Contains("set logscale x 10\n"));
    CHECK(numbers(line_after(script, "set xrange ")) == std::vector<double>{each.least, each.most});
}

TEST_CASE("an axis without both of its ends has no range") {
    for (const report::Axis& axis : {report::Axis{}, report::Axis{"", false, 1.0, {}}, report::Axis{"", true, {}, 2.0},
                                     report::Axis{"", true, 1.0, {}}}) {
        const std::string script = script_of([&](std::ostream& out) { report::write_axis(out, "x", axis, "n"); });
        CHECK_THAT(script, !Contains("range") && !Contains("xtics"));
    }
}

TEST_CASE("the source has a label of its own beside the title's") {
    report::Figure figure;
    figure.title = "T";
    const auto style = [&] { return script_of([&](std::ostream& out) { report::write_style(out, figure); }); };
    CHECK(lines_after(style(), "set label 1000 'T' ").size() == 1);
    CHECK(lines_after(style(), "set label ").size() == 1);
    figure.source = "S";
    CHECK(lines_after(style(), "set label 1001 'Source: S' ").size() == 1);
}
