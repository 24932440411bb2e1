#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

Known curve(const std::string& formula, int from, int to) {
    const std::string range = "distances = { from = " + std::to_string(from) + ", to = " + std::to_string(to) + " }";
    return {{"row", compute(curve_kind(), "formula = '" + formula + "'\n" + range)}};
}

TEST_CASE("a curve that the model can describe is fitted exactly") {
    const core::Result result =
        compute(fit_kind(), "of = 'row'\nmodel = 'a*log(1 + n) + b'", curve("-0.75*log(1 + n) + 3", 0, 500));
    check_field(result, "a", -0.75, 1e-12);
    check_field(result, "b", 3, 1e-12);
    check_field(result, "r2", 1, 1e-12);
    check_field(result, "max_error", 0, 1e-12);
    check_field(result, "points", 501);
}

TEST_CASE("the line through 0, 1, 3 has the slope 3/2 and the errors of the textbook") {
    // Points (0,0) (1,1) (2,3): slope 3/2, intercept -1/6, SSres 1/6, SStot 14/3, s = sqrt(1/6), se slope = s/sqrt(2),
    // se intercept = s sqrt(1/3 + 1/2).
    const core::Result result =
        compute(fit_kind(), "of = 'row'\nmodel = 'slope*n + shift'", curve("n*(n + 1)/2", 0, 2));
    check_field(result, "slope", 1.5, 1e-14);
    check_field(result, "shift", -1.0 / 6, 1e-14);
    check_field(result, "slope_se", std::sqrt(1.0 / 12), 1e-13, false);
    check_field(result, "shift_se", std::sqrt(5.0 / 36), 1e-13, false);
    check_field(result, "r2", 1 - 1.0 / 28, 1e-13);
    check_field(result, "rmse", std::sqrt(1.0 / 18), 1e-13);
    check_field(result, "max_error", 1.0 / 3, 1e-13);
}

TEST_CASE("parameters of rational points are exact, and others are enclosed") {
    const auto text = [](const core::Result& result, const char* name) { return result.find(name)->rational; };
    // Points (0,0) (1,1) (2,3), as above: by hand from the normal equations 5a + 3b = 7, 3a + 3b = 4.
    const core::Result line = compute(fit_kind(), "of = 'row'\nmodel = 'slope*n + shift'", curve("n*(n + 1)/2", 0, 2));
    CHECK(line.find("slope")->enclosure == core::Enclosure::exactly(1.5));
    CHECK(line.find("slope")->rigour == core::Rigour::exact);
    CHECK(text(line, "shift") == "-1/6");
    const Known decimals = curve("0.2 - 0.3*n", 0, 9);
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a*n + b'", decimals), "a") == "-0.3");
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a*n + b'", decimals), "b") == "0.2");
    // What stays of 0.2 - 0.3 n without 0.1 n and the parabola's other terms.
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a*n + b + 0.1*n'", decimals), "a") == "-0.4");
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a*n^2 + b*n + c'", decimals), "b") == "-0.3");
    // The mean of 0, 1, 4, 9 over the points with 1 <= n <= 3 is 14/3.
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a'\nrange = { from = 1, to = 3 }", curve("n^2", 0, 3)), "a") ==
          "14/3");
    for (const char* model : {"a*log(1 + n) + b", "a*n + pi"})
        CHECK(text(compute(fit_kind(), std::string("of = 'row'\nmodel = '") + model + "'", decimals), "a").empty());
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a*n + b'", curve("sqrt(n)", 0, 9)), "a").empty());
    CHECK(text(compute(fit_kind(), "of = 'row'\nmodel = 'a*n + b'\nweights = '1 + n'", decimals), "a").empty());
}

TEST_CASE("Sandwich's last row has the log fit that the study format quotes") {
    // a = -0.8324, b = -0.7938, r2 = 0.7226 over distances 0..8191 for h = 8, D = 128, to the printed digits.
    const Known known = {
        {"row", compute(curve_kind(), "scheme = 'sandwich'\nhead = 8\nheads = 8\ndistances = { to = 8191 }", {},
                        scheme::Registry::builtin())}};
    const core::Result result = compute(fit_kind(), "of = 'row'\nmodel = 'a*log(1 + n) + b'", known);
    check_field(result, "a", -0.8324, 5e-5);
    check_field(result, "b", -0.7938, 5e-5);
    check_field(result, "r2", 0.7226, 5e-5);
    CHECK(result.find("a")->enclosure->width() < 1e-8);
}

