// Heat maps as gnuplot is told to draw them.
#include <catch2/catch.hpp>
#include <cmath>

#include "report/draw.hpp"
#include "report/sample.hpp"
#include "report/script.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Matchers::Contains;
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
    CHECK(lines_after(script, "set xtics ") == Strings{"autofreq", "0.5"});
    CHECK(lines_after(script, "set ytics ") == Strings{"autofreq", "10"});
    CHECK(line_after(script, "set cbrange ") == "[0:5]");
    CHECK(line_after(script, "set cblabel '") == "map 0' noenhanced");
    CHECK_THAT(script, !Contains("masked") && !Contains("mean of") && !Contains("set title"));
    // Black letters from 0.62 of the scale from 0 to 5, that is 3.1, white ones below.
    CHECK(block(script, "$text0") == Strings{"5 10 0 16777215", "5.5 10 1 16777215", "5 20 2 16777215",
                                             "5.5 20 3 16777215", "5 30 4 0", "5.5 30 5 0"});
}

TEST_CASE("one query or one key has a cell of width 1") {
    const std::string script = drawn({zeros(1, 1)});
    CHECK(line_after(script, "set xrange ") == "[4.5:5.5]");
    CHECK(line_after(script, "set yrange ") == "[10.5:9.5]");
}

TEST_CASE("the letters of a map are white below 0.62 of the scale of its colours, which may be logarithmic") {
    // 3 and 4 of 2 to 4.5 are 0.4 and 0.8 of the way; log(e^6.1 / 1) is 0.61 of log(e^10 / 1).
    const bool log = GENERATE(false, true);
    const std::vector<double> values =
        log ? std::vector<double>{1, std::exp(6.1), std::exp(6.3), std::exp(10)} : std::vector<double>{2, 3, 4, 4.5};
    report::Figure figure;
    const std::vector<core::Result> maps = {
        map_of(1, 4, [&](std::size_t, std::size_t column) { return values[column]; })};
    figure = figure_of(maps);
    figure.z.log = log;
    Strings ends;
    for (const std::string& line : block(drawn(figure), "$text0")) ends.push_back(line.substr(line.rfind(' ') + 1));
    CHECK(ends == Strings{"16777215", "16777215", "0", "0"});
}

TEST_CASE("cells without a number are gaps, named as masked, and have no letters") {
    const std::vector<core::Result> maps = {map_of(2, 2, [](std::size_t row, std::size_t column) {
        return row < column ? -INFINITY : row > column ? NAN : -1 - static_cast<double>(row);
    })};
    const std::string script = drawn(maps);
    CHECK(block(script, "$map0") == Strings{"-1 NaN", "NaN -2"});
    CHECK(block(script, "$text0") == Strings{"5 10 \u22121 0", "5.5 20 \u22122 16777215"});
    CHECK(line_after(script, "set label 1002 ").starts_with("'grey: masked' "));
}

TEST_CASE("what is not above zero is a gap where colours are logarithmic") {
    const std::vector<core::Result> maps = {
        map_of(1, 4, [](std::size_t, std::size_t column) { return static_cast<double>(column) / 2 - 0.5; })};
    report::Figure figure = figure_of(maps);
    figure.z.log = true;
    CHECK(block(drawn(figure), "$map0") == Strings{"NaN NaN 0.5 1"});
    CHECK(line_after(drawn(figure), "set cbrange ") == "[0.5:1]");
}

TEST_CASE("above 400 rows or columns a cell is the mean of a block and stands in its middle") {
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
    CHECK(line_after(script, "set label 1002 ").starts_with("'each cell is the mean of 2\u00d72 values' "));
    CHECK(block(drawn({zeros(400, 2)}), "$map0").size() == 400);
    CHECK(block(drawn({zeros(2, 800)}), "$map0").front().size() == 2 * 400 - 1);
    CHECK(block(drawn({zeros(2, 801)}), "$map0").front().size() == 2 * 267 - 1);
}

TEST_CASE("a block's mean is of the values that it has, and its gaps are named beside") {
    const std::vector<core::Result> maps = {
        map_of(2, 402, [](std::size_t row, std::size_t column) { return row == 0 || column < 2 ? NAN : 6; })};
    const std::string script = drawn(maps);
    REQUIRE(block(script, "$map0").size() == 1);
    CHECK(block(script, "$map0").front().starts_with("NaN 6 6 "));
    CHECK_THAT(script, Contains("'each cell is the mean of 2\u00d72 values; grey: masked'"));
}

