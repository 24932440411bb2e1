// Decimals, integers and closed numbers, which conditions take exactly.
#include <catch2/catch.hpp>

#include "claim/claim_support.hpp"

using namespace claim_support;
using core::Verdict;

namespace {

Verdict verdict(const std::string& holds) {
    const core::ClaimRecord record = judge(holds);
    // What is decided rests on exact numbers alone here.
    CHECK((record.certified || record.is_by_definition()) == (record.verdict != Verdict::undecided));
    return record.verdict;
}

std::string explanation(const std::string& holds) {
    return judge(holds).readings.at(0).explain;
}

std::string refusal(const std::string& holds) {
    try {
        with_condition(holds);
    } catch (const core::UserError& error) {
        return error.what();
    }
    return {};
}

/// A curve over 0, 0.1, ..., 1 whose value at the k-th point is k, and cells known as decimals.
struct Grids {
    core::Result row;
    std::vector<const core::Result*> all = {&row};

    Grids() {
        row.name = "row";
        row.kind = "curve";
        core::Series series;
        series.columns = {{"x", {}, {}, core::Steps{"0", "0.1"}}, {"value", {}, {}}};
        for (int k = 0; k <= 10; ++k) {
            series.columns[0].values.push_back(k / 10.0);
            series.columns[1].values.push_back(k);
            series.columns[1].enclosures.push_back(core::Enclosure::exactly(k));
        }
        series.rigour = core::Rigour::rigorous;
        row.series = std::move(series);
        row.set("argmin", core::Cell::rationally(0.3, {0.29999999999999998, 0.30000000000000004}, "0.3"));
        row.set("third", core::Cell::rationally(1.0 / 3, {0.33333333333333331, 0.33333333333333337}, "1/3"));
        row.set("near", core::Cell::enclosed(0.3, {0.29999999999999998, 0.30000000000000004}));
        row.set("stray", core::Cell{0.3, {}, core::Enclosure{0.31, 0.32}, core::Rigour::rigorous});
    }
};

core::ReadingRecord judge_grid(const std::string& holds) {
    const Grids grids;
    return claim::judge(with_condition(holds), grids.all).readings.at(0);
}

Verdict on_grid(const std::string& holds) {
    return judge_grid(holds).verdict;
}

}  // namespace

TEST_CASE("equalities of closed numbers are decided exactly") {
    // By hand: 1.5 is a tie and 2 is even; 2 is the cube root of 8.
    CHECK(verdict("round(0.15*10) == 2") == Verdict::confirmed);
    CHECK(verdict("round(0.25*10) == 3") == Verdict::refuted);
    CHECK(verdict("8^(1/3) == 2") == Verdict::confirmed);
    CHECK(verdict("(27/8)^(-2/3) == 4/9") == Verdict::confirmed);
    CHECK(verdict("8^(1/3) > 2") == Verdict::refuted);
    CHECK(verdict("sqrt(0.09) == 0.3") == Verdict::confirmed);
    CHECK(verdict("log(e) == 1") == Verdict::confirmed);
    CHECK(verdict("log(e) < 1") == Verdict::refuted);
    CHECK(verdict("log(e) >= 1") == Verdict::confirmed);
    CHECK(verdict("log(e) != 1") == Verdict::refuted);
    CHECK(verdict("log2(8) == 3") == Verdict::confirmed);
    CHECK(verdict("log2(0.125) == -3") == Verdict::confirmed);
    CHECK(verdict("exp(0) + cos(0) + sigmoid(0) == 2.5") == Verdict::confirmed);
    CHECK(verdict("0.1 + 0.2 == 0.3") == Verdict::confirmed);
    CHECK(verdict("-7.5 % 2 == 0.5") == Verdict::confirmed);
    CHECK(verdict("floor(-0.5) + ceil(1.2) + sign(-3) == 0") == Verdict::confirmed);
    CHECK(verdict("clamp(0.7, 0.1, 0.3) == 0.3") == Verdict::confirmed);
    CHECK(verdict("sum(i, 1, 4, 1/i) == 25/12") == Verdict::confirmed);
    CHECK(verdict("prod(i, 1, 5, i) == 120") == Verdict::confirmed);
    CHECK(verdict("floor(exp(1)) == 2") == Verdict::confirmed);
    CHECK(verdict("round(100*pi) == 314") == Verdict::confirmed);
}

