// Rounding errors proved again: by closed forms, by FPTaylor's bounds, and not beyond them.
#include <catch2/catch.hpp>
#include <string>

#include "recheck/recheck_support.hpp"
#include "recheck/rounded_formula.hpp"

using namespace recheck_support;

namespace {

struct Bounds {
    std::string absolute;
    std::string relative = "0, 1";
    std::string ulps = "0, 1000";
    std::string values = {};  ///< the point found
};

std::string reals(const Texts& facts, const Bounds& bounds) {
    return quantity("r", "rounding-error", facts,
                    R"("values": {)" + bounds.values + R"(}, "enclosures": {"absolute": [)" + bounds.absolute +
                        R"(], "relative": [)" + bounds.relative + R"(], "ulps": [)" + bounds.ulps + "]}");
}

Texts over(const std::string& variable, const std::string& from, const std::string& to) {
    return {{"setting.over." + variable + ".0", from}, {"setting.over." + variable + ".1", to}};
}

const Texts product = with(with(over("x", "1", "2"), over("y", "1", "2")), {{"formula", "x*y"}});

}  // namespace

TEST_CASE("a product errs by half a unit in the last place of its result") {
    // The product is at most 4 and below 4 its unit is 2^-51; half of it is 2^-52, and relative to 1 that is 2^-53.
    // At x = y = 1 + 2^-27 the product is 1 + 2^-26 + 2^-54: what is lost is 2^-54.
    const std::string record = reals(product, {"0, 2.220446049250313e-16", "0, 1.12e-16", "0, 1.01",
                                               R"("found_x": 1.0000000074505806, "found_y": 1.0000000074505806)"});
    check_both(record, "r.absolute <= 2^-52 and r.absolute >= 2^-54 and r.found == 2^-54");
    check_both(record, "r.relative <= 1.12e-16 and r.relative > 2^-54*(1 - 2^-25)");
    check_both(record, "r.ulps <= 1.011 and r.ulps >= 1/4");
    CHECK(outcome(record, "r.absolute <= 2^-53", "confirmed") == Outcome::open);
    CHECK(outcome(record, "r.other < 1", "confirmed") == Outcome::open);
}

TEST_CASE("a bound that is on record and too small is not proved") {
    CHECK(outcome(reals(product, {"0, 2.22e-16"}), "r.absolute <= 2.22e-16", "confirmed") == Outcome::open);
    // An error of 2^-54 is there.
    const Bounds beyond{"0, 5e-17", "0, 1", "0, 1000",
                        R"("found_x": 1.0000000074505806, "found_y": 1.0000000074505806)"};
    CHECK(outcome(reals(product, beyond), "r.absolute <= 5e-17", "confirmed") == Outcome::contradicted);
    CHECK(outcome(reals(product, {"0, 1e-17", "0, 1e-17"}), "r.relative <= 1e-17", "confirmed") == Outcome::open);
    // A point outside of the domain shows nothing.
    CHECK(outcome(reals(product, {"0, 1", "0, 1", "0, 1", R"("found_x": 3, "found_y": 1)"}), "r.found >= 0",
                  "confirmed") == Outcome::open);
}

TEST_CASE("rounding errors of formulas, compared with FPTaylor's bounds") {
    // Solovyev et al., with the bounds that FPTaylor's repository lists for doubles; docs/quantities/rounding-error.md.
    const Texts real = {{"setting.inputs", "real"}, {"setting.format", "fp64"}};
    check_both(reals(with(with(over("x", "0.1", "0.3"), {{"formula", "4.0*x/(1 + x/1.11)"}}), real), {"0, 2.46e-16"}),
               "r.absolute <= 2.470696e-16");
    Texts body = {{"formula", "-(x*y) - 2*y*z - x - z"}};
    for (const char* variable : {"x", "y", "z"}) body = with(body, over(variable, "-15", "15"));
    check_both(reals(with(body, real), {"0, 2.9487525e-13"}), "r.absolute <= 2.948753e-13");
    const Texts roots =
        with(over("x", "0", "1"), {{"formula", "1.0 + 0.5*x - 0.125*x*x + 0.0625*x*x*x - 0.0390625*x*x*x*x"}});
    check_both(reals(with(roots, real), {"0, 5.015e-16"}), "r.absolute <= 5.016453e-16");
    Texts doppler = {{"formula", "-(331.4 + 0.6*T)*v/((331.4 + 0.6*T + u)*(331.4 + 0.6*T + u))"}};
    doppler = with(with(with(doppler, over("u", "-100", "100")), over("v", "20", "20000")), over("T", "-30", "50"));
    check_both(reals(with(doppler, real), {"0, 1.2198e-13"}), "r.absolute <= 1.22e-13");
}