TEST_CASE("terms that do not depend on parameters are subtracted from the data") {
    const core::Result result = compute(fit_kind(), "of = 'row'\nmodel = 'a*n + n^2'", curve("n^2 - 4*n", 0, 10));
    check_field(result, "a", -4, 1e-13);
}

TEST_CASE("r2 is about the mean of the data, including terms that do not depend on parameters") {
    // 0, 1, 4 by a + n^2 - n: a = 1, residuals -1, 0, 1, and the data's squares about 5/3 add up to 26/3.
    const core::Result result = compute(fit_kind(), "of = 'row'\nmodel = 'a + n^2 - n'", curve("n^2", 0, 2));
    check_field(result, "a", 1, 1e-14);
    check_field(result, "r2", 1 - 6.0 / 26, 1e-14);
}

TEST_CASE("a model that has no value at a point is refused, though its derivatives have one") {
    // By a, n/n is 1 without its pole, exp(log(n)) is n for all n, and 0*log(n) is 0.
    for (const char* model : {"a*(n/n) + b", "a*exp(log(n)) + b", "a*n + 0*log(n)", "a*sqrt(n)^2 + b"})
        CHECK_THROWS_WITH(compute(fit_kind(), std::string("of = 'row'\nmodel = '") + model + "'", curve("n^2", -1, 5)),
                          Contains("a finite value at every point of the fit"));
    // In doubles 1/exp(1/0) is 0; no real number is.
    const core::Result result = compute(fit_kind(), "of = 'row'\nmodel = 'a*n + b + 0/exp(1/n)'", curve("n^2", 0, 5));
    REQUIRE(result.find("a"));
    CHECK_FALSE(result.find("a")->enclosure);
    const core::Result weighted =
        compute(fit_kind(), "of = 'row'\nmodel = 'a*n'\nweights = '1 + 1/exp(1/n)'", curve("n^2", 0, 5));
    REQUIRE(weighted.find("a"));
    CHECK_FALSE(weighted.find("a")->enclosure);
}

TEST_CASE("let names may occur in the model and are not parameters") {
    const core::Result result =
        compute(fit_kind(), "of = 'row'\nmodel = 'a*f'\nlet = { f = 'sqrt(n)' }", curve("7*sqrt(n)", 0, 10));
    check_field(result, "a", 7, 1e-13);
    CHECK_FALSE(result.find("f"));
}

TEST_CASE("a range and weights select the fitted points") {
    const Known known = curve("n < 10 ? 2*n : 100", 0, 20);
    check_field(compute(fit_kind(), "of = 'row'\nmodel = 'a*n'\nrange = { from = 0, to = 9 }", known), "a", 2, 1e-13);
    const core::Result weighted = compute(fit_kind(), "of = 'row'\nmodel = 'a*n'\nweights = 'n < 10 ? 1 : 0'", known);
    check_field(weighted, "a", 2, 1e-13);
    check_field(weighted, "points", 10);
}

TEST_CASE("a range selects among integers that doubles do not distinguish") {
    // 2^53 + 1, 2^53 + 2 and 2^53 + 3 of nine; their mean is 2^53 + 2.
    const Known known = {
        {"row",
         compute(curve_kind(), "formula = 'n'\nover = { n = { from = 9007199254740990, to = 9007199254740998 } }")}};
    const core::Result result = compute(
        fit_kind(), "of = 'row'\nmodel = 'p'\nrange = { from = 9007199254740993, to = 9007199254740995 }", known);
    check_field(result, "points", 3);
    check_field(result, "p", 9007199254740994);
}

TEST_CASE("weights that doubles round are enclosed") {
    // The weights are 1e-15 n exactly, and 0 or a multiple of 2^-52 in doubles. With weights n the normal equations are
    // 21 a + 91 b = 441 and 91 a + 441 b = 2275: a = -12.8, b = 7.8. In doubles the line has a = -12.598.
    const core::Result result =
        compute(fit_kind(), "of = 'row'\nmodel = 'a + b*n'\nweights = '(1 + 1e-15*n) - 1'", curve("n^2", 0, 6));
    check_field(result, "a", -12.8, 1e-12);
    check_field(result, "b", 7.8, 1e-12);
    check_field(result, "points", 6);
    // 1e-17 n is lost in doubles: no weight is positive there, so there is no line.
    CHECK_THROWS(
        compute(fit_kind(), "of = 'row'\nmodel = 'a + b*n'\nweights = '(1 + 1e-17*n) - 1'", curve("n^2", 0, 6)));
}