TEST_CASE("closed numbers that are very close are distinguished with more digits") {
    // pi to 50 decimals, Euclid's digits as printed in any table: the next is 5.
    const std::string pi = "3.14159265358979323846264338327950288419716939937510";
    CHECK(verdict("pi > " + pi) == Verdict::confirmed);
    CHECK(verdict("pi == " + pi) == Verdict::refuted);
    // e^-200 is about 1e-87.
    CHECK(verdict("1 + exp(-200) > 1") == Verdict::confirmed);
    CHECK(verdict("sqrt(2) + 1e-250 == sqrt(2)") == Verdict::refuted);
}

TEST_CASE("an equality that is neither proved nor refuted stays undecided") {
    CHECK(verdict("sqrt(2) + exp(-10^6) == sqrt(2)") == Verdict::undecided);
    CHECK(verdict("log(-1) == log(-1)") == Verdict::undecided);
    CHECK(verdict("log(0) - log(0) == 0") == Verdict::undecided);
    CHECK(verdict("0/0 == 0/0") == Verdict::undecided);
    CHECK(verdict("inf == inf + 1") != Verdict::refuted);
    CHECK(verdict("0*log(-1) == 0") == Verdict::undecided);
}

TEST_CASE("a comparison with a part without a value stays undecided") {
    // Of extended reals each would hold: log(0) is -inf, 1/0 lies between -inf and inf.
    for (const char* holds :
         {"log(0) < 0", "log1p(-1) < 0", "exp(log(0)) == 0", "1/log(0) == 0", "tanh(1/0) < 2", "max(log(0), 1) == 1",
          "log(0) == -inf", "if(log(0) < 0, 1, 2) == 1", "sum(i, 0, 3, exp(log(i))) > 0", "not (log(0) > 1)",
          "all(i, 0, 3, log(i) < 2)", "exists(i, 0, 3, log(i) < -5)"}) {
        INFO(holds);
        CHECK(verdict(holds) == Verdict::undecided);
    }
    CHECK(explanation("log(0) < 0").find("a part is not shown to have a value") != std::string::npos);
    // A branch that is not taken, and what other parts settle, needs no value.
    CHECK(verdict("if(1 < 2, 3, 1/0) == 3") == Verdict::confirmed);
    CHECK(verdict("log(0) < 0 or 1 < 2") == Verdict::confirmed);
    CHECK(verdict("exists(i, 0, 3, log(i) > 1)") == Verdict::confirmed);
    // A written infinity is meant.
    CHECK(verdict("1/inf == 0 and inf > 1") == Verdict::confirmed);
}

TEST_CASE("all() and exists() count integers to 2^63 - 1") {
    CHECK(verdict("all(n, 10^16, 10^16 + 10, n % 2 == 0)") == Verdict::refuted);
    CHECK(explanation("all(n, 10^16, 10^16 + 10, n % 2 == 0)").find("at n = 10000000000000001") != std::string::npos);
    CHECK(verdict("exists(n, 2^53, 2^53 + 1, n == 9007199254740993)") == Verdict::confirmed);
    CHECK(verdict("all(n, 2^62 - 2, 2^62 + 2, n != 4611686018427387905)") == Verdict::refuted);
    CHECK(verdict("all(n, 9223372036854775800, 9223372036854775807, n >= 9223372036854775800)") == Verdict::confirmed);
    CHECK(verdict("exists(n, 9223372036854775800, 9223372036854775807, n == 9223372036854775807)") ==
          Verdict::confirmed);
    CHECK(verdict("all(n, -9223372036854775807, -9223372036854775800, n < -9223372036854775799)") ==
          Verdict::confirmed);
    CHECK(verdict("all(n, 2^63 - 1, 0, n > n)") == Verdict::confirmed);  // over none
}