TEST_CASE("a variable that the formula does not mention changes no bound") {
    // Doppler with FPTaylor's bound, as above; it takes a subdivision of u and T.
    Texts doppler = {{"formula", "-(331.4 + 0.6*T)*v/((331.4 + 0.6*T + u)*(331.4 + 0.6*T + u))"},
                     {"setting.inputs", "real"}};
    doppler = with(with(with(doppler, over("u", "-100", "100")), over("v", "20", "20000")), over("T", "-30", "50"));
    check_both(reals(with(doppler, over("y", "1", "1000000")), {"0, 1.2198e-13"}), "r.absolute <= 1.22e-13");
}

TEST_CASE("the error of a box is the larger one of its ends") {
    // Below 2.1 the sum errs by 2^-52, which y divides; the quotient errs by 2^-52. Both together are 2^-51 at y = 1.
    const Texts falling = with(with(over("x", "1", "2"), over("y", "1", "2")), {{"formula", "(x + 0.125)/y"}});
    check_both(reals(falling, {"0, 4.441e-16"}), "r.absolute <= 4.441e-16");
    CHECK(outcome(reals(falling, {"0, 4.3e-16"}), "r.absolute <= 4.3e-16", "confirmed") == Outcome::open);
    // The same of a product, which errs most at y = 1.
    const Texts rising = with(with(over("x", "1", "2"), over("y", "0.5", "1")), {{"formula", "(x + 0.125)*y"}});
    check_both(reals(rising, {"0, 4.441e-16"}), "r.absolute <= 4.441e-16");
    CHECK(outcome(reals(rising, {"0, 4.3e-16"}), "r.absolute <= 4.3e-16", "confirmed") == Outcome::open);
}

TEST_CASE("an operation that does not round adds no error") {
    const auto is_exact = [](const Texts& facts) {
        CAPTURE(facts.at("formula"));
        check_both(reals(with(over("x", "1", "2"), facts), {"0, 0"}), "r.absolute == 0");
    };
    for (const char* formula : {"-x", "abs(x)", "4*x", "x/0.5", "0 + x", "x - 1.5", "max(x, 1.5)", "floor(x)"})
        is_exact({{"formula", formula}});
    is_exact({{"formula", "x"}, {"setting.format", "fp16"}});
    // A real input is rounded, by at most 2^-11 of fp16 below 2; so may floor(x) be another integer.
    const Texts real = {{"setting.inputs", "real"}, {"setting.format", "fp16"}};
    check_both(reals(with(with(over("x", "1", "2"), {{"formula", "x"}}), real), {"0, 0.00048828125"}),
               "r.absolute <= 2^-11");
    CHECK(outcome(reals(with(with(over("x", "1", "2"), {{"formula", "floor(x)"}}), real), {"0, 0.5"}),
                  "r.absolute <= 0.5", "confirmed") == Outcome::open);
}

TEST_CASE("the error of a box with a jump is the larger one of both sides") {
    // The sum errs by 2^-52 from 2 on, and so does its quotient by 1; by 2 and 3 it errs less.
    const Texts jumps = with(with(over("x", "1", "3.5"), over("y", "1", "2")), {{"formula", "(y + 0.125)/floor(x)"}});
    check_both(reals(jumps, {"0, 4.441e-16"}), "r.absolute <= 4.441e-16");
    CHECK(outcome(reals(jumps, {"0, 3.5e-16"}), "r.absolute <= 3.5e-16", "confirmed") == Outcome::open);
}

TEST_CASE("a point at which the computed value overflows has no error") {
    // 300^2 is more than fp16 has; 200^2 is 1250 of its units there.
    const Texts square = with(over("x", "1", "300"), {{"formula", "x*x"}, {"setting.format", "fp16"}});
    const auto found = [&](const std::string& x) {
        return reals(square, {"0, 1e9", "0, 1", "0, 1", "\"found_x\": " + x});
    };
    CHECK(outcome(found("300"), "r.found > 1", "confirmed") == Outcome::open);
    check_both(found("200"), "r.found == 0");
}

TEST_CASE("a sum of a number and another that is not near it rounds") {
    // The result is at most 2.5, of which half a unit is 2^-52; x - 1.5 of 1 to 2 would be exact (Sterbenz).
    for (const char* formula : {"x - 1.5", "1.5 - x", "x + 1.5"}) {
        CAPTURE(formula);
        const Texts facts = with(over("x", "-1", "1"), {{"formula", formula}});
        CHECK(outcome(reals(facts, {"0, 0"}), "r.absolute == 0", "confirmed") == Outcome::open);
        check_both(reals(facts, {"0, 2.2204460492503131e-16"}), "r.absolute <= 2^-52");
    }
}