TEST_CASE("a model is linear only if its parameters occur linearly") {
    // The derivative of floor(a) is 0, and yet the model is not linear in a: no enclosure is claimed.
    for (const char* model : {"a*n + floor(a)",
                              "abs(a)*n",
                              "if(a > 0, a, 2*a)*n",
                              "max(a*n, 0)",
                              "n*abs(a)",
                              "a*a*n",
                              "n*(a*a)",
                              "n - abs(a)",
                              "abs(a) - n",
                              "-abs(a)*n",
                              "abs(a)/2*n",
                              "n/a",
                              "if(n > 2, n, abs(a)*n)",
                              "if(n > 2, abs(a)*n, n)",
                              "sum(i, 1, a, n)",
                              "sum(i, a, 2, n)",
                              "sum(i, 1, 2, abs(a)*n)",
                              "prod(i, 1, 2, a)*n",
                              "n^a",
                              "a^2*n"}) {
        INFO(model);
        const core::Result result =
            compute(fit_kind(), std::string("of = 'row'\nmodel = '") + model + "'", curve("2*n", 0, 6));
        CHECK_FALSE(result.find("a")->enclosure);
    }
    const char* linear = "of = 'row'\nmodel = 'n > 2 ? a*n : sum(i, 1, 3, b*i)/2 - (-a)*n'";
    CHECK(compute(fit_kind(), linear, curve("n^2", 0, 6)).find("a")->enclosure);
    for (const char* model : {"n*a", "a*n", "a*n/2", "-(a*n)", "n - a", "a - n", "if(n > 2, a*n, n)",
                              "sum(i, 1, 2, i*a)", "if(n > 2, n, a)"}) {
        INFO(model);
        const core::Result result =
            compute(fit_kind(), std::string("of = 'row'\nmodel = '") + model + "'", curve("2*n", 0, 6));
        CHECK(result.find("a")->enclosure);
    }
}

TEST_CASE("a model that is not linear in its parameters is found from a start") {
    const core::Result result =
        compute(fit_kind(), "of = 'row'\nmodel = 'a*exp(-b*n) + c'\nstart = { a = 1, b = 0.1, c = 0 }",
                curve("5*exp(-0.03*n) + 1", 0, 200));
    check_field(result, "a", 5, 1e-9, false);
    check_field(result, "b", 0.03, 1e-11, false);
    check_field(result, "c", 1, 1e-9, false);
}

TEST_CASE("NIST's Misra1a is fitted to its certified digits") {
    // NIST StRD nonlinear regression, Misra1a, start 2: b1 = 2.3894212918E+02, b2 = 5.5015643181E-04,
    // standard errors 2.7070075241E+00 and 7.2668688436E-06.
    core::Result data;
    core::Series series;
    series.columns = {
        {"x", {77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0}, {}},
        {"y", {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78}, {}}};
    data.series = series;
    const core::Result result =
        compute(fit_kind(), "of = 'misra'\nmodel = 'b1*(1 - exp(-b2*x))'\nstart = { b1 = 250, b2 = 0.0005 }",
                {{"misra", data}});
    check_field(result, "b1", 2.3894212918e+02, 1e-7, false);
    check_field(result, "b2", 5.5015643181e-04, 1e-13, false);
    check_field(result, "b1_se", 2.7070075241, 1e-6, false);
    check_field(result, "b2_se", 7.2668688436e-06, 1e-12, false);
}

/// A table of exact decimals: a row for each line of numbers.
Known table(const std::string& columns, const std::vector<std::string>& lines) {
    std::string rows, cells;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        rows += (i == 0 ? "'" : ", '") + std::to_string(i + 1) + "'";
        cells += (i == 0 ? "[" : ", [") + lines[i] + "]";
    }
    return {{"data", compute(table_kind(), "rows = [" + rows + "]\ncolumns = [" + columns + "]\ncells = [" + cells +
                                               "]\nexact = true")}};
}

