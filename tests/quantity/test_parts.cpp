// What kinds share: sets of integers, samples, tables, grids and names. Each table states a function's whole behaviour:
// its branches, its limits and its messages.
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>

#include <farfield/formula/printer.hpp>
#include "compute.hpp"

#include "quantity/grid.hpp"
#include "quantity/kinds.hpp"
#include "quantity/runs.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "support/folder.hpp"

namespace farfield::quantity {
namespace {

using Names = std::vector<std::string>;

/// The problems of a refused quantity, each with its place and all that is wanted, without the lines of the file.
Names told(const Kind& kind, const std::string& toml, const Known& known = {}, const std::string& folder = ".") {
    Names found;
    try {
        compute(kind, toml, known, scheme::Registry::builtin(), folder);
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics()) {
            std::string message =
                std::to_string(each.place.line) + ":" + std::to_string(each.place.column) + ": " + each.found;
            for (const std::string& part : {each.wanted, each.hint})
                if (!part.empty()) message += "; " + part;
            found.push_back(message);
        }
    }
    return found;
}

std::set<long long> elements(const Runs& runs) {
    std::set<long long> all;
    for (const Run& run : runs.list())
        for (long long at = run.first; at <= run.last; ++at) all.insert(at);
    return all;
}

/// Random runs of 0..length-1, some of which touch or overlap.
std::vector<Run> random_runs(std::mt19937& random, long long length) {
    std::vector<Run> runs;
    for (unsigned i = random() % 6; i > 0; --i) {
        const long long first = static_cast<long long>(random()) % length;
        runs.push_back({first, std::min(length - 1, first + static_cast<long long>(random() % 4))});
    }
    return runs;
}

TEST_CASE("runs are the sets of integers that they list") {
    std::mt19937 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        constexpr long long length = 20;
        const std::vector<Run> listed = random_runs(random, length);
        const Runs a(listed);
        const Runs b(random_runs(random, length));
        const std::set<long long> in_a = elements(a), in_b = elements(b);
        std::set<long long> expected;
        for (const Run& run : listed)
            for (long long at = run.first; at <= run.last; ++at) expected.insert(at);
        CHECK(in_a == expected);
        CHECK(a.count() == static_cast<long long>(in_a.size()));
        CHECK(a.empty() == in_a.empty());
        // Ascending, and none touches the next.
        for (std::size_t i = 0; i + 1 < a.list().size(); ++i) CHECK(a.list()[i].last + 1 < a.list()[i + 1].first);
        std::set<long long> both = in_a;
        both.insert(in_b.begin(), in_b.end());
        CHECK(elements(a.united(b)) == both);
        const long long first = static_cast<long long>(random()) % length;
        const Run run{first, first + static_cast<long long>(random() % 5)};
        std::set<long long> missing;
        for (long long at = run.first; at <= run.last; ++at)
            if (!in_a.contains(at)) missing.insert(at);
        CHECK(elements(a.missing_from(run)) == missing);
        CHECK(a.contains(run) == missing.empty());
        std::set<long long> between;
        for (const long long s : in_a)
            for (const long long d : in_b)
                if (s - d >= 0 && s - d < length) between.insert(s - d);
        CHECK(elements(differences(a, b, length)) == between);
    }
}

TEST_CASE("differences of sets of many runs are those of sets of few") {
    // Above four million pairs of runs the sets are moved as bits, by whichever has fewer runs.
    const auto scattered = [](long long count, long long step, unsigned seed) {
        std::mt19937 random(seed);
        std::vector<Run> runs;
        for (long long i = 0; i < count; ++i)
            runs.push_back({i * step, i * step + static_cast<long long>(random() % static_cast<unsigned>(step - 1))});
        return Runs(std::move(runs));
    };
    const auto check = [&](const Runs& positions, const Runs& distances, long long length) {
        REQUIRE(positions.list().size() * distances.list().size() > 4'000'000);
        std::vector<char> is_there(static_cast<std::size_t>(length), 0);
        for (const Run& s : positions.list())
            for (const Run& d : distances.list())
                for (long long at = std::max(0LL, s.first - d.last); at <= std::min(length - 1, s.last - d.first); ++at)
                    is_there[static_cast<std::size_t>(at)] = 1;
        std::vector<char> found(static_cast<std::size_t>(length), 0);
        const Runs moved = differences(positions, distances, length);
        for (const Run& run : moved.list()) {
            REQUIRE(run.first >= 0);
            REQUIRE(run.last < length);
            for (long long at = run.first; at <= run.last; ++at) found[static_cast<std::size_t>(at)] = 1;
        }
        CHECK(found == is_there);
    };
    check(scattered(2001, 3, 1), scattered(2000, 3, 2), 6003);
    check(scattered(2000, 3, 3), scattered(2001, 3, 4), 6003);
    // Two runs alone have gaps between their differences; 2001 beside 2000 that hit each second integer do too.
    std::vector<Run> even, fours;
    for (long long i = 0; i < 2001; ++i) even.push_back({2 * i, 2 * i});
    for (long long i = 0; i < 2000; ++i) fours.push_back({4 * i, 4 * i});
    check(Runs(even), Runs(fours), 8001);
    check(Runs(fours), Runs(even), 8001);
}

