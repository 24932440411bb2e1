#include <catch2/catch.hpp>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/report/plot.hpp>
#include <farfield/report/report.hpp>

#include "report/figure.hpp"
#include "report/gnuplot.hpp"
#include "report/sample.hpp"

using namespace farfield;
using namespace farfield::tests;
using Catch::Contains;

namespace {

core::FigureRecord figure(std::vector<core::Entry> settings) {
    core::FigureRecord record{"fig", "A title", "A source", {}};
    record.settings.list = std::move(settings);
    return record;
}

/// Puts another PATH in place while it lives.
class SearchPath {
public:
    explicit SearchPath(const std::string& path) : before_(std::getenv("PATH")) { ::setenv("PATH", path.c_str(), 1); }
    ~SearchPath() { ::setenv("PATH", before_.c_str(), 1); }
    SearchPath(const SearchPath&) = delete;
    SearchPath& operator=(const SearchPath&) = delete;

private:
    std::string before_;
};

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("all files of a study are written") {
    const Folder folder;
    report::write_study(sample_study(), folder.path());
    for (const char* name : {"results.json", "row.csv", "fit.csv", "fig9.svg", "fig9.png", "report.html"}) {
        CHECK(std::filesystem::file_size(folder.path(name)) > 0);
    }
    CHECK(content(folder.path("fig9.png")).starts_with("\x89PNG"));
}

TEST_CASE("a figure's SVG has title, source, both series and no date") {
    const Folder folder;
    const core::StudyRecord study = sample_study();
    REQUIRE(report::draw_figure(study.figures[0], study, folder.path()));
    const std::string svg = content(folder.path("fig9.svg"));
    CHECK_THAT(svg, Contains("<title>The row and its fit</title>"));
    CHECK_THAT(svg, Contains("Source: Somebody 2023, Fig. 9"));
    CHECK_THAT(svg, Contains(">row<") && Contains(">fit<") && Contains(">distance<") && Contains(">bias<"));
    CHECK_THAT(svg, Contains("role=\"img\""));
    report::draw_figure(study.figures[0], study, folder.path());
    CHECK(content(folder.path("fig9.svg")) == svg);
}

TEST_CASE("texts of the user are drawn, never run or interpreted") {
    const Folder folder;
    const core::StudyRecord study = sample_study();
    core::FigureRecord record = figure({texts("series", {"row"}), axis("x", {"`touch " + folder.path("ran") + "`"}),
                                        axis("y", {"@a ${b} 'c' \"d\" \\n x_1^2"})});
    record.title = "a'; system \"touch " + folder.path("ran") + "\"; '\nsecond <line> & more";
    record.name = "../odd name";
    REQUIRE(report::draw_figure(record, study, folder.path()));
    CHECK_FALSE(std::filesystem::exists(folder.path("ran")));
    const std::string svg = content(folder.path("%2E.%2Fodd%20name.svg"));
    CHECK_THAT(svg, Contains("second &lt;line&gt; &amp; more"));
    CHECK_THAT(svg, Contains("x_1^2"));
}

TEST_CASE("the masked cells of a map are grey, and its numbers are drawn in it") {
    const Folder folder;
    core::StudyRecord study;
    study.quantities = {matrix("bias", 4, [](double q, double k) { return k > q ? -INFINITY : -(q - k) / 4; })};
    REQUIRE(report::draw_figure(figure({texts("series", {"bias"})}), study, folder.path()));
    const std::string svg = content(folder.path("fig.svg"));
    CHECK_THAT(svg, Contains("grey: masked") && Contains("image-rendering:pixelated"));
    // Distances 3, 2, 1, 0 stand 1, 2, 3 and 4 times in a causal matrix of 4 rows.
    CHECK(count(svg, ">\u22120.75<") == 1);
    CHECK_THAT(svg, !Contains("mean of"));
}

TEST_CASE("a map with more cells than the picture has dots shows means of blocks and says so") {
    const Folder folder;
    core::StudyRecord study;
    study.quantities = {matrix("bias", 401, [](double q, double k) { return q - k; })};
    REQUIRE(report::draw_figure(figure({texts("series", {"bias"})}), study, folder.path()));
    CHECK_THAT(content(folder.path("fig.svg")), Contains("each cell is the mean of at most 2\u00d72 values"));
}

TEST_CASE("a range of colours has some of the matrices' numbers") {
    const Folder folder;
    core::StudyRecord study;
    study.quantities = {matrix("bias", 6, [](double q, double k) { return k - q; })};
    const auto draw = [&](double least, double most) {
        core::Value range;
        range.data = core::List{{least, {}, ""}, {most, {}, ""}};
        core::Entries keys;
        keys.list.push_back(entry("range", range));
        core::Value table;
        table.data = std::move(keys);
        return report::draw_figure(figure({texts("series", {"bias"}), entry("z", table)}), study, folder.path());
    };
    CHECK(draw(-3, 0));
    CHECK(draw(-100, -5));
    CHECK_THROWS_WITH(draw(100, 200), Contains("no number of the matrices lies within the range of colours"));
}

TEST_CASE("a figure needs finite values, and a logarithmic axis values above 0") {
    const Folder folder;
    core::StudyRecord study;
    study.quantities = {curve("below", 10, [](double) { return -1; }), curve("none", 3, [](double) { return NAN; }),
                        curve("level", 3, [](double) { return 2; })};
    CHECK_THROWS_WITH(
        report::draw_figure(figure({texts("series", {"below"}), axis("y", {"y", true})}), study, folder.path()),
        Contains("no values above 0 for the logarithmic axis"));
    CHECK(report::draw_figure(figure({texts("series", {"below", "level"}), axis("y", {"y", true})}), study,
                              folder.path()));
    CHECK_THROWS_WITH(report::draw_figure(figure({texts("series", {"none"})}), study, folder.path()),
                      Contains("the series have no finite values"));
    CHECK(report::draw_figure(figure({texts("series", {"level"})}), study, folder.path()));
}

TEST_CASE("a logarithmic axis with less than three powers of ten names numbers between them") {
    struct Case {
        double first;
        double last;
        std::vector<std::string> named;
    };
    const std::vector<Case> cases = {{60, 1100, {">100<", ">200<", ">500<", ">1000<"}},  // 1, 2, 5
                                     {2.1, 2.9, {">2.2<", ">2.4<", ">2.6<", ">2.8<"}}};  // equal steps
    for (const Case& each : cases) {
        const Folder folder;
        core::StudyRecord study;
        study.quantities = {curve("row", 2, [&](double n) { return n == 0 ? each.first : each.last; })};
        REQUIRE(report::draw_figure(figure({texts("series", {"row"}), axis("y", {"y", true})}), study, folder.path()));
        for (const std::string& mark : each.named) CHECK_THAT(content(folder.path("fig.svg")), Contains(mark));
    }
}

TEST_CASE("a swept quantity means all its entries, and missing series are left out") {
    core::StudyRecord study;
    study.quantities = {curve("row[w=1]", 3, [](double n) { return n; }),
                        curve("row[w=2]", 3, [](double n) { return n; }), curve("rows", 3, [](double n) { return n; })};
    const report::Figure planned = report::plan_figure(figure({texts("series", {"row", "other"})}), study);
    REQUIRE(planned.traces.size() == 2);
    CHECK(planned.traces[1].label == "row, w = 2");
    CHECK(planned.absent == std::vector<std::string>{"other"});
    const Folder folder;
    CHECK_FALSE(report::draw_figure(figure({texts("series", {"other"})}), study, folder.path()));
}

TEST_CASE("figures that cannot be drawn as requested are input errors") {
    core::StudyRecord study;
    study.quantities = {curve("row", 3, [](double n) { return n; }),
                        matrix("map", 2, [](double q, double) { return q; })};
    study.quantities.emplace_back().name = "plain";
    const auto problem = [&](std::vector<core::Entry> settings) {
        try {
            report::plan_figure(figure(std::move(settings)), study);
        } catch (const core::UserError& error) {
            return error.diagnostics().front().found;
        }
        return std::string("none");
    };
    CHECK(problem({texts("series", {"plain"})}) == "'plain' () has no series to draw");
    CHECK(problem({texts("series", {"row", "map"})}) == "a matrix is drawn as a heat map");
    CHECK(problem({texts("series", {"row"}), entry("kind", text_value("heatmap"))}) ==
          "a heat map of what is not a matrix");
    CHECK(problem({texts("series", {"row"}), texts("labels", {"a", "b"})}) == "2 labels");
    CHECK(problem({texts("series", {"row"}), texts("columns", {"vlaue"})}) ==
          "'row' has none of the columns asked for");
    CHECK(problem({texts("series", {"row"}), texts("columns", {"value", "vlaue"})}) ==
          "no series has a column 'vlaue'");
    CHECK(problem({texts("series", {"row"}), texts("labels", {"a"})}) == "none");
}

TEST_CASE("the keys of a figure and of its axes are checked") {
    core::Problems problems;
    core::Entries settings;
    settings.list = {entry("kind", text_value("pie")), texts("serie", {"x"})};
    core::Value range;
    core::Value number;
    number.data = 3.0;
    range.data = core::List{number, number};
    core::Entries keys;
    keys.list = {entry("range", range), entry("lable", text_value("x"))};
    core::Value x;
    x.data = keys;
    settings.list.push_back(entry("x", x));
    report::check_figure(settings, {}, problems);
    std::string all;
    for (const core::Diagnostic& problem : problems.list()) all += problem.found + "\n";
    CHECK_THAT(all, Contains("'kind' cannot be 'pie'") && Contains("unknown key 'serie'") && !Contains("is missing") &&
                        Contains("unknown key 'lable'") && Contains("'range' is not a pair"));
}

TEST_CASE("without gnuplot the error names Debian's package, and the rest of the study is written") {
    const Folder folder;
    const SearchPath nowhere(folder.path());
    CHECK_THROWS_WITH(report::write_study(sample_study(), folder.path("out")), Contains("gnuplot-nox"));
    CHECK(std::filesystem::exists(folder.path("out/results.json")));
    CHECK(std::filesystem::exists(folder.path("out/report.html")));
    CHECK_FALSE(std::filesystem::exists(folder.path("out/fig9.svg")));
}

TEST_CASE("an error of gnuplot is reported with its message, and the program goes on") {
    const report::ScratchFolder scratch;
    const auto faulty = [](std::ostream& script) {
        script << "this is not a command\n";
        for (int line = 0; line < 100'000; ++line) script << "# more than a pipe holds\n";
    };
    CHECK_THROWS_WITH(report::run_gnuplot(scratch, faulty),
                      Contains("drawing with gnuplot") && Contains("invalid command"));
}

TEST_CASE("a plot in characters keeps to its width and height") {
    const core::Result row = curve("row", 1000, [](double n) { return std::sqrt(n); });
    const std::string text = report::terminal_plot(*row.series, {.title = "Roots", .columns = 60, .rows = 20});
    CHECK_THAT(text, Contains("Roots") && Contains("*"));
    CHECK(count(text, "\n") <= 20);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 60);
    const core::Result map = matrix("map", 2, [](double q, double) { return q; });
    CHECK_THROWS_AS(report::terminal_plot(*map.series), core::PreconditionError);
    CHECK_THROWS_AS(report::terminal_plot(core::Series{}), core::PreconditionError);
}

TEST_CASE("a plot is written in the format of its file's name") {
    const Folder folder;
    const core::Result map = matrix("map", 2, [](double q, double) { return q; });
    report::plot_to_file(*map.series, folder.path("a.svg"));
    report::plot_to_file(*map.series, folder.path("a.png"));
    CHECK_THAT(content(folder.path("a.svg")), Contains("<svg"));
    CHECK(content(folder.path("a.png")).starts_with("\x89PNG"));
    CHECK_THROWS_AS(report::plot_to_file(*map.series, folder.path("a.gif")), core::UserError);
}
