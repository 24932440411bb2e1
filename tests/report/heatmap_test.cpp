// Heat maps in the commands that gnuplot receives.
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "report/draw.hpp"
#include "report/sample.hpp"
#include "report/script.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;
using Catch::Matchers::WithinRel;

namespace {

using Strings = std::vector<std::string>;

/// value(row, column) over queries 10, 10 + step, ... and keys 5, 5.5, ...
template <typename Value>
core::Result map_of(std::size_t rows, std::size_t columns, Value value, double step = 10) {
    core::Result result;
    core::Series series;
    series.columns = {{"q", {}, {}}, {"k", {}, {}}, {"value", {}, {}}};
    series.variables = 2;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            series.columns[0].values.push_back(10 + step * static_cast<double>(row));
            series.columns[1].values.push_back(5 + 0.5 * static_cast<double>(column));
            series.columns[2].values.push_back(value(row, column));
        }
    }
    result.series = std::move(series);
    return result;
}

core::Result zeros(std::size_t rows, std::size_t columns) {
    return map_of(rows, columns, [](std::size_t, std::size_t) { return 0; });
}

report::Figure figure_of(const std::vector<core::Result>& maps) {
    report::Figure figure;
    figure.kind = report::FigureKind::heatmap;
    for (const core::Result& map : maps) {
        figure.traces.push_back({"map " + std::to_string(figure.traces.size()), &*map.series, 2, false});
    }
    return figure;
}

std::string drawn(const report::Figure& figure) {
    return script_of([&](std::ostream& script) { report::write_heatmaps(script, figure); });
}

std::string drawn(const std::vector<core::Result>& maps) {
    return drawn(figure_of(maps));
}

}  // namespace

TEST_CASE("a map has a cell for each query and key, at their places, the first query above") {
    const std::vector<core::Result> maps = {
        map_of(3, 2, [](std::size_t row, std::size_t column) { return 2.0 * static_cast<double>(row) + column; })};
    const std::string script = drawn(maps);
    CHECK(block(script, "$map0") == Strings{"0 1", "2 3", "4 5"});
    // Half a step beyond the outer queries 10 and 30 and keys 5 and 5.5.
    CHECK(line_after(script, "set xrange ") == "[4.75:5.75]");
    CHECK(line_after(script, "set yrange ") == "[35:5]");
    CHECK_THAT(script, Contains("plot $map0 matrix using (5+$1*0.5):(10+$2*10):3 with image notitle, $text0 "));
    CHECK(line_after(script, "set xtics ") == "noenhanced ('5' 5, '5.5' 5.5)");
    CHECK(line_after(script, "set ytics ") == "noenhanced ('10' 10, '20' 20, '30' 30)");
    CHECK(line_after(script, "set cbrange ") == "[0:5]");
    CHECK_THAT(script, Contains("'map 0' noenhanced") && !Contains("masked") && !Contains("mean of"));
    // The scale goes from 0 to 5: white letters on its dark colours.
    CHECK(block(script, "$text0") ==
          Strings{"5 10 0 16777215", "5.5 10 1 16777215", "5 20 2 16777215", "5.5 20 3 0", "5 30 4 0", "5.5 30 5 0"});
}

TEST_CASE("one query or one key has a cell of width 1") {
    const std::string script = drawn({zeros(1, 1)});
    CHECK(line_after(script, "set xrange ") == "[4.5:5.5]");
    CHECK(line_after(script, "set yrange ") == "[10.5:9.5]");
}

TEST_CASE("the letters of a map have a contrast of 4.5 on each colour of the scale, which may be logarithmic") {
    const bool log = GENERATE(false, true);
    std::vector<double> values;
    for (int at = 0; at <= 10; ++at) values.push_back(log ? std::exp(at) : at);
    const std::vector<core::Result> maps = {
        map_of(1, values.size(), [&](std::size_t, std::size_t column) { return values[column]; })};
    report::Figure figure = figure_of(maps);
    figure.z.log = log;
    std::string letters;
    for (const std::string& line : block(drawn(figure), "$text0")) letters += line.ends_with(" 0") ? 'b' : 'w';
    // viridis at 0, 0.1, ... 1 has the luminances 0.015, 0.026, 0.046, 0.076, 0.118, 0.227 (#21918C), 0.30, 0.40, ...:
    // white is better below sqrt(1.05*0.05) - 0.05 = 0.179. Source: matplotlib's viridis, by WCAG's formula.
    CHECK(letters == "wwwwwbbbbbb");
}

TEST_CASE("cells without a number are gaps, named as masked, and have no letters") {
    const std::vector<core::Result> maps = {map_of(2, 2, [](std::size_t row, std::size_t column) {
        return row < column ? -INFINITY : row > column ? NAN : -1 - static_cast<double>(row);
    })};
    const std::string script = drawn(maps);
    CHECK(block(script, "$map0") == Strings{"-1 NaN", "NaN -2"});
    CHECK(block(script, "$text0") == Strings{"5 10 \u22121 0", "5.5 20 \u22122 16777215"});
    CHECK_THAT(script, Contains("'grey: masked' noenhanced"));
}