TEST_CASE("an invalid sample is refused at its place, with the valid forms") {
    core::Result series;
    series.series = core::Series{{{"n", {0, 1}, {}}, {"value", {1, 3}, {}}}, core::Rigour::none, 1};
    core::Result empty;
    empty.series = core::Series{{{"n", {0, 1}, {}}}, core::Rigour::none, 1};
    core::Result gap;
    gap.series = core::Series{{{"n", {0, 1}, {}}, {"value", {1, NAN}, {}}}, core::Rigour::none, 1};
    core::Result table;
    table.table = core::Table{{"r"}, {"x", "y"}, {core::Cell::exact(0), core::Cell::missing()}};
    core::Result one;
    one.set("R", core::Cell::of(1));
    const Known known = {{"s", series}, {"e", empty}, {"g", gap}, {"t", table}, {"v[w=1]", one}, {"v[w=2]", one}};
    const auto refused = [&](const std::string& a) {
        return told(ttest_kind(), "a = " + a + "\nb = [0, 1, 5]\n", known);
    };
    CHECK(refused("[1, 2]").empty());
    CHECK(refused("3") == Names{"1:5: a sample is an integer; a list of numbers or the name of a quantity"});
    CHECK(refused("[]") == Names{"1:5: an empty sample; numbers, or the name of a quantity"});
    CHECK(refused("[1, 'a', true]") == Names{"1:10: found a text in a sample; a decimal number",
                                             "1:14: found a boolean in a sample; a decimal number"});
    CHECK(refused("[1]") == Names{"1:5: a sample of 1; two numbers at least"});
    const std::string parts = "one of row, column, value, seeds: { of = \"ppl\", seeds = \"nll[64]\" }";
    CHECK(refused("{ of = 's' }") == Names{"1:5: a part of a result without its name; " + parts});
    CHECK(refused("{ of = 't', row = 'r', column = 'x' }") == Names{"1:5: several parts of a result; " + parts});
    CHECK(refused("{ of = ['s', 't'], row = 'r' }") ==
          Names{"1:5: a sample of 2 quantities; one, or `value` in place of the part"});
    CHECK(refused("{ of = 'v', seeds = 'R' }") ==
          Names{"1:5: a sample of 2 quantities; one, or `value` in place of the part"});
    CHECK(refused("{ of = [3], value = 'R' }") == Names{"1:13: 'of' is an integer; the name of a quantity"});
    CHECK(refused("'sss'").at(0).starts_with("1:6: no quantity is named 'sss'; known here: "));
    CHECK(refused("'e'") ==
          Names{"1:6: 'e' has no series; a list of numbers, a quantity with a series, or { of, row }"});
    CHECK(refused("'v'").at(0).find("'v[w=1]' has no series") != std::string::npos);
    CHECK(refused("'g'") == Names{"1:6: number 2 of the sample is missing: g 2; a finite number in every place"});
    CHECK(refused("{ of = 's', row = 'r' }") ==
          Names{"1:5: 's' has no table; a list of numbers, a quantity with a series, or a part of a table"});
    CHECK(refused("{ of = 't', row = 'q' }") == Names{"1:5: 't' has no row 'q'; known here: r. Did you mean 'r'?"});
    CHECK(refused("{ of = 't', column = 'z' }").at(0).starts_with("1:5: 't' has no column 'z'; known here: x, y"));
    CHECK(refused("{ of = 't', row = 'r' }") ==
          Names{"1:5: number 2 of the sample is missing: y; a finite number in every place"});
    CHECK(refused("{ of = 'v', value = 'Q' }") == Names{"1:5: 'v[w=1]' has no value 'Q'; a value that it has"});
    CHECK(refused("{ of = 's', seeds = 'R' }") == Names{"1:5: 's' has no 'R' of a seed; a value of trained models"});
    // A swept quantity is all of its items, and those of a list are taken in its order.
    core::Result two = one;
    two.set("R", core::Cell::of(3));
    const Known swept = {{"v[w=1]", one}, {"v[w=2]", two}, {"vv", two}};
    const core::Result all = compute(ttest_kind(), "a = { of = 'v', value = 'R' }\nb = [0, 0]\npaired = true", swept);
    CHECK(std::abs(*all.find("t")->number - 2) <= 1e-15);  // as of [1, 3]
    CHECK(compute(ttest_kind(), "a = { of = ['vv', 'v'], value = 'R' }\nb = [0, 1, 5]", swept).find("df")->number == 4);
}