TEST_CASE("loops within a comparison also count to 2^63 - 1") {
    CHECK(verdict("sum(n, 2^63 - 3, 2^63 - 1, 1) == 3") == Verdict::confirmed);
    CHECK(verdict("sum(n, 10^16, 10^16 + 10, if(n % 2 == 0, 0, 1)) == 5") == Verdict::confirmed);
    CHECK(verdict("sum(n, 10^16, 10^16 + 4, sqrt(n) - sqrt(n)) < 1") == Verdict::confirmed);
    CHECK(verdict("all(m, 1, 2, all(n, 10^16, 10^16 + 3, m*n % 2 == 0))") == Verdict::refuted);
}

TEST_CASE("a written bound beyond 2^63 - 1 is an error, and a computed one is undecided") {
    for (const char* bound : {"9223372036854775808", "-9223372036854775808", "10^19", "2^63"}) {
        INFO(bound);
        CHECK(refusal("all(n, " + std::string(bound) + ", " + bound + ", n >= 0)").find("is beyond 2^63 - 1") !=
              std::string::npos);
        CHECK(refusal("sum(n, " + std::string(bound) + ", " + bound + ", n) >= 0").find("is beyond 2^63 - 1") !=
              std::string::npos);
    }
    CHECK(refusal("all(n, 0, 2^63 - 1, n >= 0)").empty());
    CHECK(verdict("all(n, 2^60*fit.points, 2^60*fit.points + 1, n > 0)") == Verdict::undecided);
    CHECK(explanation("all(n, 2^60*fit.points, 2^60*fit.points + 1, n > 0)").find("is beyond 9223372036854775807") !=
          std::string::npos);
    CHECK(refusal("all(n, 0, 0.5, n >= 0)").find("the last value of all() is 0.5") != std::string::npos);
    CHECK(verdict("all(n, 0, 0.25 + 0.25, n >= 0)") == Verdict::undecided);
    CHECK(verdict("all(n, 0, sqrt(2)^2, n >= 0)") != Verdict::refuted);
}

TEST_CASE("a lookup finds the decimal point of a grid") {
    for (int k = 0; k <= 10; ++k) {
        const std::string at = k == 10 ? "1" : "0." + std::to_string(k);
        INFO(at);
        CHECK(on_grid("row[" + at + "] == " + std::to_string(k)) == Verdict::confirmed);
    }
    CHECK(on_grid("row[3/10] == 3") == Verdict::confirmed);
    CHECK(on_grid("row[1 - 0.7] == 3") == Verdict::confirmed);
    CHECK(on_grid("row[row.argmin] == 3") == Verdict::confirmed);
    // The double nearest to 0.3 is that of 0.30000000000000001 too, which is not a point of the grid.
    CHECK(on_grid("row[0.30000000000000001] == 3") == Verdict::undecided);
    CHECK(on_grid("row[1/3] == 3") == Verdict::undecided);
    CHECK(on_grid("row[row.near] == 3") == Verdict::undecided);
}

TEST_CASE("a measured coordinate is found by its written decimal or by its double") {
    core::Result series;
    series.name = "s";
    series.kind = "table";
    series.series = core::Series{{{"x", {0.1, 0.5}, {}}, {"value", {1, 2}, {}}}, core::Rigour::none, 1};
    const auto verdict_on = [&](const std::string& holds) {
        return claim::judge(with_condition(holds), {&series}).verdict;
    };
    CHECK(verdict_on("s[0.1] == 1") == Verdict::confirmed);
    CHECK(verdict_on("s[0.1000000000000000055511151231257827021181583404541015625] == 1") == Verdict::confirmed);
    CHECK(verdict_on("s[0.1000000000000000001] == 1") == Verdict::undecided);
    CHECK(verdict_on("s[1/2] == 2") == Verdict::confirmed);
}

