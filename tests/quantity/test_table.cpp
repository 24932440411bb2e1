#include <catch2/catch.hpp>
#include <cmath>

#include "compute.hpp"
#include "quantity/kinds.hpp"
#include "support/folder.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

const char* const inline_table = R"(
rows = [512, 1024]
columns = ["L_ex", "w=40", "w=160"]
cells = [["512", "8.27", "6.41"], ["1024", 8.27, "-"]]
exact = ["L_ex"]
)";

TEST_CASE("a printed cell stands for the interval that rounds to it") {
    const core::Result result = compute(table_kind(), inline_table);
    const core::Cell* cell = result.table->find("512", "w=40");
    REQUIRE(cell);
    CHECK(cell->number == 8.27);
    CHECK(cell->printed == "8.27");
    CHECK(cell->rigour == core::Rigour::rounding);
    // Half a unit of the last printed digit: [8.265, 8.275].
    CHECK(cell->enclosure->contains(8.2650001));
    CHECK(cell->enclosure->contains(8.2749999));
    CHECK_FALSE(cell->enclosure->contains(8.2649));
    CHECK_FALSE(cell->enclosure->contains(8.2751));
}

TEST_CASE("a number of the file keeps the digits as written") {
    const core::Result result = compute(table_kind(), "rows=[1]\ncolumns=['a']\ncells=[[5.50]]");
    CHECK(result.table->cells[0].printed == "5.50");
    CHECK_FALSE(result.table->cells[0].enclosure->contains(5.51));
}

TEST_CASE("an exact column has no rounding interval and a dash has no number") {
    const core::Result result = compute(table_kind(), inline_table);
    CHECK(result.table->find("1024", "L_ex")->enclosure == core::Enclosure::exactly(1024));
    CHECK(result.table->find("1024", "L_ex")->rigour == core::Rigour::exact);
    CHECK_FALSE(result.table->find("1024", "w=160")->number);
    CHECK(result.find("numbers")->number == 5);
}

TEST_CASE("an exact cell is the decimal as written, which need not be a double") {
    const core::Result result =
        compute(table_kind(), "rows=[1, 2]\ncolumns=['a']\ncells=[['0.1'], ['9007199254740993']]\nexact=true");
    CHECK(result.table->cells[0].rational == "0.1");
    CHECK(result.table->cells[1].rational == "9007199254740993");
    CHECK(result.table->cells[0].rigour == core::Rigour::exact);
}

TEST_CASE("cells can be selected by the numbers of their row and column") {
    const core::Result result = compute(table_kind(), inline_table);
    REQUIRE(result.series);
    CHECK(result.series->variables == 2);
    // Row 0, column 1 is "8.27"; row 1, column 2 is the dash.
    CHECK(result.series->columns[2].values[1] == 8.27);
    CHECK(result.series->columns[2].enclosures[1].contains(8.2650001));
    CHECK(std::isnan(result.series->columns[2].values[5]));
    CHECK(result.series->rigour == core::Rigour::rounding);
}

TEST_CASE("a CSV file names columns in its first line and rows in its first column") {
    const tests::Folder folder;
    folder.write("a.csv", "# from the paper\nL,Sandwich,\"RoPE, big\"\n512, 5.02 ,5.07\r\n\n1024,4.99,-\n");
    const std::string path = folder.path("a.csv");
    const core::Result result = compute(table_kind(), "file = '" + path + "'", {}, scheme::Registry::builtin(), "");
    CHECK(result.table->columns == std::vector<std::string>{"Sandwich", "RoPE, big"});
    CHECK(result.table->find("512", "Sandwich")->printed == "5.02");
    CHECK(result.table->find("512", "RoPE, big")->number == 5.07);
    CHECK_FALSE(result.table->find("1024", "RoPE, big")->number);
}

