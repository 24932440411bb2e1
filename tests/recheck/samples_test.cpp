// Correlations and t-tests proved again: closed forms for few degrees of freedom, and the values that R prints.
#include <initializer_list>
#include <string>

#include "recheck/recheck_support.hpp"

using namespace recheck_support;

namespace {

/// The facts of a sample of decimals; those in apostrophes are printed numbers.
Texts sample(const std::string& name, std::initializer_list<const char*> numbers) {
    Texts facts;
    for (const std::string number : numbers) {
        const std::string key = name + "." + std::to_string(facts.size());
        if (number.starts_with('\''))
            facts[key + ".printed"] = number.substr(1, number.size() - 2);
        else
            facts[key] = number;
    }
    return facts;
}

std::string correlation(const Texts& x, const Texts& y, const std::string& name = "r") {
    return quantity(name, "correlation", with(x, y));
}

// Student's sleep data, as R prints it.
const Texts first_drug = sample("a", {"0.7", "-1.6", "-0.2", "-1.2", "-0.1", "3.4", "3.7", "0.8", "0.0", "2.0"});
const Texts second_drug = sample("b", {"1.9", "0.8", "1.1", "0.1", "-0.1", "4.4", "5.5", "1.6", "4.6", "3.4"});

std::string ttest(const Texts& more, const std::string& name = "d") {
    return quantity(name, "ttest", with(with(first_drug, second_drug), more));
}

}  // namespace

TEST_CASE("a correlation of decimals: squares and their roots") {
    const std::string r = correlation(sample("x", {"1", "2", "3", "4"}), sample("y", {"1", "4", "9", "16"}));
    // 25/root(5*129). With two degrees of freedom, p is 1 - r.
    check_both(r, "about(r.pearson, 25/sqrt(645), 1e-18) and about(r.pearson_p, 1 - 25/sqrt(645), 1e-18)");
    check_both(r, "r.spearman == 1 and r.spearman_p == 0 and r.n == 4");
    check_both(correlation(sample("x", {"1", "2", "3", "4"}), sample("y", {"16", "9", "4", "1"})), "r.spearman == -1");
}

TEST_CASE("the p of three points is 2 acos(r)/pi, of two there is none") {
    // Deviations -1, 0, 1 and -1, 1, 0: the correlation is 1/2, and acos(1/2) is pi/3.
    const std::string three = correlation(sample("x", {"1", "2", "3"}), sample("y", {"10", "12", "11"}));
    check_both(three, "r.pearson == 1/2 and r.spearman == 1/2 and about(r.pearson_p, 2/3, 1e-18)");
    const std::string two = correlation(sample("x", {"1", "2"}), sample("y", {"0.3", "0.1"}));
    check_both(two, "r.pearson == -1");
    CHECK(outcome(two, "r.pearson_p <= 1", "confirmed") == Outcome::open);
    const std::string level = correlation(sample("x", {"1", "2"}), sample("y", {"3", "3"}));
    CHECK(outcome(level, "r.pearson == 1", "confirmed") == Outcome::open);
}

TEST_CASE("equal numbers have the mean of their ranks") {
    // Ranks 1.5, 1.5, 3 and 1, 2, 3: products 1.5, squares 1.5 and 2.
    const std::string ties = correlation(sample("x", {"5", "5.0", "7"}), sample("y", {"1", "2", "3"}));
    check_both(ties, "about(r.spearman, sqrt(3)/2, 1e-18)");
    const std::string printed = correlation(sample("x", {"'5'", "'5'", "7"}), sample("y", {"1", "2", "3"}));
    CHECK(outcome(printed, "r.spearman > 0", "confirmed") == Outcome::open);
    check_both(correlation(sample("x", {"'5'", "'6.1'", "7"}), sample("y", {"1", "2", "3"})), "r.spearman == 1");
}

TEST_CASE("printed numbers are known within half a unit of their last digit") {
    const std::string r = correlation(sample("x", {"0", "'10'", "20"}), sample("y", {"0", "1", "2"}));
    // With x = 0, 10 + e, 20, r is 10/root(100 + e^2/3).
    check_both(r, "r.pearson > 0.96");
    CHECK(outcome(r, "r.pearson == 1", "confirmed") == Outcome::open);
}

TEST_CASE("the three t-tests of the sleep data") {
    // R: t = -4.0621, df = 9, p-value = 0.002833; t = -1.8608, df = 18, p-value = 0.07919; t = -1.8608, df = 17.776,
    // p-value = 0.07939.
    check_both(ttest({{"setting.paired", "true"}}),
               "about(d.t, -4.0621, 1e-4) and d.df == 9 and d.sign == -1 and "
               "about(d.p, 0.002833, 2e-4) and d.mean_difference == -1.58");
    check_both(ttest({}), "about(d.t, -1.8608, 1e-4) and d.df == 18 and about(d.p, 0.07919, 1e-4)");
    check_both(ttest({{"setting.equal_variances", "false"}}),
               "about(d.t, -1.8608, 1e-4) and about(d.df, 17.776, 1e-4) and about(d.p, 0.07939, 1e-4)");
    CHECK(outcome(ttest({}), "d.sign == -1", "confirmed") == Outcome::open);
    check_both(ttest({{"setting.alpha", "0.08"}}), "d.sign == -1");
    CHECK(outcome(ttest({}), "d.p_holm < 1", "confirmed") == Outcome::open);
}