TEST_CASE("the constant of a circle is rounded to the format, and its product once more") {
    // Of fp16 below 8 half a unit is 2^-9. The literal itself is the same in both formulas.
    const Texts facts = with(over("x", "1", "2"), {{"formula", "pi*x"}, {"setting.format", "fp16"}});
    check_both(reals(facts, {"0, 0.001953125"}), "r.absolute <= 2^-9");
    CHECK(outcome(reals(facts, {"0, 0.0019"}), "r.absolute <= 0.0019", "confirmed") == Outcome::open);
    const Texts other = with(over("x", "1", "2"), {{"formula", "tau*x"}, {"setting.format", "fp16"}});
    CHECK(outcome(reals(other, {"0, 1"}), "r.absolute <= 1", "confirmed") == Outcome::open);
}

TEST_CASE("literals, loops and functions are rounded once each") {
    // 0.1 in bf16 is 0.10009765625: with numbers of the format both formulas have it, and x*0.1 errs below 1 by 2^-9.
    // At 3 the product is 153.75 units of 2^-9, rounded to 154.
    const Texts scaled = with(over("x", "1", "8"), {{"formula", "x*0.1"}, {"setting.format", "bf16"}});
    check_both(reals(scaled, {"0, 0.001953125", "0, 1", "0, 1000", "\"found_x\": 3"}),
               "r.absolute <= 2^-9 and r.found == 2^-11");
    // x + x/2 + x/3: below 4/3, 4 and 22/3 in fp16; 1/3 rounds only once where it is a quotient.
    const Texts loop = with(over("x", "2", "4"), {{"formula", "sum(i, 1, 3, x/i)"}, {"setting.format", "fp16"}});
    check_both(reals(loop, {"0, 0.00439453125"}), "r.absolute <= 2^-9 + 2^-9 + 2^-11");
    // exp of a number of the format is at most 2.72 there, and half a unit of fp32 is 2^-23.
    const Texts grown = with(over("x", "0", "1"), {{"formula", "exp(x)"}, {"setting.format", "fp32"}});
    check_both(reals(grown, {"0, 1.1920928955078125e-07"}), "r.absolute <= 2^-23");
    CHECK(outcome(reals(with(over("x", "0", "1"), {{"formula", "x > 0.5 ? x : 1"}}), {"0, 1"}), "r.absolute <= 1",
                  "confirmed") == Outcome::open);
    CHECK(outcome(reals(with(over("x", "0", "1"), {{"formula", "x/(x - 0.5)"}}), {"0, 1"}), "r.absolute <= 1",
                  "confirmed") == Outcome::open);
    CHECK(outcome(reals(with(over("x", "0", "1"), {{"formula", "x*70000"}, {"setting.format", "fp16"}}), {"0, 9e9"}),
                  "r.absolute <= 9e9", "confirmed") == Outcome::open);
}

TEST_CASE("a formula with rounding operators, and its exact formula") {
    const auto pair = [](const Texts& facts, const Bounds& bounds) {
        return reals(with({{"setting.over.x.from", "1"}, {"setting.over.x.to", "100"}}, facts), bounds);
    };
    // Half a unit of bf16 from 32 to 64 is 1/8. At 100: bf16(34.333...) is 34.25.
    const Texts same = {{"formula", "bf16(1 + x/3)"}, {"exact", "1 + x/3"}};
    check_both(pair(same, {"0, 0.125", "0, 1", "0, 1", "\"found_x\": 100"}),
               "r.absolute <= 1/8 and abs(r.found - 1/12) < 1e-15");
    // The formulas are 1e-5*100^2 apart.
    const Texts apart = {{"formula", "bf16(1 + x/3)"}, {"exact", "1 + x/3 + 1e-5*x^2"}};
    check_both(pair(apart, {"0, 0.225", "0, 1", "0, 1", "\"found_x\": 100"}),
               "r.absolute <= 0.2251 and abs(r.found - 1/12 - 1/10) < 1e-15");
    CHECK(outcome(pair(apart, {"0, 0.125"}), "r.absolute <= 0.125", "confirmed") == Outcome::open);
    // What is meant may round, too: there is no error then, wherever it was found.
    const Texts none = {{"formula", "bf16(1 + x/3)"}, {"exact", "bf16(1 + x/3)"}};
    CHECK(outcome(pair(none, {"0.08, 0.125", "0, 1", "0, 1", "\"found_x\": 100"}), "r.found > 0", "confirmed") ==
          Outcome::contradicted);
    CHECK(outcome(pair(same, {"0, 0.125"}), "r.ulps <= 1", "confirmed") == Outcome::open);
}

TEST_CASE("half a unit in the last place") {
    const Format& half = find_format("fp16");
    const auto at = [&](double magnitude) { return half_unit(half, Float(magnitude)).up(); };
    CHECK(at(1.5) == 0x1p-11);
    CHECK(at(1) == 0x1p-12);  // of the numbers below
    CHECK(at(1e-8) == 0x1p-25);
    CHECK(at(65504) == 16);
    CHECK_FALSE(half_unit(half, Float(65505)).is_finite());
    CHECK(at(0) == 0);
}
