// Whole studies whose claims must not be certified wrongly: numbers beyond 2^53, columns without an error bound. What
// is true is stated beside each, from integers and fractions.
#include <catch2/catch.hpp>

#include "study/study_support.hpp"

using namespace study_support;
using Catch::Contains;
using core::Verdict;

namespace {

struct Found {
    Verdict verdict = Verdict::skipped;
    bool certified = false;

    bool operator==(const Found&) const = default;
};

constexpr Found proven = {Verdict::confirmed, true}, disproven = {Verdict::refuted, true};

/// The verdict of one claim on these quantities and schemes.
Found found(const std::string& study, const std::string& holds) {
    const core::StudyRecord record = run(study + "[[claim]]\nid = 'A'\nsays = 's'\nholds = \"" + holds + "\"\n");
    REQUIRE(record.claims.size() == 1);
    INFO(record.claims[0].readings[0].explain);
    return {record.claims[0].verdict, record.claims[0].certified};
}

std::string problem(const std::string& study) {
    const std::vector<std::string> all = problems_of(study);
    return all.empty() ? "" : all.front();
}

}  // namespace

TEST_CASE("the worst pair of a logit error is a plain number, in a loop too") {
    // Pair 0: 1 + 2^-11 is a tie and rounds to 1, and 3 (1 + 2^-11) is off by 3 2^-11: 2 sin(3 2^-12) = 0.00146. Pair
    // 1: 1 + 4/3 2^-11 rounds to 1 + 2^-10, 3 (1 + 2^-10) to 3 + 2^-8: off by 4 2^-11, 0.00195. Pair 1 is the worst.
    const std::string study =
        "[scheme.t]\ndoc = 'd'\nrotate = { angle = 'p*if(i == 0, (1 + 2^-11)*2*sin(pi/6), 1 + 4/3*2^-11)' }\n"
        "[quantity.q]\nkind = 'logit-error'\nscheme = 't'\nhead_dim = 4\nformat = 'fp16'\n"
        "rounded = ['positions', 'frequencies', 'angles']\npositions = { from = 0, to = 4 }\n";
    CHECK_FALSE(found(study, "all(p, 3, 3, q.pair[p] == 0)").certified);
    CHECK_FALSE(found(study, "exists(p, 3, 3, q.pair[p] == 1)").certified);
    CHECK_FALSE(found(study, "q.pair[3] == 0").certified);
    // The errors themselves are enclosed.
    CHECK(found(study, "all(p, 3, 3, q.error[p] > 0.0019)") == proven);
}

TEST_CASE("the coordinates of a grid are its decimals and integers") {
    const std::string study =
        "[quantity.c]\nkind = 'curve'\nformula = 'n - 9007199254740992'\n"
        "over = { n = { from = 9007199254740992, to = 9007199254740996 } }\n"
        "[quantity.d]\nkind = 'curve'\nformula = '2*x'\nover = { x = { from = 0, to = 1, step = 0.1 } }\n";
    CHECK(found(study, "all(j, 9007199254740992, 9007199254740993, c.n[j] <= 9007199254740992)") == disproven);
    CHECK(found(study, "c.n[9007199254740993] == 9007199254740993") == proven);
    CHECK(found(study, "all(j, 9007199254740992, 9007199254740996, c.n[j] == j)") == proven);
    CHECK(found(study, "sum(k, 9007199254740993, 9007199254740993, c.n[k]) == 9007199254740992").verdict !=
          Verdict::confirmed);
    CHECK(found(study, "d.x[0.3] == 0.3") == proven);
    CHECK(found(study, "d.x[0.3] != 0.3") == disproven);
}

TEST_CASE("an L that no double equals is refused where a scheme depends on it") {
    const std::string scheme = "[scheme.t]\ndoc = 'd'\nbias = '-n*(L - 9007199254740990)'\n";
    const std::string curve = "[quantity.t]\nkind = 'curve'\nscheme = 't'\n";
    CHECK_THAT(problem(scheme + curve + "distances = { from = 9007199254740990, to = 9007199254740994 }\n"),
               Contains("L, the largest position + 1, is 9007199254740995, which no double equals"));
    for (const std::string kind : {"curve", "profile"})
        CHECK_THAT(problem(scheme + "[quantity.t]\nkind = '" + kind +
                           "'\nscheme = 't'\nquery = 9007199254740994\ndistances = { to = 3 }\n"),
                   Contains("which no double equals"));
    CHECK_THAT(
        problem(scheme + "[quantity.t]\nkind = 'logit-error'\nscheme = 't'\nformat = 'fp16'\nrounded = ['bias']\n"
                         "positions = [9007199254740992]\n"),
        Contains("which no double equals"));
    CHECK_THAT(problem("[scheme.t]\ndoc = 'd'\nrotate = { angle = 'p*(L - 9007199254740990)' }\n[quantity.t]\n"
                       "kind = 'expectation'\nscheme = 't'\nhead_dim = 2\n"
                       "distances = { from = 9007199254740988, to = 9007199254740994 }\n"),
               Contains("which no double equals"));
    // One below, and for a scheme without L.
    CHECK(found(scheme + curve + "distances = { from = 9007199254740990, to = 9007199254740991 }\n",
                "t[9007199254740990] == -2*9007199254740990") == proven);
    CHECK(found("[scheme.t]\ndoc = 'd'\nbias = '-n'\n" + curve +
                    "distances = { from = 9007199254740990, to = 9007199254740994 }\n",
                "t[9007199254740993] == -9007199254740993") == proven);
}