TEST_CASE("the p of a t-test with one degree of freedom is that of Cauchy's distribution") {
    // Differences 1 and 3: t = 2/1.
    const Texts pairs = with(sample("a", {"1", "3"}), sample("b", {"0", "0"}));
    check_both(quantity("d", "ttest", with(pairs, {{"setting.paired", "true"}})),
               "d.t == 2 and about(d.p, 1 - 2*atan2(2, 1)/pi, 1e-18)");
}

TEST_CASE("the sign takes all tests on record into account") {
    const Texts paired = {{"setting.paired", "true"}};
    // p is 0.00283: with another test of the same p and alpha 0.0057, twice the p is below alpha, and three times is
    // not.
    const Texts strict = with(paired, {{"setting.alpha", "0.0057"}});
    check_both(ttest(strict) + ", " + ttest(paired, "e"), "d.sign == -1");
    const std::string three = ttest(strict) + ", " + ttest(paired, "e") + ", " + ttest(paired, "f");
    CHECK(outcome(three, "d.sign == -1", "confirmed") == Outcome::open);
    // A correlation is two tests, whether its p is known or not, and larger ones come after.
    const std::string other = correlation(sample("x", {"1", "2"}), sample("y", {"2", "1"}));
    CHECK(outcome(ttest(strict) + ", " + other, "d.sign == -1", "confirmed") == Outcome::open);
    check_both(ttest(with(paired, {{"setting.alpha", "0.0085"}})) + ", " + other, "d.sign == -1");
    // Two tests with a p of 0 come first, so that 0.00283 is multiplied by 1.
    const Texts exact = with(sample("x", {"1", "2", "3", "4"}), sample("y", {"1", "2", "3", "4"}));
    check_both(ttest(with(paired, {{"setting.alpha", "0.003"}})) + ", " + quantity("r", "correlation", exact),
               "d.sign == -1");
}

TEST_CASE("numbers of a sample come from series, values and printed tables") {
    const std::string curve =
        quantity("c", "curve", {{"formula", "n^2"}, {"setting.over.n.from", "1"}, {"setting.over.n.to", "3"}});
    const std::string table =
        R"("t": {"kind": "table", "values": {}, "evidence": {"facts": {"setting.exact": "true"}}, )"
        R"("table": {"rows": ["u", "v"], "columns": ["w"], "cells": [[4], [8]], "printed": [["4"], ["8"]]}})";
    const Texts x = {{"x.0.of", "c"}, {"x.0.column", "value"}, {"x.0.point", "2"},   // 4
                     {"x.1.of", "t"}, {"x.1.row", "v"},        {"x.1.column", "w"},  // 8
                     {"x.2.of", "c"}, {"x.2.value", "min"}};                         // 1
    const std::string sources = curve + ", " + table + ", ";
    check_both(sources + correlation(x, sample("y", {"4", "8", "1"})), "r.pearson == 1 and r.spearman == 1");
    const auto with_first = [&](const Texts& first) {
        return sources + correlation(with(first, {{"x.1", "1"}, {"x.2", "7"}}), sample("y", {"4", "8", "1"}));
    };
    CHECK(outcome(with_first({{"x.0", "4"}}), "r.n == 3", "confirmed") == Outcome::proved);
    for (const Texts& first : {Texts{{"x.0.of", "c"}, {"x.0.column", "value"}, {"x.0.point", "4"}},
                               Texts{{"x.0.of", "c"}, {"x.0.column", "value"}, {"x.0.point", "0"}},
                               Texts{{"x.0.of", "c"}, {"x.0.row", "u"}, {"x.0.column", "w"}},
                               Texts{{"x.0.of", "t"}, {"x.0.row", "z"}, {"x.0.column", "w"}}, Texts{{"x.0.of", "c"}},
                               Texts{{"x.0", "four"}}, Texts{}})
        CHECK(outcome(with_first(first), "r.n == 3", "confirmed") == Outcome::open);
    // Samples of different size, and one that the evidence does not state.
    CHECK(outcome(correlation(sample("x", {"1", "2", "3"}), sample("y", {"1", "2"})), "r.n == 3", "confirmed") ==
          Outcome::open);
    CHECK(outcome(correlation(sample("x", {"1", "2", "3"}), {}), "r.n == 3", "confirmed") == Outcome::open);
}