TEST_CASE("a value that is not above zero is a gap if colours are logarithmic") {
    const std::vector<core::Result> maps = {
        map_of(1, 4, [](std::size_t, std::size_t column) { return static_cast<double>(column) / 2 - 0.5; })};
    report::Figure figure = figure_of(maps);
    figure.z.log = true;
    CHECK(block(drawn(figure), "$map0") == Strings{"NaN NaN 0.5 1"});
    CHECK(line_after(drawn(figure), "set cbrange ") == "[0.5:1]");
}

TEST_CASE("above 400 rows or columns a cell is the mean of a block and is drawn in its middle") {
    // 401 queries 2 apart and 3 keys: blocks of 2 x 2, the last of them cut.
    const auto value = [](std::size_t row, std::size_t column) {
        return static_cast<double>(row) + 1000.0 * static_cast<double>(column);
    };
    const std::vector<core::Result> maps = {map_of(401, 3, value, 2)};
    const std::string script = drawn(maps);
    const Strings cells = block(script, "$map0");
    REQUIRE(cells.size() == 201);
    // Rows 0 and 1, 2 and 3, 400 alone; columns 0 and 1, 2 alone.
    CHECK(cells[0] == "500.5 2000.5");
    CHECK(cells[1] == "502.5 2002.5");
    CHECK(cells[200] == "900 2400");
    CHECK_THAT(script, Contains("using (5.25+$1*1):(11+$2*4):3"));
    CHECK_THAT(script, Contains("'each cell is the mean of at most 2\u00d72 values' noenhanced"));
    CHECK(block(drawn({zeros(400, 2)}), "$map0").size() == 400);
    CHECK(block(drawn({zeros(2, 800)}), "$map0").front().size() == 2 * 400 - 1);
    CHECK(block(drawn({zeros(2, 801)}), "$map0").front().size() == 2 * 267 - 1);
}

TEST_CASE("the mean of a block is that of its values, and its gaps are named next to it") {
    const std::vector<core::Result> maps = {
        map_of(2, 402, [](std::size_t row, std::size_t column) { return row == 0 || column < 2 ? NAN : 6; })};
    const std::string script = drawn(maps);
    REQUIRE(block(script, "$map0").size() == 1);
    CHECK(block(script, "$map0").front().starts_with("NaN 6 6 "));
    CHECK_THAT(script, Contains("'each cell is the mean of at most 2\u00d72 values; grey: masked'"));
}

TEST_CASE(
    "numbers are drawn in up to twelve cells side by side, smaller in more than six, steps on the axes up to twelve") {
    struct Case {
        std::size_t maps, rows, columns;
        std::string text;  ///< a third as a cell has it, and the size of its letters
    };
    const Case each =
        GENERATE(Case{1, 6, 2, "0.333 10"}, Case{1, 2, 6, "0.333 10"}, Case{1, 7, 2, "0.33 8"},
                 Case{1, 2, 12, "0.33 8"}, Case{1, 13, 2, "none"}, Case{1, 2, 13, "none"}, Case{2, 3, 3, "0.333 10"},
                 Case{2, 4, 1, "0.33 8"}, Case{2, 6, 6, "0.33 8"}, Case{2, 7, 1, "none"});
    const std::vector<core::Result> maps(
        each.maps, map_of(each.rows, each.columns, [](std::size_t, std::size_t) { return 1.0 / 3; }));
    const std::string script = drawn(maps);
    const auto marks = [&](const char* axis) {
        const std::vector<double> all =
            numbers(lines_after(script, "set " + std::string(axis) + "tics noenhanced ").front());
        return all.size() / 2;
    };
    // A mark for each of few cells.
    if (each.rows <= 12) CHECK(marks("y") == each.rows);
    if (each.columns > 1 && each.columns <= 12) CHECK(marks("x") == each.columns);
    const bool has_text = script.find("$text") != script.npos;
    REQUIRE(has_text == (each.text != "none"));
    if (!has_text) return;
    const Strings cells = block(script, "$text0");
    CHECK(cells.size() == each.rows * each.columns);
    const std::size_t font = script.find("font ',", script.find("with labels")) + 7;
    const std::string text = cells.front().substr(0, cells.front().rfind(' '));
    CHECK(text.substr(text.rfind(' ') + 1) + " " + script.substr(font, script.find('\'', font) - font) == each.text);
}

TEST_CASE("all maps have one scale of colours") {
    const auto constant = [](double value) { return map_of(2, 2, [=](std::size_t, std::size_t) { return value; }); };
    struct Case {
        double first, second;
        bool log;
        double least, most;
    };
    // A single value is the lower end: of a unit, or of a decade.
    const Case each = GENERATE_COPY(Case{1, 3, false, 1, 3}, Case{3, 1, false, 1, 3}, Case{2, 2, false, 2, 3},
                                    Case{2, 2, true, 2, 20}, Case{NAN, 4, false, 4, 5}, Case{NAN, NAN, false, 0, 1},
                                    Case{2, 5, true, 2, 5});
    const std::vector<core::Result> maps = {constant(each.first), constant(each.second)};
    report::Figure figure = figure_of(maps);
    figure.z.log = each.log;
    const std::string script = drawn(figure);
    CHECK(numbers(line_after(script, "set cbrange ")) == std::vector<double>{each.least, each.most});
    figure.z.least = -2, figure.z.most = 7;
    if (!each.log) CHECK(line_after(drawn(figure), "set cbrange ") == "[-2:7]");
}