TEST_CASE("Student's p is that of its closed forms for few degrees of freedom, and of the tables for more") {
    // t of differences d: mean(d)/(sd/sqrt(n)). For two degrees p = 1 - t/sqrt(2 + t^2), for three
    // 1 - 2/pi (atan(t/sqrt 3) + sqrt(3) t/(3 + t^2)); both from Abramowitz and Stegun, 26.7.3 and 26.7.4.
    const auto paired = [](const std::string& list, const std::string& zeros) {
        return compute(ttest_kind(), "a = " + list + "\nb = " + zeros + "\npaired = true");
    };
    const core::Result three = paired("[1, 2, 6]", "[0, 0, 0]");
    const double t = *three.find("t")->number;
    CHECK(std::abs(t - 3 / std::sqrt(7.0 / 3)) < 1e-14);  // variance 7
    CHECK(std::abs(*three.find("p")->number - (1 - t / std::sqrt(2 + t * t))) < 1e-14);
    CHECK(three.find("p")->enclosure->contains(*three.find("p")->number));
    CHECK(three.find("p")->enclosure->width() < 1e-13);
    const core::Result four = paired("[1, 2, 6, 7]", "[0, 0, 0, 0]");
    const double u = *four.find("t")->number;
    const double pi = std::acos(-1.0);
    const double expected = 1 - 2 / pi * (std::atan(u / std::sqrt(3.0)) + std::sqrt(3.0) * u / (3 + u * u));
    CHECK(std::abs(*four.find("p")->number - expected) < 1e-14);
    CHECK(four.find("p")->enclosure->contains(expected));
    CHECK(four.find("p")->enclosure->width() < 1e-13);
    // The sign: 1 where a is larger, and alpha is 0.05 unless it is stated.
    CHECK(three.find("sign")->number == std::nullopt);  // p = 0.188
    const core::Result clear = paired("[1, 1.1, 0.9]", "[0, 0, 0]");
    REQUIRE(*clear.find("p")->number < 0.05);
    CHECK(clear.find("sign")->number == 1);
    CHECK(clear.find("sign")->enclosure == core::Enclosure::exactly(1));
    CHECK(told(ttest_kind(), "a = [1, 2]\nb = [1, 2, 4]\npaired = true") ==
          Names{"2:5: samples of 2 and 3 numbers; pairs"});
    CHECK(told(ttest_kind(), "a = [1, 2]\nb = [0, 1]\npaired = true") ==
          Names{"2:5: samples without spread: t has no value; values that differ"});
    // Welch's test of samples of one size and spread is Student's.
    const std::string samples = "a = [1, 2, 6]\nb = [4, 5, 9]\n";
    const core::Result student = compute(ttest_kind(), samples);
    const core::Result welch = compute(ttest_kind(), samples + "equal_variances = false");
    for (const char* name : {"t", "p", "df", "mean_difference"})
        CHECK(std::abs(*student.find(name)->number - *welch.find(name)->number) < 1e-13);
    CHECK(student.find("df")->number == 4);
    CHECK(student.find("mean_difference")->number == -3);
}