TEST_CASE("a table of two columns is fitted as a curve is") {
    const Known data = table("'x', 'y'", {"0, 0", "1, 1", "2, 3"});
    const core::Result result = compute(fit_kind(), "of = 'data'\nresponse = 'y'\nmodel = 'slope*x + shift'", data);
    check_field(result, "slope", 1.5, 1e-14);
    check_field(result, "shift", -1.0 / 6, 1e-14);
    check_field(result, "r2", 1 - 1.0 / 28, 1e-13);
    CHECK(result.series->columns[0].name == "row");
    CHECK(result.series->columns[2].values == std::vector<double>{0, 1, 3});
    // 'range' is about rows: through (0, 0) and (1, 1).
    const core::Result part =
        compute(fit_kind(), "of = 'data'\nresponse = 'y'\nmodel = 'slope*x'\nrange = { from = 1, to = 2 }", data);
    check_field(part, "slope", 1, 1e-15);
    check_field(part, "points", 2);
}

TEST_CASE("NIST's Longley, of six predictors, is fitted to its certified digits") {
    // NIST StRD linear regression, Longley; the enclosures are of the decimals of the table.
    const Known data =
        table("'y', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6'",
              {"60323, 83.0, 234289, 2356, 1590, 107608, 1947", "61122, 88.5, 259426, 2325, 1456, 108632, 1948",
               "60171, 88.2, 258054, 3682, 1616, 109773, 1949", "61187, 89.5, 284599, 3351, 1650, 110929, 1950",
               "63221, 96.2, 328975, 2099, 3099, 112075, 1951", "63639, 98.1, 346999, 1932, 3594, 113270, 1952",
               "64989, 99.0, 365385, 1870, 3547, 115094, 1953", "63761, 100.0, 363112, 3578, 3350, 116219, 1954",
               "66019, 101.2, 397469, 2904, 3048, 117388, 1955", "67857, 104.6, 419180, 2822, 2857, 118734, 1956",
               "68169, 108.4, 442769, 2936, 2798, 120445, 1957", "66513, 110.8, 444546, 4681, 2637, 121950, 1958",
               "68655, 112.6, 482704, 3813, 2552, 123366, 1959", "69564, 114.2, 502601, 3931, 2514, 125368, 1960",
               "69331, 115.7, 518173, 4806, 2572, 127852, 1961", "70551, 116.9, 554894, 4007, 2827, 130081, 1962"});
    const core::Result result = compute(
        fit_kind(), "of = 'data'\nresponse = 'y'\nmodel = 'b0 + b1*x1 + b2*x2 + b3*x3 + b4*x4 + b5*x5 + b6*x6'", data);
    const std::vector<std::pair<std::string, double>> certified = {
        {"b0", -3482258.63459582}, {"b1", 15.0618722713733},    {"b2", -0.0358191792925910}, {"b3", -2.02022980381683},
        {"b4", -1.03322686717359}, {"b5", -0.0511041056535807}, {"b6", 1829.15146461355}};
    for (const auto& [name, value] : certified) {
        CAPTURE(name);
        check_field(result, name, value, std::abs(value) * 1e-9, false);
    }
    check_field(result, "r2", 0.995479004577296, 1e-12, false);
    REQUIRE(result.find("b1")->enclosure);
    CHECK(result.find("b1")->enclosure->width() < 1e-3);
}

TEST_CASE("a column of a table is neither a constant nor the response in a model") {
    const Known data = table("'x', 'y', 'e'", {"1, 2, 3", "2, 3, 5", "3, 3.5, 9"});
    CHECK_THROWS_WITH(compute(fit_kind(), "of = 'data'\nresponse = 'y'\nmodel = 'a*e + b'", data),
                      Contains("'e' is a column of the table and a constant"));
    CHECK_THROWS_WITH(compute(fit_kind(), "of = 'data'\nresponse = 'y'\nmodel = 'y*x + b'", data),
                      Contains("the response 'y' is in the model"));
    check_field(compute(fit_kind(), "of = 'data'\nresponse = 'e'\nmodel = 'a*x + b'", data), "a", 3, 1e-13);
}