TEST_CASE("a cell that is known exactly is used as its decimal or fraction") {
    CHECK(on_grid("row.argmin == 0.3") == Verdict::confirmed);
    CHECK(on_grid("row.argmin >= 0.3") == Verdict::confirmed);
    CHECK(on_grid("3*row.third == 1") == Verdict::confirmed);
    CHECK(on_grid("row.near == 0.3") == Verdict::undecided);
    CHECK(judge_grid("row.argmin == 0.3").explain.starts_with("row.argmin = 0.3 exactly"));
}

TEST_CASE("rows of a formula's curve are its exact values, one by one and under all() and exists()") {
    core::Result line;
    line.name = "line";
    line.kind = "curve";
    core::Series series;
    series.columns = {{"n", {}, {}, core::Steps{"0", "1"}}, {"value", {}, {}, {}, "n/10"}};
    for (int n = 0; n <= 10; ++n) {
        series.columns[0].values.push_back(n);
        series.columns[1].values.push_back(n / 10.0);
        series.columns[1].enclosures.push_back({std::nextafter(n / 10.0, -1), std::nextafter(n / 10.0, 2)});
    }
    series.rigour = core::Rigour::rigorous;
    line.series = std::move(series);
    const auto verdict = [&](const std::string& holds) {
        return claim::judge(with_condition(holds), {&line}).readings.at(0).verdict;
    };
    CHECK(verdict("line[3] == 0.3") == Verdict::confirmed);
    CHECK(verdict("line[3] > 0.3") == Verdict::refuted);
    CHECK(verdict("line[1] + line[2] == line[3]") == Verdict::confirmed);
    CHECK(verdict("all(i, 0, 10, line[i] == 0.1*i)") == Verdict::confirmed);
    CHECK(verdict("exists(i, 0, 10, line[i] == 0.35)") == Verdict::refuted);
    CHECK(claim::judge(with_condition("line[3] == 0.3"), {&line})
              .readings.at(0)
              .explain.starts_with("line[3] = 0.3 exactly"));
    // A fraction that is too long to read is shown by what encloses it.
    line.series->columns[1].formula = "n/10 + 1e-40";
    const auto shown = claim::judge(with_condition("line[3] > 0.3"), {&line}).readings.at(0);
    CHECK(shown.verdict == Verdict::confirmed);
    CHECK(shown.explain.find("exactly") == std::string::npos);
    // A row of which nothing is known stays so.
    line.series->columns[1].formula = "n/10";
    line.series->columns[1].enclosures[3] = {-INFINITY, INFINITY};
    CHECK(verdict("line[3] == 0.3") == Verdict::undecided);
    CHECK(verdict("line[4] == 0.4") == Verdict::confirmed);
    CHECK(verdict("all(i, 0, 10, line[i] == 0.1*i)") == Verdict::undecided);
    line.series->columns[1].enclosures[3] = {0.2, 0.4};
    // Without the formula nothing but the enclosures is known.
    line.series->columns[1].formula.clear();
    CHECK(verdict("line[3] == 0.3") == Verdict::undecided);
}

TEST_CASE("an explanation shows the numbers that decided") {
    // 1 + 1e-12 and 1 are alike to ten digits.
    CHECK(explanation("exp(0) + 1e-12 > 1") == "exp(0) + 1e-12 > 1: 1.000000000001 > 1 holds");
    CHECK(explanation("sqrt(2) > 1.41421356237309") ==
          "sqrt(2) > 1.41421356237309: [1.4142135623730949, 1.4142135623730954] > 1.41421356237309 holds");
    // The number of the cell lies outside what encloses it.
    CHECK(judge_grid("row.stray > 0.305").explain == "row.stray = [0.31, 0.32]; row.stray > 0.305 holds");
}