TEST_CASE("a TOML file holds the same keys, perhaps in a table of its own") {
    const tests::Folder folder;
    folder.write("b.toml", "[paper.t1]\nrows=['a']\ncolumns=['x']\ncells=[['1e-3']]\n");
    const std::string path = folder.path("b.toml");
    const core::Result result =
        compute(table_kind(), "file = '" + path + "'\nat = 'paper.t1'", {}, scheme::Registry::builtin(), "");
    CHECK(result.table->find("a", "x")->number == 1e-3);
    CHECK_THAT(refusal(table_kind(), "file = '" + path + "'\nat = 'paper.t2'", {}, scheme::Registry::builtin(), ""),
               Contains("no table 't2'") && Contains("Did you mean 't1'?"));
}

TEST_CASE("a cell that is not a number is refused at its place") {
    CHECK_THAT(refusal(table_kind(), "rows = ['a']\ncolumns = ['x']\ncells = [['162M']]"),
               Contains("study.toml:3:12") && Contains("'162M' is not a number"));
}

TEST_CASE("a table of the wrong shape is refused") {
    CHECK_THAT(refusal(table_kind(), "rows = ['a', 'a']\ncolumns = ['x']\ncells = [['1'], ['1', '2']]"),
               Contains("two rows are named 'a'") && Contains("a row of 2 cells"));
    CHECK_THAT(refusal(table_kind(), "rows = ['a']\ncolumns = []\ncells = []"), Contains("without columns"));
    CHECK_THAT(refusal(table_kind(), "rows = ['a']"), Contains("a table without columns"));
    CHECK_THAT(refusal(table_kind(), "rows=['a']\ncolumns=['x']\ncells=[['1']]\nexact=['y']"),
               Contains("no column 'y'"));
}

TEST_CASE("a missing file is a problem of the study") {
    CHECK_THAT(refusal(table_kind(), "file = 'nowhere.csv'"), Contains("study.toml:1:9") && Contains("nowhere.csv"));
    CHECK_THAT(refusal(table_kind(), "file = 'nowhere.toml'"), Contains("cannot read"));
    const tests::Folder folder;
    folder.write("c.csv", "a,b\nx,\"1\n");
    const std::string path = folder.path("c.csv");
    CHECK_THAT(refusal(table_kind(), "file = '" + path + "'", {}, scheme::Registry::builtin(), ""),
               Contains("quote that is not closed"));
}

TEST_CASE("a place in a CSV file counts the lines within quotes") {
    const tests::Folder folder;
    const auto refused = [&](const std::string& csv) {
        folder.write("d.csv", csv);
        return refusal(table_kind(), "file = '" + folder.path("d.csv") + "'", {}, scheme::Registry::builtin(), "");
    };
    CHECK_THAT(refused("a,b\n\"x\ny\" z,1\n"), Contains("d.csv:3:4") && Contains("text after a closing quote"));
    CHECK_THAT(refused("a,\"b\" c\nx,1\n"), Contains("d.csv:1:7"));
    CHECK_THAT(refused("a,b\r\nx,\"1\r\n"), Contains("d.csv:2:3") && Contains("a quote that is not closed"));
    CHECK_THAT(refused("\xEF\xBB\xBF"
                       "a,\"b\" c\nx,1\n"),
               Contains("d.csv:1:7"));
    // A row may be meant, unless its name is in quotes.
    CHECK_THAT(refused("a,b\nx,1\n # y,2\n"),
               Contains("d.csv:3:2") && Contains("a comment with as many commas as a row"));
    folder.write("f.csv", "# of, by\na,b\n\"# y\",2\n# a, b, c\n");
    CHECK(compute(table_kind(), "file = '" + folder.path("f.csv") + "'", {}, scheme::Registry::builtin(), "")
              .table->rows == std::vector<std::string>{"# y"});
    // Quotes that are doubled, commas and lines within a field, comments and empty lines.
    folder.write("e.csv", "\n# c\n , \"q\"\"r\" ,\"s,t\"\n  # c\n\"u\nv\", 1 ,2");
    const core::Result result =
        compute(table_kind(), "file = '" + folder.path("e.csv") + "'", {}, scheme::Registry::builtin(), "");
    CHECK(result.table->columns == std::vector<std::string>{"q\"r", "s,t"});
    CHECK(result.table->rows == std::vector<std::string>{"u\nv"});
    CHECK(result.table->find("u\nv", "s,t")->number == 2);
}

}  // namespace
}  // namespace farfield::quantity