TEST_CASE("a table is refused for missing parts, for its shape and for each cell that is not a number") {
    const auto refused = [](const std::string& toml) { return told(table_kind(), toml); };
    const std::string rows = "rows = ['a']\n", columns = "columns = ['x']\n", cells = "cells = [['1']]\n";
    CHECK(refused(rows + columns + cells).empty());
    const std::string wanted = "; file, or rows, columns and cells";
    CHECK(refused(columns + cells) == Names{"1:1: a table without rows" + wanted});
    CHECK(refused(rows + cells) == Names{"1:1: a table without columns" + wanted});
    CHECK(refused(rows + columns) == Names{"1:1: a table without cells" + wanted});
    CHECK(refused(rows + columns + cells + "at = 'x'\n") ==
          Names{"4:1: 'at' without 'file'; both, or rows, columns and cells"});
    CHECK(refused("rows = ['a', true]\n" + columns + "cells = [['1'], ['2']]\n").at(0) ==
          "1:14: found a boolean; a text or a number");
    CHECK(refused(rows + columns + "cells = ['1']\n").at(0) ==
          "3:11: a row of cells is a text; a list of texts or numbers");
    CHECK(refused("rows = []\n" + columns + "cells = []\n") ==
          Names{"3:9: a table without rows; at least one row and one column"});
    CHECK(refused(rows + "columns = []\ncells = [[]]\n") ==
          Names{"3:9: a table without columns; at least one row and one column"});
    CHECK(refused(rows + columns + "cells = [['1'], ['2']]\n") ==
          Names{"3:9: 2 rows of cells; 1, as 'rows' has names"});
    CHECK(refused(rows + columns + "cells = [['1', '2']]\n") ==
          Names{"3:12: a row of 2 cells; 1, as there are columns"});
    CHECK(refused(rows + columns + "cells = [[]]\n") == Names{"3:9: a row of 0 cells; 1, as there are columns"});
    CHECK(refused("rows = ['']\n" + columns + cells) == Names{"1:10: a row without a name; a text"});
    CHECK(refused(rows + "columns = ['x', 'x']\ncells = [['1', '2']]\n") ==
          Names{"2:18: two columns are named 'x'; a name for each"});
    CHECK(refused(rows + columns + cells + "exact = ['y']\n") ==
          Names{"4:11: no column 'y'; known here: x. Did you mean 'x'?"});
    CHECK(refused(rows + columns + cells + "exact = 3\n") ==
          Names{"4:9: 'exact' is an integer; a list of texts or numbers"});
    CHECK(refused(rows + columns + "cells = [['1 %']]\n") ==
          Names{"3:12: '1 %' is not a number; a decimal number as printed, or \"-\" for none; marks and units go into "
                "columns of their own"});
    const tests::Folder folder;
    folder.write("t.toml", "[a.b]\nrows = ['r']\ncolumns = ['x']\ncells = [['1']]\n[c]\nrows = ['r']\n");
    const auto of_file = [&](const std::string& more) {
        return told(table_kind(), "file = 't.toml'\n" + more, {}, folder.path());
    };
    CHECK(of_file("at = 'a.b'\n").empty());
    CHECK(of_file("at = 'a.d'\n") == Names{"2:7: the file has no table 'd'; known here: b. Did you mean 'b'?"});
    CHECK(of_file("at = 'c'\n") == Names{"2:7: a table without columns" + wanted});
    CHECK(of_file("at = 'a.b'\nrows = ['r']\n") == Names{"3:1: 'rows' beside 'file'; one of the two"});
    CHECK(of_file("") == Names{"1:9: a table without rows" + wanted});
}

TEST_CASE("cells of a table are found by number, and only exact cells are exact") {
    const std::string all = "rows = ['a', 'b']\ncolumns = ['x', 'y', 'z']\ncells = [[1, '2.5', ''], ['-', 5, '–']]\n";
    const core::Result printed = compute(table_kind(), all);
    CHECK(printed.find("rows")->number == 2);
    CHECK(printed.find("columns")->number == 3);
    CHECK(printed.find("numbers")->number == 3);
    const auto& columns = printed.series->columns;
    CHECK(columns[0].values.here() == std::vector<double>{0, 0, 0, 1, 1, 1});
    CHECK(columns[1].values.here() == std::vector<double>{0, 1, 2, 0, 1, 2});
    CHECK(columns[2].values[1] == 2.5);
    CHECK(columns[2].values[4] == 5);
    for (const std::size_t at : {2, 3, 5}) CHECK(std::isnan(columns[2].values[at]));
    CHECK(printed.series->rigour == core::Rigour::rounding);
    CHECK(compute(table_kind(), all + "exact = true\n").series->rigour == core::Rigour::exact);
    CHECK(compute(table_kind(), all + "exact = false\n").series->rigour == core::Rigour::rounding);
    CHECK(compute(table_kind(), all + "exact = ['x', 'y']\n").series->rigour == core::Rigour::exact);
    const core::Result mixed = compute(table_kind(), all + "exact = ['y']\n");
    CHECK(mixed.series->rigour == core::Rigour::rounding);
    CHECK(mixed.table->find("a", "x")->rigour == core::Rigour::rounding);
    CHECK(mixed.table->find("a", "y")->enclosure == core::Enclosure::exactly(2.5));
    CHECK(mixed.table->find("b", "y")->rigour == core::Rigour::exact);
}