TEST_CASE("a distance one beyond the query is refused at any size") {
    const std::string study =
        "[scheme.t]\ndoc = 'd'\nbias = '-n*k'\n[quantity.c]\nkind = 'curve'\nscheme = 't'\nquery = 9007199254740992\n";
    CHECK_THAT(problem(study + "distances = { from = 9007199254740992, to = 9007199254740993 }\n"),
               Contains("the distances reach beyond the query, to key -1"));
    CHECK(found(study + "distances = { from = 9007199254740991, to = 9007199254740992 }\n",
                "c[9007199254740992] == 0") == proven);
}

TEST_CASE("a cost of more than 2^53 tokens is refused, and one of 2^53 is enclosed") {
    const auto cost = [](const std::string& keys) { return "[quantity.c]\nkind = 'cost'\n" + keys; };
    CHECK_THAT(problem(cost("length = 9007199254740993\nwindow = 1\n")), Contains("'length' is 9007199254740993"));
    // 1 + 2 + ... + 2^53 = 2^52 (2^53 + 1)
    CHECK(found(cost("length = 9007199254740992\nwindow = 1\n"),
                "c.scores_cached == 9007199254740992 and c.scores_full >= 2^105 and c.scores_full <= 2^105 + 2^53") ==
          proven);
}

TEST_CASE("a missing value does not choose the branch of an if()") {
    const std::string row = "[quantity.row]\nkind = 'curve'\nformula = 'n*n'\nover = { n = { from = 0, to = 10 } }\n";
    const std::string table =
        "[quantity.t]\nkind = 'table'\nrows = ['a', 'b']\ncolumns = ['x', 'y', 'z']\nexact = true\n"
        "cells = [['9', '8', '7'], ['9', '-', '7']]\n";
    const auto verdict = [](const std::string& study, const std::string& holds) { return found(study, holds).verdict; };
    CHECK(verdict(table, "exists(i, 1, 1, if(t[i,1] > 8.5, t[i,0], t[i,2]) > 9.5)") == Verdict::undecided);
    CHECK(verdict(table, "all(i, 0, 1, if(t[i,1] > 8.5, t[i,0], t[i,2]) < 9.5)") == Verdict::undecided);
    CHECK(verdict(row, "all(n, 0, 1000, if(row[n] > 50, row[3], row[4]) > 8)") == Verdict::undecided);
    CHECK(verdict(row, "exists(n, 11, 20, if(row[n] > 50, row[3], row[4]) > 17)") == Verdict::undecided);
    CHECK(verdict(row, "sum(n, 0, 1000, if(row[n] >= 50, 1, 2)) >= 1001") == Verdict::undecided);
    CHECK(verdict(table, "all(i, 0, 1, if(exists(j, 1, 1, t[i,j] > 3), 3, 4) < t[0,2])") == Verdict::undecided);
    // Where no value is missing, and where a missing one is in the branch that is not chosen.
    CHECK(found(table, "all(i, 0, 0, if(t[i,1] > 7.5, t[i,0], t[i,2]) == 9)") == proven);
    CHECK(found(row, "all(n, 0, 10, if(row[n] > 50, row[3], row[4]) > 8)") == proven);
    CHECK(found(table, "all(i, 0, 1, if(t[i,0] > 8.5, t[i,2], t[i,1]) == 7)") == proven);
}

TEST_CASE("the tolerance of an identity is the decimal as written") {
    const auto identity = [](const std::string& left, const std::string& tolerance, const std::string& over) {
        return "[quantity.a]\nkind = 'identity'\nleft = '" + left + "'\nright = '0'\ntolerance = " + tolerance + "\n" +
               over;
    };
    const std::string grid = "over = { n = { from = 0, to = 1 } }\n";
    CHECK(found(identity("0.100000000000000005", "0.1", ""), "a.holds == 1").verdict != Verdict::confirmed);
    CHECK(found(identity("n*4e-324", "3e-324", grid), "a.holds == 1").verdict != Verdict::confirmed);
    CHECK(found(identity("n*0.100000000000000005", "0.1", grid), "a.holds == 1").verdict != Verdict::confirmed);
    CHECK(found(identity("n*0.09", "0.1", grid), "a.holds == 1") == proven);
    CHECK(found(identity("n*0.11", "0.1", grid), "a.holds == 1") == disproven);
}
