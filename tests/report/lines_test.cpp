// Lines and points in the commands that gnuplot receives.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "report/draw.hpp"
#include "report/layout.hpp"
#include "report/metrics.hpp"
#include "report/sample.hpp"
#include "report/script.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;
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
std::vector<std::string> commands(const report::Figure& figure) {
    const std::string script = drawn(figure);
    std::vector<std::string> found = lines_after(script, "plot ");
    for (const std::string& next : lines_after(script, "     ")) found.push_back(next);
    return found;
}

/// The same without the markers of lines and without deviations.
std::vector<std::string> drawing(const report::Figure& figure) {
    std::vector<std::string> found = commands(figure);
    std::erase_if(found, [](const std::string& command) {
        return command.find("pointsize 0.7") != command.npos || command.find("yerrorbars") != command.npos;
    });
    return found;
}

std::vector<std::string> texts_of(const report::Figure& figure) {
    std::vector<std::string> found;
    for (const report::Text& text : report::layout_of(figure).texts) found.push_back(text.text);
    return found;
}

bool has_text(const report::Figure& figure, const std::string& text) {
    const std::vector<std::string> all = texts_of(figure);
    return std::find(all.begin(), all.end(), text) != all.end();
}

std::vector<double> range(const report::Figure& figure, const std::string& axis) {
    return numbers(line_after(drawn(figure), "set " + axis + "range "));
}

}  // namespace

TEST_CASE("an axis ends a little beyond the points that are drawn") {
    const double inf = std::numeric_limits<double>::infinity();
    // Three hundredths of the length at both ends of x, since the rows are few; a twenty-fifth of y.
    const std::vector<core::Series> all = {series_of({{0, 7}, {50, 5}, {60, 30}}),
                                           series_of({{100, 9}, {300, NAN}, {-inf, 40}, {NAN, -9}})};
    report::Figure figure = figure_of(all);
    CHECK(range(figure, "x") == std::vector<double>{-3, 103});
    CHECK(range(figure, "y") == std::vector<double>{4, 31});
    SECTION("points outside of the requested range do not count, its ends do") {
        figure.x.least = 50, figure.x.most = 60;
        CHECK(range(figure, "x") == std::vector<double>{50, 60});
        CHECK(range(figure, "y") == std::vector<double>{4, 31});
        figure.x.least = 0, figure.x.most = 50;
        CHECK(range(figure, "y") == std::vector<double>{5 - 0.08, 7 + 0.08});
    }
    SECTION("requested ends are kept") {
        figure.y.least = 6, figure.y.most = 7;
        CHECK(range(figure, "y") == std::vector<double>{6, 7});
        CHECK(range(figure, "x") == std::vector<double>{-3, 103});
    }
}

TEST_CASE("many rows leave a hundredth of the horizontal axis free") {
    const std::vector<core::Series> all = {slope(101)};
    CHECK(range(figure_of(all), "x") == std::vector<double>{-1, 101});
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
    CHECK_THAT(x[0], WithinRel(2 * std::pow(100, -0.03), few));
    CHECK_THAT(x[1], WithinRel(200 * std::pow(100, 0.03), few));
    CHECK_THAT(y[0], WithinRel(0.5 * std::pow(200, -0.04), few));
    CHECK_THAT(y[1], WithinRel(100 * std::pow(200, 0.04), few));
}