TEST_CASE(
    "numbers stand in up to twelve cells side by side, smaller in more than six, steps on the axes up to twelve") {
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
    CHECK((lines_after(script, "set ytics ").size() == 2 * each.maps) == (each.rows <= 12));
    CHECK((lines_after(script, "set xtics ").size() == 2 * each.maps) == (each.columns <= 12));
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
    CHECK(line_after(script, "set cblabel '") == "' noenhanced");
    figure.z.least = -2, figure.z.most = 7;
    if (!each.log) CHECK(line_after(drawn(figure), "set cbrange ") == "[-2:7]");
}

TEST_CASE("maps are squares side by side in rows, centred, with their labels at the outer sides") {
    struct Case {
        std::size_t maps, across, down;
    };
    const Case each = GENERATE(Case{1, 1, 1}, Case{2, 2, 1}, Case{3, 3, 1}, Case{4, 2, 2}, Case{5, 3, 2}, Case{6, 3, 2},
                               Case{7, 3, 3}, Case{8, 3, 3}, Case{10, 3, 4});
    const std::vector<core::Result> maps(each.maps, zeros(2, 2));
    const report::Figure figure = figure_of(maps);
    const std::string script = drawn(figure);
    // In pixels: 880 wide, 84 left and 110 right of the maps, 46 between; 92 above, 96 below, 64 between; a map at most
    // 400. The first of each pair is the horizontal one.
    const double across = static_cast<double>(each.across), down = static_cast<double>(each.down);
    const double side = std::min(400.0, (880 - 84 - 110 - 46 * (across - 1)) / across);
    const double height = 92 + 96 + side * down + 64 * (down - 1);
    CHECK(report::picture_height(figure) == static_cast<int>(height));
    const double first = 84 + (880 - 84 - 110 - side * across - 46 * (across - 1)) / 2;
    // Eight digits are written.
    const auto agrees = [](const std::string& found, double expected) {
        const std::vector<double> number = numbers(found);
        REQUIRE(number.size() == 1);
        CHECK(std::fabs(number[0] - expected) <= 0.51e-8);
        CHECK(found.size() <= std::string_view("0.012345678").size());
    };
    const Strings left = lines_after(script, "set lmargin at screen "),
                  right = lines_after(script, "set rmargin at screen ");
    const Strings low = lines_after(script, "set bmargin at screen "),
                  high = lines_after(script, "set tmargin at screen ");
    REQUIRE(left.size() == each.maps);
    std::size_t inner = 0, covered = 0;
    for (std::size_t at = 0; at < each.maps; ++at) {
        const double column = static_cast<double>(at % each.across), row = static_cast<double>(at / each.across);
        const double x = first + column * (side + 46), y = 96 + (down - 1 - row) * (side + 64);
        agrees(left.at(at), x / 880);
        agrees(right.at(at), (x + side) / 880);
        agrees(low.at(at), y / height);
        agrees(high.at(at), (y + side) / height);
        inner += at % each.across > 0;
        covered += at + each.across < each.maps;
    }
    CHECK(lines_after(script, "unset ylabel").size() == inner);
    CHECK(lines_after(script, "set xlabel ''").size() == covered);
    CHECK(lines_after(script, "unset colorbox").size() == each.maps - 1);
    CHECK(lines_after(script, "set title ").size() == (each.maps > 1 ? each.maps : 0));
    // The scale: 16 pixels wide, 16 beside the first row, as high as it.
    const std::vector<double> scale = numbers(line_after(script, "set colorbox user origin "));
    REQUIRE(scale.size() == 4);
    const std::vector<double> wanted = {(first + across * (side + 46) - 46 + 16) / 880,
                                        (96 + (down - 1) * (side + 64)) / height, 16.0 / 880, side / height};
    for (std::size_t at = 0; at < 4; ++at) CHECK(std::fabs(scale[at] - wanted[at]) <= 0.51e-8);
}

TEST_CASE("a picture of lines is 560 pixels high") {
    CHECK(report::picture_height(report::Figure{}) == 560);
}

TEST_CASE("the axes of a map are named after its positions in words") {
    const std::vector<core::Result> maps = {zeros(2, 2)};
    report::Figure figure = figure_of(maps);
    CHECK(line_after(drawn(figure), "set xlabel ") == "'key position k' noenhanced");
    CHECK(line_after(drawn(figure), "set ylabel ") == "'query position q' noenhanced");
    core::Series other = *maps[0].series;
    other.columns[0].name = "layer";
    figure.traces[0].series = &other;
    CHECK(line_after(drawn(figure), "set ylabel ") == "'layer' noenhanced");
}