TEST_CASE("invalid grids and ranges are refused at their place") {
    const auto curve = [](const std::string& keys) { return told(curve_kind(), keys + "\nformula = 'n'\n"); };
    CHECK(curve("distances = { from = 3, to = 3 }").empty());
    CHECK(curve("distances = { to = 3, step = 0 }") == Names{"1:30: the step is 0; a positive number"});
    CHECK(curve("distances = { to = 3, step = -1 }") == Names{"1:30: the step is -1; a positive number"});
    CHECK(curve("distances = { from = 4, to = 3 }") ==
          Names{"1:13: the range from 4 to 3 is empty; from at most to, both finite"});
    CHECK(curve("distances = { to = -1 }") ==
          Names{"1:13: the range from 0 to -1 is empty; from at most to, both finite"});
    CHECK(curve("distances = { to = inf }").size() == 1);
    CHECK(curve("distances = { to = 9007199254740992 }") == Names{"1:13: the range has over 2^53 values; fewer"});
    CHECK(curve("over = { }") == Names{"1:8: 'over' is empty; { x = { from, to, step } }; or no 'over'"});
    CHECK(curve("over = { n = 3 }") == Names{"1:14: found an integer; a table { from = 0, to = 100 }"});
    CHECK(curve("over = { n = [0] }") == Names{"1:14: the range of 'n' is not a pair of numbers; [lowest, highest]"});
    CHECK(curve("over = { n = [0, 'a'] }") ==
          Names{"1:14: the range of 'n' is not a pair of numbers; [lowest, highest]"});
    CHECK(curve("over = { n = [1, 0] }") == Names{"1:14: the range of 'n' is empty or not finite; [lowest, highest]"});
    CHECK(curve("over = { n = [0, inf] }") ==
          Names{"1:14: the range of 'n' is empty or not finite; [lowest, highest]"});
    const std::string steps = "; over = { x = { from = 0, to = 100 } }";
    CHECK(curve("over = { n = [0, 1] }") == Names{"1:8: a curve is over one variable in steps" + steps});
    CHECK(curve("over = { n = { to = 1 }, m = { to = 1 } }") ==
          Names{"1:8: a curve is over one variable in steps" + steps});
    CHECK(curve("over = { n = { to = 1 }, m = [0, 1] }") ==
          Names{"1:8: a curve is over one variable in steps" + steps});
    CHECK(curve("") == Names{"1:1: quantity 'tested' has nothing to compute from; 'distances' or 'over'"});
    CHECK(curve("distances = { to = 1 }\nover = { n = { to = 1 } }") ==
          Names{"2:8: 'over' and 'distances' are both given; one of them"});
    core::Result row;
    row.series = core::Series{{{"n", {0, 1, 2}, {}}, {"value", {1, 3, -2}, {}}}, core::Rigour::none, 1};
    const auto ranged = [&](const std::string& range) {
        return told(crossing_kind(), "of = 'row'\nrange = " + range + "\n", {{"row", row}});
    };
    CHECK(ranged("{ from = 1, to = 2 }").empty());
    CHECK(ranged("{ to = 2 }").empty());
    CHECK(ranged("{ from = 2, to = 2 }") == Names{"2:9: 'range' has one value; a range with a larger end"});
    CHECK(ranged("{ from = 3, to = 2 }") == Names{"2:9: the range is empty; from at most to"});
    CHECK(ranged("{ to = -1 }") == Names{"2:9: the range is empty; from at most to"});
    CHECK(ranged("{ to = inf }") == Names{"2:16: 'to' is inf; a finite number"});
}

