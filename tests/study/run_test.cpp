#include <catch2/catch.hpp>
#include <cmath>

#include "study/study_support.hpp"

using namespace study_support;
using Names = std::vector<std::string>;

namespace {

const std::string curve = "kind = 'curve'\nformula = '-n'\ndistances = { from = 0, to = 9 }\n";
const std::string value = "kind = 'value'\nformula = '2'\n";

}  // namespace

TEST_CASE("quantities are computed after their dependencies, whatever the order of the file") {
    const auto record = run("[quantity.late]\nkind = 'resolution'\nof = 'early'\nN = 4\n[quantity.early]\n" + curve);
    CHECK(names_of(record) == Names{"early", "late"});
}

TEST_CASE("a description gives each quantity's operations and their sum") {
    const Folder folder;
    const auto operations = [&](const std::string& text) {
        std::vector<double> found;
        const std::string told = study::describe(read(folder, text));
        for (std::size_t at = 0; (at = told.find("about ", at)) != std::string::npos;) {
            at += std::string("about ").size();
            found.push_back(std::stod(told.substr(at)));
        }
        return found;
    };
    const std::string first = "[quantity.a]\n" + curve;
    const std::string second = "[quantity.b]\nkind = 'curve'\nformula = '-n'\ndistances = { from = 0, to = 899 }\n";
    const auto one = operations(first);
    REQUIRE(one.size() == 2);
    CHECK(one[0] > 0);
    CHECK(one[1] == one[0]);
    const auto both = operations(first + second);
    REQUIRE(both.size() == 3);
    // The costs are printed to two digits, and so is their sum.
    CHECK(both[1] > 10 * both[0]);
    CHECK(std::abs(both[2] - (both[0] + both[1])) <= 0.1 * (both[0] + both[1]));
}