TEST_CASE("maps are squares side by side in rows, all within the picture") {
    struct Case {
        std::size_t maps, across, down;
    };
    const Case each = GENERATE(Case{1, 1, 1}, Case{2, 2, 1}, Case{3, 3, 1}, Case{4, 2, 2}, Case{5, 3, 2}, Case{6, 3, 2},
                               Case{7, 3, 3}, Case{8, 3, 3}, Case{10, 3, 4});
    const std::vector<core::Result> maps(each.maps, zeros(2, 2));
    report::Figure figure = figure_of(maps);
    // Whatever the lengths of titles and names.
    const std::size_t length = GENERATE(5, 300);
    figure.title = std::string(length, 'W');
    for (report::Trace& trace : figure.traces) trace.label = std::string(length, 'x');
    const std::string script = drawn(figure);
    const double height = report::picture_height(figure);
    const auto pixels = [&](const char* side, double of) {
        std::vector<double> found;
        for (const std::string& line : lines_after(script, std::string("set ") + side + "margin at screen "))
            found.push_back(numbers(line).at(0) * of);
        return found;
    };
    const std::vector<double> left = pixels("l", 880), right = pixels("r", 880), low = pixels("b", height),
                              high = pixels("t", height);
    REQUIRE(left.size() == each.maps);
    const double side = right[0] - left[0];
    for (std::size_t at = 0; at < each.maps; ++at) {
        // Eight digits of the share of the picture are written.
        CHECK(std::fabs(right[at] - left[at] - side) < 1e-3);
        CHECK(std::fabs(high[at] - low[at] - side) < 1e-3);
        CHECK((left[at] > 0 && right[at] < 880 && low[at] > 0 && high[at] < height));
        if (at % each.across > 0) CHECK(left[at] > right[at - 1]);
        if (at >= each.across) CHECK(high[at] < low[at - each.across]);
        if (at >= each.across) CHECK(left[at] == left[at - each.across]);
    }
    // The name of each of several maps is above its middle, that of the keys below the middle of a row.
    const auto places = [&](const std::string& text) {
        std::vector<std::pair<double, double>> found;
        for (const std::string& line : lines_after(script, "set label "))
            if (const std::size_t at = line.find("'" + text + "' noenhanced at "); at != line.npos) {
                const std::vector<double> place = numbers(line.substr(line.find(" at ", at)));
                found.emplace_back(place.at(0) * 880, place.at(1) * height);
            }
        return found;
    };
    if (length == 5) {
        const auto names = places("xxxxx");
        REQUIRE(names.size() == each.maps);
        for (std::size_t at = 0; each.maps > 1 && at < each.maps; ++at) {
            CHECK(std::fabs(names[at].first - (left[at] + right[at]) / 2) < 1e-3);
            CHECK(names[at].second > high[at]);
        }
        const auto keys = places("key position k"), queries = places("query position q");
        REQUIRE((keys.size() == 1 && queries.size() == 1));
        CHECK(std::fabs(keys[0].first - (left[0] + right[each.across - 1]) / 2) < 1e-3);
        CHECK(keys[0].second < low.back());
        CHECK(std::fabs(queries[0].second - (high[0] + low.back()) / 2) < 1e-3);
        CHECK(queries[0].first < left[0]);
    }
    CHECK(lines_after(script, "unset colorbox").size() == each.maps);
    // The scale is to the right of the first row and has its height.
    const std::vector<double> scale = numbers(line_after(script, "set colorbox user origin "));
    REQUIRE(scale.size() == 4);
    CHECK(scale[0] * 880 > right[each.across - 1]);
    CHECK(std::fabs(scale[3] * height - side) < 1e-3);
}

TEST_CASE("a picture of lines is about 560 pixels high") {
    const core::Result line = curve("line", 3, [](double n) { return n; });
    report::Figure figure;
    figure.traces.push_back({"line", &*line.series, 1, false});
    CHECK(report::picture_height(figure) > 440);
    CHECK(report::picture_height(figure) < 560);
}

TEST_CASE("the axes of a map are named after its positions in words") {
    const std::vector<core::Result> maps = {zeros(2, 2)};
    report::Figure figure = figure_of(maps);
    CHECK_THAT(drawn(figure), Contains("'key position k' noenhanced") && Contains("'query position q' noenhanced"));
    core::Series other = *maps[0].series;
    other.columns[0].name = "layer";
    figure.traces[0].series = &other;
    CHECK_THAT(drawn(figure), Contains("'layer' noenhanced"));
}