TEST_CASE("names and values given for a scheme or a formula are refused if they do not fit") {
    const std::string near = "distances = { to = 2 }\n";
    const auto formula = [&](const std::string& toml) { return told(curve_kind(), near + toml); };
    CHECK(formula("formula = 'n < 3'") == Names{"2:12: the formula is a condition; a number"});
    CHECK(formula("formula = 'a*n'\nlet = { a = true }").at(0) ==
          "3:13: found a boolean; a formula, as a text or a number");
    CHECK(formula("formula = 'a*n'\nlet = { a = '1 +' }").size() == 1);
    CHECK(formula("formula = 'a*n'\nlet = { a = 'b', b = 2 }").at(0).find("unknown name 'b'") != std::string::npos);
    CHECK(formula("formula = 'a*n'\nlet = { 'a b' = 2 }").at(0) ==
          "3:9: 'a b' cannot be used in a formula; letters, digits and underscores, no digit first");
    CHECK(formula("formula = 'a*n'\nparams = { a = 1 }\nlet = { a = 2 }").at(0) ==
          "4:9: 'a' has a value already; another name");
    CHECK(formula("formula = 'n'\nlet = { n = 2 }").at(0) == "3:9: 'n' is a variable here; another name");
    CHECK(formula("formula = 'n'\nlet = { a = 2 }") == Names{"3:9: 'a' is unused: nothing that this quantity evaluates "
                                                             "depends on it; a name that its formulas depend on"});
    CHECK(formula("scheme = 'alibbi'\n").at(0).starts_with("2:11: unknown scheme 'alibbi'; known here: "));
    const std::string alibi = "scheme = 'alibi'\nhead = 1\nheads = 2\n";
    CHECK(formula(alibi).empty());
    CHECK(formula(alibi + "params = { delta = 'a' }") == Names{"5:21: found a text; a number"});
    CHECK(formula(alibi + "params = { dleta = 1 }")
              .at(0)
              .starts_with("5:12: unknown parameter 'dleta' of scheme 'alibi'; known"));
    CHECK(formula("scheme = 'alibi'\nheads = 2\n") ==
          Names{"2:11: the scheme's formula uses h, which has no value here; the key 'head'"});
    CHECK(formula(alibi + "params = { delta = 0.12345678901234567 }").empty());
    CHECK(formula("scheme = 'alibi'\nformula = 'n'\nhead = 1\nheads = 2").at(0).find("are both given; one of them") !=
          std::string::npos);
    CHECK(formula(alibi + "length = 2\n") == Names{"1:20: 'to' of distances is 2; less than 'length', 2"});
    CHECK(formula(alibi + "length = 3\n").empty());
    const std::string kerple = "scheme = 'kerple-log'\n";
    CHECK(formula(kerple + "let = { r1 = 1, r2 = 1 }").empty());
    CHECK(formula(kerple + "let = { r1 = 0, r2 = 1 }") == Names{"3:14: 'r1' is 0; a number above zero"});
    CHECK(formula(kerple + "let = { r1 = -1, r2 = 1 }") == Names{"3:14: 'r1' is -1; a number above zero"});
    CHECK(formula(kerple + "let = { r1 = 'a', r2 = 1 }") == Names{"3:15: 'r1' is learned and is a text; a number"});
    CHECK(formula(kerple + "let = { r1 = [1], r2 = 1 }") == Names{"3:14: 'r1' is learned and is a list; a number"});
    CHECK(formula(kerple + "let = { r1 = 0.12345678901234567891, r2 = 1 }") ==
          Names{"3:14: 0.12345678901234567891 has more digits than a double holds; 15 digits at most"});
}

TEST_CASE("numbers become formulas digit by digit") {
    const auto printed = [](const core::Value& value) { return formula::print(literal(value)); };
    CHECK(printed({0.1, {}, "0.1"}) == "0.1");
    CHECK(printed({0.1, {}, "+0.1"}) == "0.1");
    CHECK(printed({1000LL, {}, "1_000"}) == "1000");
    CHECK(printed({-2.5e-3, {}, "-2.5e-3"}) == "-2.5e-3");
    CHECK(printed({0.5, {}, {}}) == "0.5");
    CHECK(printed({16LL, {}, "0x10"}) == "16");
}