TEST_CASE("a fit of a table names what is missing") {
    const Known data = table("'x', 'y'", {"0, 0", "1, 1", "2, '-'"});
    const auto refused = [&](const std::string& keys) { return refusal(fit_kind(), "of = 'data'\n" + keys, data); };
    CHECK_THAT(refused("model = 'a*x'"), Contains("a fit of a table without 'response'"));
    CHECK_THAT(refused("model = 'a*x'\nresponse = 'z'"), Contains("no column 'z'"));
    CHECK_THAT(refused("model = 'a*x'\nresponse = 'y'"), Contains("no number in row '3' of column 'y'"));
}

TEST_CASE("a fit's series is the fitted curve, the data and the residual") {
    const core::Result result = compute(fit_kind(), "of = 'row'\nmodel = 'b'", curve("n", 0, 2));
    REQUIRE(result.series);
    REQUIRE(result.series->columns.size() == 4);
    CHECK(result.series->columns[1].values == std::vector<double>{1, 1, 1});
    CHECK(result.series->columns[2].values == std::vector<double>{0, 1, 2});
    CHECK(result.series->columns[3].values == std::vector<double>{-1, 0, 1});
}

TEST_CASE("evidence has the model, its parameters in their order, and the weights") {
    const core::Result result =
        compute(fit_kind(), "of = 'row'\nmodel = 'b*n + a'\nweights = 'n + 1'", curve("n", 0, 4));
    const auto fact = [&](const std::string& key) -> std::string {
        for (const auto& [name, text] : result.evidence.facts)
            if (name == key) return text;
        return "none";
    };
    CHECK(fact("model") == "b*n + a");
    CHECK(fact("weights") == "n + 1");
    const std::set<std::string> parameters = {fact("parameter.1"), fact("parameter.2")};
    CHECK(parameters == std::set<std::string>{"a", "b"});
    CHECK(fact("parameter.3") == "none");
}

TEST_CASE("a parameter does not have the name of another value of the fit") {
    const Known known = {{"row", compute(curve_kind(), "formula = 'n'\ndistances = { to = 9 }")}};
    const auto told = [&](const std::string& model) {
        return refusal(fit_kind(), "of = 'row'\nmodel = '" + model + "'", known);
    };
    for (const char* name : {"r2", "rmse", "max_error", "points", "condition", "a_se"}) {
        INFO(name);
        CHECK_THAT(
            told("a*n + " + std::string(name)),
            Catch::Contains("'" + std::string(name) + "' is the name of a result of a fit; expected another name"));
    }
    // The variable, `let` names and a standard error of no parameter take no value's place.
    for (const char* model : {"a*n + b_se", "r*n + rmse2", "a*n + se"}) CHECK(told(model).empty());
    CHECK(refusal(fit_kind(), "of = 'row'\nmodel = 'a*n + r2'\nlet = { r2 = 3 }", known).empty());
}

TEST_CASE("invalid fits are refused") {
    const Known known = curve("n", 0, 10);
    const auto text = [&](const std::string& toml) { return refusal(fit_kind(), toml, known); };
    CHECK_THAT(text("of = 'row'\nmodel = 'a*n + b'\nrange = { from = 3, to = 3000 }"),
               Contains("3:9: the range ends at 3000, after the last point"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*n + b'\nrange = { from = 3, to = 3 }"),
               Contains("1 points for 2 parameters"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*m + b'"), Contains("variable 'n'"));
    CHECK_THAT(text("of = 'row'\nmodel = '2*n'"), Contains("no parameter"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*n + b*n'"), Contains("do not tell the parameters apart"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*log(n)'"), Contains("-inf") && Contains("n = 0"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*n'\nweights = 'n - 5'"), Contains("weight") && Contains("n = 0"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*n'\nweights = 'w'"), Contains("'w'"));
    CHECK_THAT(text("of = 'row'\nmodel = 'exp(a*n)'\nstart = { aa = 1 }"), Contains("no parameter 'aa'"));
    CHECK_THAT(text("of = 'raw'\nmodel = 'a*n'"), Contains("Did you mean 'row'"));
    CHECK_THAT(text("of = 'row'\nmodel = 'a*(n'"), Contains("2:1"));
    CHECK_THAT(text("of = 'row'"), Contains("'model'"));
    CHECK_THAT(text("model = 'a*n'"), Contains("'of'"));
}

}  // namespace
}  // namespace farfield::quantity