TEST_CASE("a cycle is reported with its path and nothing is run") {
    const auto problems = problems_of(
        "[quantity.a]\nkind = 'resolution'\nof = 'b'\nN = 4\n[quantity.b]\nkind = 'resolution'\nof = 'a'\nN = 4\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0] == "1: quantities need each other: a -> b -> a");
}

TEST_CASE("a sweep makes one item for each value, of a key or of a parameter of the scheme") {
    const auto record =
        run("[quantity.v]\nkind = 'curve'\nscheme = 'alibi'\nheads = 8\nhead = 8\ndistances = { from = 0, to = 2 }\n"
            "sweep = { delta = [0, 1], head = [4, 8] }\n");
    CHECK(names_of(record) ==
          Names{"v[delta=0,head=4]", "v[delta=0,head=8]", "v[delta=1,head=4]", "v[delta=1,head=8]"});
    // Chi et al., Eq. (3): slope 2^-(8h/H); delta adds to the exponent: h = 8 of 8 has slope 2^-8, with delta 1 2^-9.
    CHECK(find(record, "v[delta=0,head=8]")->find("last")->number == -2.0 / 256);
    CHECK(find(record, "v[delta=1,head=8]")->find("last")->number == -2.0 / 512);
    CHECK(find(record, "v[delta=0,head=4]")->find("last")->number == -2.0 / 16);
}

TEST_CASE("a quantity that reads a swept quantity is swept with it") {
    const auto record =
        run("[quantity.row]\nkind = 'curve'\nformula = '-n'\ndistances = { from = 0, to = 9 }\nsweep = { formula = "
            "['-n', '-2*n'] }\n"
            "[quantity.r]\nkind = 'resolution'\nof = 'row'\nN = 4\n"
            "[[claim]]\nid = 'X'\nsays = 's'\nholds = \"'r[formula=-2*n]'.R > 'r[formula=-n]'.R\"\n");
    CHECK(names_of(record).size() == 4);
    REQUIRE(record.claims.size() == 1);
    CHECK(record.claims[0].verdict == core::Verdict::confirmed);
}

TEST_CASE("a swept scheme makes the quantities of it swept") {
    const auto record =
        run("[scheme.line]\nparams = { m = 1 }\nbias = '-m*n'\nsweep = { m = [1, 3] }\n"
            "[quantity.row]\nkind = 'curve'\nscheme = 'line'\ndistances = { from = 0, to = 2 }\n");
    CHECK(names_of(record) == Names{"row[m=1]", "row[m=3]"});
    CHECK(find(record, "row[m=3]")->find("last")->number == -6);
}

TEST_CASE("a sweep over a range has both ends") {
    const auto record =
        run("[quantity.v]\nkind = 'value'\nformula = 'w'\nparams = { w = 0 }\nsweep = { w = { from = 1, to = 2, step = "
            "0.5 } }\n");
    CHECK(names_of(record) == Names{"v[w=1]", "v[w=1.5]", "v[w=2]"});
}

TEST_CASE("the values of a sweep are decimals, in names and in formulas") {
    // In doubles 0.1 + 2*0.1 is 0.30000000000000004.
    const auto record = run(
        "[quantity.v]\nkind = 'value'\nformula = '3*w'\nparams = { w = 0 }\nsweep = { w = { from = 0.1, to = 0.5, "
        "step = 0.1 } }\n[[claim]]\nid = 'A'\nsays = 's'\nexpect = 'confirmed'\n[[claim.reading]]\nname = 'r'\nholds "
        "= \"'v[w=0.3]'.value == 0.9 and 'v[w=0.1]'.value/0.3 == 1\"\n");
    CHECK(names_of(record) == Names{"v[w=0.1]", "v[w=0.2]", "v[w=0.3]", "v[w=0.4]", "v[w=0.5]"});
    REQUIRE(record.claims.size() == 1);
    CHECK(record.claims[0].verdict == core::Verdict::confirmed);
    CHECK(record.claims[0].certified);
}

TEST_CASE("one value twice in a sweep is an error that names it") {
    const auto refused = [](const std::string& values) {
        return problems_of("[quantity.v]\nkind = 'value'\nformula = 'w'\nparams = { w = 0 }\nsweep = { w = " + values +
                           " }\n");
    };
    CHECK(refused("[1, 1.0, 1]") == Names{"5: the sweep over 'w' has the value 1 twice, once as 1.0"});
    CHECK(refused("[0.1, 2, 1e-1]") == Names{"5: the sweep over 'w' has the value 0.1 twice, once as 1e-1"});
    CHECK(refused("[3, 2, 3]") == Names{"5: the sweep over 'w' has the value 3 twice"});
    CHECK(refused("[1, 2, 3]").empty());
}

TEST_CASE("a sweep too long is refused at once with its cost") {
    const auto problems = problems_of("[quantity.v]\n" + value + "sweep = { w = { from = 1, to = 1000000000 } }\n");
    REQUIRE_FALSE(problems.empty());
    CHECK(problems[0] == "4: a sweep of 1000000000 items");
}

TEST_CASE("a study that would take days is refused") {
    const auto problems = problems_of("[quantity.v]\nkind = 'value'\nformula = 'sum(i, 1, 1e16, sin(i))'\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].find("the study would take about") != std::string::npos);
}

TEST_CASE("all problems of meaning are gathered") {
    const auto problems = problems_of(
        "[studdy]\n[quantity.a]\nkind = 'curv'\n[quantity.b]\nkind = 'value'\nformula = '1 +'\n[[claim]]\nid = "
        "'X'\nsays = 's'\nholds = 'c.d < 1'\n");
    CHECK(problems.size() == 4);
}

TEST_CASE("only the requested quantities are computed, with their dependencies") {
    const std::string text = "[quantity.row]\n" + curve +
                             "[quantity.r]\nkind = 'resolution'\nof = 'row'\nN = 4\n[quantity.other]\n" + value +
                             "[[claim]]\nid = 'X'\nsays = 's'\nholds = 'other == 2'\n";
    study::Options options;
    options.only = {"r"};
    CHECK(names_of(run(text, options)) == Names{"row", "r"});
    CHECK(run(text, options).claims.empty());
    options.only = {"X"};
    CHECK(names_of(run(text, options)) == Names{"other"});
    options.only = {};
    options.claims_only = true;
    CHECK(names_of(run(text, options)) == Names{"other"});
}

TEST_CASE("--set replaces values of the file and of built-in schemes") {
    study::Options options;
    options.set = {{"quantity.v.formula", "3"}};
    CHECK(find(run("[quantity.v]\n" + value, options), "v")->find("value")->number == 3);
    options.set = {{"scheme.alibi.params.delta", "1"}};
    const auto record =
        run("[quantity.v]\nkind = 'curve'\nscheme = 'alibi'\nheads = 8\nhead = 8\ndistances = { from = 0, to = 2 }\n",
            options);
    CHECK(find(record, "v")->find("last")->number == -2.0 / 512);
    options.set = {{"quantity.w.formula", "3"}};
    CHECK(problems_of("[quantity.v]\n" + value, options) == Names{"0: there is no 'w' to set a value of"});
}

TEST_CASE("an interrupted run keeps finished results and skips the rest") {
    study::Options options;
    bool stop = false;
    options.finished = [&stop](const core::Result&) { stop = true; };
    options.interrupted = [&stop] { return stop; };
    const auto record = run(
        "[quantity.a]\n" + value +
            "[quantity.b]\nkind = 'value'\nformula = '1 + 1'\n"
            "[[claim]]\nid = 'A'\nsays = 's'\nholds = 'a == 2'\n[[claim]]\nid = 'B'\nsays = 's'\nholds = 'b == 2'\n",
        options);
    CHECK(record.interrupted);
    CHECK(names_of(record) == Names{"a"});
    REQUIRE(record.claims.size() == 2);
    CHECK(record.claims[0].verdict == core::Verdict::confirmed);
    CHECK(record.claims[1].verdict == core::Verdict::skipped);
}

TEST_CASE("an interruption before a claim that takes long, or within it, leaves the claim for another run") {
    study::Options options;
    bool is_judged = false;
    options.progress = [&](const std::string& what, double, double) { is_judged = is_judged || what == "claim A"; };
    for (const char* condition : {"all(n, 1, 10^8, n > 0)", "integral(x, 0, 9, prod(j, 1, 5, abs(sin(x*j)))) == 1/2"}) {
        const std::string text = "[[claim]]\nid = 'A'\nsays = 's'\nholds = '" + std::string(condition) + "'\n";
        for (const bool is_within : {false, true}) {
            INFO(condition << ", within it: " << is_within);
            is_judged = false;
            options.interrupted = [&] { return !is_within || is_judged; };
            const auto record = run(text, options);
            CHECK(record.interrupted);
            CHECK(is_judged == is_within);
            REQUIRE(record.claims.size() == 1);
            CHECK(record.claims[0].verdict == core::Verdict::skipped);
        }
    }
}

TEST_CASE("finished quantities are read from the cache, and computed again when anything they depend on changes") {
    const Folder folder;
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = 0;
    const auto text = [](const std::string& last) {
        return "[quantity.v]\nkind = 'value'\nformula = 'sum(i, 1, " + last + ", sin(i))'\n";
    };
    const auto first = run(text("1e5"), options);
    const double seconds = find(first, "v")->seconds;
    const auto again = run(text("1e5"), options);
    CHECK(find(again, "v")->seconds == seconds);
    CHECK(find(again, "v")->find("value")->number == find(first, "v")->find("value")->number);
    CHECK(find(run(text("100001"), options), "v")->find("value")->number != find(first, "v")->find("value")->number);
    options.fresh = true;
    CHECK(find(run(text("1e5"), options), "v")->seconds != seconds);
}

TEST_CASE("a store that cannot be written is told once, and the results are the same") {
    const Folder folder;
    folder.write("cache/quantities", "a file in the folder's place");
    study::Options options;
    options.cache = folder.path("cache");
    options.least_seconds_to_keep = 0;
    const auto record =
        run("[quantity.v]\nkind = 'value'\nformula = '2'\n[quantity.w]\nkind = 'value'\nformula = '3'\n", options);
    REQUIRE(record.warnings.size() == 1);
    CHECK(record.warnings[0].starts_with("'v' was not kept and will be computed again: "));
    CHECK(find(record, "w")->find("value")->number == 3);
}

TEST_CASE("--set reaches something that the study uses") {
    const std::string row =
        "[quantity.v]\nkind = 'curve'\nscheme = 'alibi'\nheads = 8\nhead = 8\ndistances = { to = 2 }\n";
    study::Options options;
    options.set = {{"scheme.windowed.params.w", "80"}};
    CHECK(problems_of(row, options) == Names{"0: nothing in 's' depends on this value of scheme 'windowed'"});
    options.set = {{"scheme.alibi.params.delta", "1"}};
    CHECK(problems_of(row, options).empty());
    CHECK(problems_of(row + "params = { delta = 2 }\n", options) ==
          Names{"0: nothing in 's' depends on this value of scheme 'alibi'"});
    // A scheme that extends it passes the value on.
    CHECK(problems_of("[scheme.mine]\nextends = 'alibi'\nmask = 'n < 5'\n" + row, options).empty());
    options.set = {{"quantity.v.head", "1"}};
    CHECK(problems_of("[quantity.v]\nkind = 'curve'\nscheme = 'alibi'\nheads = 8\ndistances = { to = 2 }\n"
                      "sweep = { head = [1, 2] }\n",
                      options) == Names{"0: 'head' of quantity 'v' is swept"});
}

TEST_CASE("an item that --set adds whole is used by the study") {
    study::Options options;
    options.set = {{"scheme.mine", "{ bias = '-n' }"}};
    const std::string row = "[quantity.v]\nkind = 'curve'\ndistances = { to = 2 }\nscheme = ";
    CHECK(problems_of(row + "'mine'\n", options).empty());
    const Names problems = problems_of(row + "'kerple-log'\n", options);
    CHECK(std::count(problems.begin(), problems.end(), "0: nothing in 's' depends on this value of scheme 'mine'") ==
          1);
}

TEST_CASE("a sweep changes what one of its items evaluates") {
    const std::string heads = "kind = 'curve'\ndistances = { to = 2 }\nhead = 1\nsweep = { heads = [4, 8]";
    CHECK(problems_of("[quantity.v]\nscheme = 'alibi'\n" + heads + " }\n").empty());
    // KERPLE's bias has no H; swept with a scheme that has, the key matters.
    CHECK(problems_of("[quantity.v]\nscheme = 'kerple-log'\n" + heads + " }\n") ==
          Names{"6: the sweep over 'heads' is unused: nothing that 'v' evaluates depends on it"});
    CHECK(problems_of("[quantity.v]\n" + heads + ", scheme = ['kerple-log', 'alibi'] }\n").empty());
    // Ltr is L where it has no value of its own.
    const std::string window = "kind = 'matrix'\nscheme = 'sliding'\nsweep = { length = [4, 8] }\n";
    CHECK(problems_of("[quantity.v]\n" + window).empty());
    CHECK(problems_of("[scheme.mine]\nbias = '-n'\nsweep = { doc = ['a', 'b'] }\n") ==
          Names{"3: 'doc' cannot be swept"});
}