TEST_CASE("crossings of a curve are its changes of side, counted by hand") {
    std::mt19937 random(2);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> points, values;
        std::vector<core::Enclosure> enclosures;
        for (int i = 0; i < 12; ++i) {
            points.push_back(3 * i);
            values.push_back(static_cast<double>(random() % 3) - 1 + 5);
            enclosures.push_back(core::Enclosure::exactly(values.back()));
        }
        // The points where the curve is on another side of 5 than it last was, on either.
        std::vector<double> at, ways;
        double side = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double now = values[i] - 5;
            if (now == 0) continue;
            if (side != 0 && now != side) at.push_back(points[i]), ways.push_back(now);
            side = now;
        }
        for (const bool is_enclosed : {false, true}) {
            core::Result row;
            row.series = core::Series{{{"n", points, {}, core::Steps{"0", "3"}},
                                       {"value", values, is_enclosed ? enclosures : std::vector<core::Enclosure>{}}},
                                      is_enclosed ? core::Rigour::exact : core::Rigour::none,
                                      1};
            for (const char* direction : {"any", "up", "down"}) {
                const core::Result found =
                    compute(crossing_kind(), "of = 'row'\nlevel = 5\ndirection = '" + std::string(direction) + "'\n",
                            {{"row", row}});
                std::vector<double> expected;
                for (std::size_t i = 0; i < at.size(); ++i)
                    if (direction == std::string("any") || (ways[i] > 0) == (direction == std::string("up")))
                        expected.push_back(at[i]);
                CHECK(found.find("count")->number == static_cast<double>(expected.size()));
                CHECK(found.find("count")->enclosure.has_value() == is_enclosed);
                CHECK(found.find("first")->number.has_value() == !expected.empty());
                CHECK(found.series.has_value() == !expected.empty());
                if (expected.empty()) continue;
                CHECK(found.find("first")->number == expected.front());
                CHECK(found.find("last")->number == expected.back());
                CHECK(found.series->columns[1].values.here() == expected);
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    CHECK(found.series->columns[0].values[i] == static_cast<double>(i + 1));
                    if (direction == std::string("up")) CHECK(found.series->columns[2].values[i] == 1);
                    if (direction == std::string("down")) CHECK(found.series->columns[2].values[i] == -1);
                    if (direction == std::string("any")) CHECK(found.series->columns[2].values[i] == ways[i]);
                }
            }
        }
    }
}

TEST_CASE("a direction is that of the formula's neighbours and slopes") {
    // Which of increasing, decreasing, nondecreasing and nonincreasing hold.
    struct Row {
        const char* formula;
        const char* over;
        std::string holds;
    };
    const Row rows[] = {
        {"x", "x = [0, 1]", "1010"},
        {"-x", "x = [0, 1]", "0101"},
        {"max(x, 9)", "x = [0, 1]", "0011"},
        {"x^2", "x = [0, 1]", "1010"},
        {"x^2", "x = [-1, 0]", "0101"},
        {"x^2", "x = [-1, 1]", "0000"},
        {"max(x, 0)", "x = [-1, 1]", "0010"},
        {"min(0, -x)", "x = [-1, 1]", "0001"},
        {"x*y", "x = [0, 1], y = [1, 2]", "1010"},
        {"x*y", "x = [0, 1], y = [-2, -1]", "0101"},
        {"x*y", "x = [0, 1], y = [-1, 1]", "0000"},
        {"x + 0*y", "x = { to = 5 }, y = { to = 2 }", "1010"},
        {"x", "x = { to = 5 }", "1010"},
        {"-x", "x = { to = 5, step = 0.5 }", "0101"},
        {"max(x, 9)", "x = { to = 5 }", "0011"},
        {"floor(x/2)", "x = { to = 5 }", "0010"},
        {"-floor(x/2)", "x = { to = 5 }", "0001"},
        {"floor(x/2)", "x = { to = 8, step = 2 }", "1010"},
        {"x % 3", "x = { to = 2 }", "1010"},
        {"x % 3", "x = { to = 3 }", "0000"},
        {"x % 3", "x = { from = 2, to = 3 }", "0101"},
    };
    for (const Row& row : rows) {
        std::string found;
        for (const char* direction : {"increasing", "decreasing", "nondecreasing", "nonincreasing"}) {
            const core::Result result =
                compute(monotone_kind(), "formula = '" + std::string(row.formula) + "'\ndirection = '" + direction +
                                             "'\nover = { " + row.over + " }\nin = 'x'\n");
            REQUIRE(result.find("holds")->number);
            found += *result.find("holds")->number == 1 ? '1' : '0';
        }
        INFO(row.formula << " over " << row.over);
        CHECK(found == row.holds);
    }
}

}  // namespace
}  // namespace farfield::quantity