TEST_CASE("an axis of one value has it in its middle, and an empty axis is that of the unit or the first decade") {
    struct Case {
        double value;
        bool log;
        double least, most;
    };
    // A tenth to both sides, a half of the logarithm; about zero, the unit.
    const auto [value, log, least, most] =
        GENERATE(Case{2, false, 1.8, 2.2}, Case{-5, false, -5.5, -4.5}, Case{0, false, -1, 1},
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

TEST_CASE(
    "the points are written with all digits; points that cannot be drawn are gaps, or are left out if they have no "
    "coordinate") {
    const std::vector<core::Series> all = {
        series_of({{-1, 4}, {0, 5}, {0.5, 1}, {1, 1.0 / 3}, {2, 0}, {3, -2}, {4, INFINITY}, {INFINITY, 1}})};
    report::Figure figure = figure_of(all);
    CHECK(block(drawn(figure), "$data0") ==
          std::vector<std::string>{"-1 4", "0 5", "0.5 1", "1 0.33333333333333331", "2 0", "3 -2", "4 NaN"});
    figure.x.log = figure.y.log = true;
    CHECK(block(drawn(figure), "$data0") ==
          std::vector<std::string>{"0.5 1", "1 0.33333333333333331", "2 NaN", "3 NaN", "4 NaN"});
}

TEST_CASE("a line keeps 2400 points, as many as the picture has dots to tell them apart") {
    const std::vector<core::Series> all = {slope(2400), slope(2401)};
    const std::string script = drawn(figure_of(all));
    CHECK(block(script, "$data0").size() == 2400);
    CHECK(block(script, "$data1").size() < 2400);
    CHECK(block(script, "$data1").size() > 1200);
}

TEST_CASE("few data under a fit and single points are points, all else are lines unless points are requested") {
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
    CHECK((script.find("$data0 using 1:2 with lines") == script.npos) == each.are_points);
    CHECK((script.find("$data1 using 1:2 with lines") == script.npos) == (each.kind == points && !each.under_fit));
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

TEST_CASE("points and rough lines are drawn first, then smooth ones, fits last, each in the requested order") {
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
        looks.insert(trace.substr(trace.find("dashtype"), trace.find(" notitle") - trace.find("dashtype")));
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

TEST_CASE("axes are named in words where they are known, and after columns and labels otherwise") {
    const std::vector<core::Series> all = {slope(3), slope(3)};
    report::Figure figure = figure_of(all);
    CHECK((has_text(figure, "n") && has_text(figure, "value")));
    figure.traces.pop_back();
    CHECK(has_text(figure, "trace 0"));
    figure.traces[0].x_words = "distance (tokens)";
    figure.traces[0].y_words = "loss (nats)";
    CHECK((has_text(figure, "distance (tokens)") && has_text(figure, "loss (nats)")));
    figure.x.label = "x", figure.y.label = "y";
    CHECK((has_text(figure, "x") && has_text(figure, "y") && !has_text(figure, "loss (nats)")));
}

TEST_CASE("a legend of up to four entries is above the plot, a longer one next to it, and one series has no legend") {
    const std::vector<core::Series> all(9, slope(2));
    for (std::size_t count = 1; count <= all.size(); ++count) {
        report::Figure figure = figure_of(all);
        figure.traces.resize(count);
        const report::Layout layout = report::layout_of(figure);
        CHECK(layout.samples.size() == (count == 1 ? 0 : count));
        const report::PanelPlace& plot = layout.panels.front();
        for (const report::Sample& sample : layout.samples) {
            CHECK((sample.y < plot.top) == (count <= 4));
            CHECK((sample.x > plot.left + plot.width) == (count > 4));
        }
    }
}

TEST_CASE("whatever the lengths of its texts, none leaves the picture or covers another") {
    // Words of one to thirty letters, as wide as letters are ("W") or narrow; a title of up to 600.
    const std::size_t length = GENERATE(1, 12, 70, 600), traces = GENERATE(1, 3, 4, 5, 12);
    const char letter = GENERATE('W', 'i');
    const auto text = [&](std::size_t most) {
        std::string result;
        for (std::size_t at = 0; at < std::min(length, most); ++at) result += at % 31 == 30 ? ' ' : letter;
        return result;
    };
    const std::vector<core::Series> all(traces, along(5, [](std::size_t n) { return 1e5 * static_cast<double>(n); }));
    report::Figure figure = figure_of(all);
    for (report::Trace& trace : figure.traces) {
        trace.label = text(200);
        trace.trained_length = 2;
    }
    figure.title = text(600);
    figure.source = text(300);
    figure.x.label = figure.y.label = text(300);
    const report::Layout layout = report::layout_of(figure);
    struct Box {
        double left, top, right, bottom;
    };
    std::vector<Box> boxes;
    for (const report::Text& each : layout.texts) {
        const double width = report::text_width(each.text, each.size), half = each.size * 0.5;
        const double from = each.align == report::Align::left    ? 0
                            : each.align == report::Align::right ? -width
                                                                 : -width / 2;
        boxes.push_back(each.upright ? Box{each.x - half, each.y - from - width, each.x + half, each.y - from}
                                     : Box{each.x + from, each.y - half, each.x + from + width, each.y + half});
    }
    for (const report::PanelPlace& panel : layout.panels)
        boxes.push_back({panel.left, panel.top, panel.left + panel.width, panel.top + panel.height});
    std::size_t outside = 0, covered = 0;
    for (std::size_t at = 0; at < boxes.size(); ++at) {
        const Box& box = boxes[at];
        outside += box.left < 0 || box.top < 0 || box.right > report::picture_width || box.bottom > layout.height;
        for (std::size_t other = 0; other < at; ++other) {
            const Box& that = boxes[other];
            covered += box.left < that.right && that.left < box.right && box.top < that.bottom && that.top < box.bottom;
        }
    }
    CHECK(outside == 0);
    CHECK(covered == 0);
    CHECK(layout.panels.front().width > 300);
}

TEST_CASE("a series of a few rows has a marker at each, a deviation has bars, a long one a light band") {
    core::Series series = slope(5);
    series.columns.push_back({"value_sd", std::vector<double>(5, 0.5), {}});
    core::Series many = slope(100);
    many.columns.push_back({"value_sd", std::vector<double>(100, 0.5), {}});
    const std::vector<core::Series> all = {series, many};
    report::Figure figure = figure_of(all);
    figure.traces[0].deviation = figure.traces[1].deviation = 2;
    const std::string script = drawn(figure);
    CHECK_THAT(script, Contains("$data0 using 1:2:3:4 with yerrorbars") && Contains("$data0 using 1:2 with points"));
    CHECK_THAT(script, Contains("$data1 using 1:3:4 with filledcurves") && !Contains("$data1 using 1:2 with points"));
    CHECK(block(script, "$data0")[2] == "2 2 1.5 2.5");
    // Eight markers on a long line.
    CHECK(block(script, "$marks1").size() == 8);
    CHECK(has_text(figure,
                   "Bars: one standard deviation over the seeds. Light bands: one standard deviation over the "
                   "seeds."));
}

TEST_CASE("thousands of oscillating points are a band from the least to the greatest at each pixel") {
    const std::vector<core::Series> all = {zigzag(20000)};
    const report::Figure figure = figure_of(all);
    const auto width = static_cast<std::size_t>(report::layout_of(figure).panels.front().width);
    const std::string script = drawn(figure);
    CHECK_THAT(script, Contains("$data0 using 1:2:3 with filledcurves"));
    std::vector<std::string> rows = block(script, "$data0");
    std::erase(rows, "");
    CHECK(rows.size() <= width);
    CHECK(rows.size() >= width - 20);
    for (const std::string& row : rows) CHECK_THAT(row, Catch::Matchers::EndsWith(" 10 11"));
    // At the left of a logarithmic axis, points are further apart than pixels: each of them is there, and no row is
    // empty, so that lines connect them.
    report::Figure by_decades = figure_of(all);
    by_decades.x.log = true;
    const std::vector<std::string> logarithmic = block(drawn(by_decades), "$data0");
    CHECK_THAT(drawn(by_decades), Contains("$data0 using 1:2:3 with filledcurves"));
    CHECK(std::count(logarithmic.begin(), logarithmic.end(), "") == 0);
    const auto is_alone = [](const std::string& row) { return row.ends_with(" 10 10") || row.ends_with(" 11 11"); };
    CHECK(std::count_if(logarithmic.begin(), logarithmic.end(), is_alone) > 50);
    // Up to two points a pixel they are a line.
    const std::vector<core::Series> few = {zigzag(2 * width - 2)};
    CHECK_THAT(drawn(figure_of(few)), Contains("$data0 using 1:2 with lines dashtype solid"));
}

TEST_CASE("a line is drawn at each trained length that is on the axis, with its number above") {
    const std::vector<core::Series> all = {slope(100), slope(100), slope(100)};
    report::Figure figure = figure_of(all);
    figure.traces[0].trained_length = 64, figure.traces[1].trained_length = 32, figure.traces[2].trained_length = 512;
    CHECK((has_text(figure, "trained on 32 tokens") && has_text(figure, "trained on 64 tokens")));
    CHECK_FALSE(has_text(figure, "trained on 512 tokens"));
    figure.x.label = "context (bytes)";
    CHECK(has_text(figure, "trained on 32 bytes"));
    figure.x.label = "context (log scale)";
    CHECK(has_text(figure, "trained on 32 tokens"));
    figure.x.label.clear();
    CHECK_THAT(drawn(figure), Contains("from first 32, graph 0 to first 32, graph 1") &&
                                  Contains("from first 64, graph 0 to first 64, graph 1") && !Contains("first 512"));
}

TEST_CASE("points of two axes with the same range have a diagonal, and their names next to them") {
    const std::vector<core::Series> all = {series_of({{0.1, 0.2}, {0.11, 0.2}, {0.9, 0.8}})};
    report::Figure figure = figure_of(all);
    figure.kind = report::FigureKind::points;
    figure.traces[0].point_names = {"one", "two", "three"};
    CHECK_FALSE(report::has_diagonal(figure));
    figure.x.least = figure.y.least = 0, figure.x.most = figure.y.most = 1;
    CHECK(report::has_diagonal(figure));
    CHECK_THAT(drawn(figure), Contains("from graph 0, graph 0 to graph 1, graph 1"));
    CHECK((has_text(figure, "one") && has_text(figure, "two") && has_text(figure, "three")));
    figure.y.most = 2;
    CHECK_FALSE(report::has_diagonal(figure));
    // More points at one place than names find room around it.
    const std::vector<core::Series> crowd = {series_of(Points(500, {0.5, 0.5}))};
    report::Figure crowded = figure_of(crowd);
    crowded.kind = report::FigureKind::points;
    crowded.traces[0].point_names.assign(500, "a name of some length");
    const std::vector<std::string> texts = texts_of(crowded);
    const auto named = static_cast<std::size_t>(std::count(texts.begin(), texts.end(), "a name of some length"));
    CHECK(named > 10);
    CHECK(has_text(crowded, std::to_string(500 - named) + " points have no room for their names."));
}

TEST_CASE("panels form a grid; those of one quantity share their range, those of several do not") {
    const std::vector<core::Series> all = {slope(5), slope(50), slope(9), slope(11), slope(7)};
    report::Figure figure = figure_of(all);
    for (std::size_t at = 0; at < all.size(); ++at) {
        figure.traces[at].panel = at;
        figure.traces[at].look = 0;
        figure.panels.push_back({"panel " + std::to_string(at), ""});
    }
    const report::Layout shared = report::layout_of(figure);
    REQUIRE(shared.panels.size() == 5);
    CHECK(shared.samples.empty());
    for (const report::PanelPlace& panel : shared.panels) CHECK(panel.y.most == shared.panels[1].y.most);
    // Three beside each other, two below.
    CHECK(shared.panels[2].top == shared.panels[0].top);
    CHECK(shared.panels[3].top > shared.panels[0].top + shared.panels[0].height);
    CHECK(shared.panels[3].left == shared.panels[0].left);
    figure.shared_y = false;
    const report::Layout own = report::layout_of(figure);
    CHECK(own.panels[0].y.most < own.panels[1].y.most);
    CHECK(lines_after(drawn(figure), "plot ").size() == 5);
    // Titles are above the middles of their panels.
    for (std::size_t at = 0; at < own.panels.size(); ++at) {
        const std::string title = "panel " + std::to_string(at);
        const auto text = std::find_if(own.texts.begin(), own.texts.end(),
                                       [&](const report::Text& each) { return each.text == title; });
        REQUIRE(text != own.texts.end());
        CHECK(text->x == own.panels[at].left + own.panels[at].width / 2);
        CHECK(text->y < own.panels[at].top);
    }
    // Three panels are beside each other, four in two rows.
    for (const std::size_t count : {4, 3}) {
        figure.panels.resize(count);
        figure.traces.resize(count);
        const report::Layout few = report::layout_of(figure);
        CHECK(few.panels[1].top == few.panels[0].top);
        CHECK((few.panels[2].top == few.panels[0].top) == (count == 3));
    }
}

TEST_CASE("the title is above the figure, and the source below") {
    const std::vector<core::Series> all = {slope(3)};
    report::Figure figure = figure_of(all);
    figure.title = "T";
    CHECK(has_text(figure, "T"));
    CHECK_FALSE(has_text(figure, "Source: S"));
    figure.source = "S";
    CHECK(has_text(figure, "Source: S"));
}
