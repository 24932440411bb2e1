#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <farfield/numerics/format.hpp>
#include <functional>

#include "compute.hpp"
#include "quantity/kinds.hpp"
#include "support/own_scheme.hpp"
#include "support/worst.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Result ask(const std::string& text) {
    return compute(logit_error_kind(), text);
}

void check_near(const core::Result& result, const char* name, double expected, double tolerance) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->number);
    INFO(name << " = " << *cell->number << ", expected " << expected);
    CHECK(std::abs(*cell->number - expected) <= tolerance);
    REQUIRE(cell->enclosure);
    CHECK(cell->enclosure->width() <= 1e-9 * (1 + expected));
}

TEST_CASE("an angle of 4095 becomes 4096 in bf16: a rotation by 1 radian, an error of 2 sin(1/2)") {
    const core::Result result = ask("scheme='rotary'\nhead_dim=2\nformat='bf16'\npositions=[4095]\nrounded=['angles']");
    check_near(result, "max", 2 * std::sin(0.5), 1e-12);
    check_near(result, "max_bias", 0, 0);
}

TEST_CASE("position 15962 in bf16 is 15936, and its cosine -0.268 for -0.908") {
    const core::Result result =
        ask("scheme='rotary'\nhead_dim=2\nformat='bf16'\npositions=[15962]\nrounded=['positions']");
    const core::Series& pairs = *result.series;
    // By Python's math.cos. Numbers of 14 bits with 8 significant ones are multiples of 64.
    CHECK(std::abs(pairs.find("cosine")->values[0] - -0.908015901251032) <= 1e-12);
    CHECK(std::abs(pairs.find("rounded_cosine")->values[0] - -0.2679500711279774) <= 1e-12);
}

TEST_CASE("at one position the series has each pair once, with an error that its cosine and sine explain") {
    const core::Result result =
        ask("scheme='rotary'\nhead_dim=16\nformat='bf16'\npositions=[15962]\nrounded=['positions']");
    const core::Series& pairs = *result.series;
    for (const core::Column& column : pairs.columns) CHECK(column.values.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(pairs.find("i")->values[i] == static_cast<double>(i));
        const double apart = std::hypot(pairs.find("cosine")->values[i] - pairs.find("rounded_cosine")->values[i],
                                        pairs.find("sine")->values[i] - pairs.find("rounded_sine")->values[i]);
        CHECK(std::abs(pairs.find("error")->values[i] - apart) <= 1e-10);
    }
}

TEST_CASE("positions that the format holds are not changed by it") {
    const core::Result result =
        ask("scheme='rotary'\nhead_dim=64\nformat='fp16'\npositions=[1, 2047]\nrounded=['positions']");
    CHECK(*result.find("max")->number <= 1e-12);
    // All errors are 0, so any enclosure of them leaves open which one is the largest.
    CHECK(*result.find("argmax")->number == 1);
    CHECK(result.find("argmax")->enclosure == core::Enclosure{1, 2047});
}

/// The largest error of a turn against exact angles: cosines and sines in bf16 of an angle computed otherwise.
double worst_turn(double position, const std::function<float(int)>& angle) {
    const numerics::Format* format = numerics::find_format("bf16");
    double worst = 0;
    for (int i = 0; i < 32; ++i) {
        const double got = angle(i);
        const std::complex<double> turn(numerics::round_to(*format, std::cos(got)),
                                        numerics::round_to(*format, std::sin(got)));
        const double exact = position * std::pow(10000.0, -2.0 * i / 64);
        worst = tests::worse(worst, std::abs(turn - std::polar(1.0, exact)));
    }
    return worst;
}

TEST_CASE("the recipe hf gives what plain loops in float compute") {
    const core::Result result =
        ask("scheme='rotary'\nhead_dim=64\nformat='bf16'\nrecipe='hf'\npositions=[65537, 91821]\nkey=0");
    for (std::size_t row = 0; row < 2; ++row) {
        const double position = result.series->find("position")->values[row];
        const double expected = worst_turn(position, [&](int i) {
            return static_cast<float>(position) * static_cast<float>(std::pow(10000.0, -2.0 * i / 64));
        });
        // The exact angle is computed in doubles here.
        CHECK(std::abs(result.series->find("error")->values[row] - expected) <= position * 0x1p-52);
    }
}

TEST_CASE("the recipe recurrence multiplies the angle of the pair before, in float") {
    const core::Result result =
        ask("scheme='rotary'\nhead_dim=64\nformat='fp32'\nrecipe='recurrence'\npositions=[5, 131071]\nkey=0");
    const numerics::Format* fp32 = numerics::find_format("fp32");
    for (std::size_t row = 0; row < 2; ++row) {
        const double position = result.series->find("position")->values[row];
        const auto ratio = static_cast<float>(std::pow(10000.0, -2.0 / 64));
        auto angle = static_cast<float>(position);
        double worst = 0;
        for (int i = 0; i < 32; ++i, angle *= ratio) {
            const std::complex<double> turn(numerics::round_to(*fp32, std::cos(double{angle})),
                                            numerics::round_to(*fp32, std::sin(double{angle})));
            worst = tests::worse(worst, std::abs(turn - std::polar(1.0, position * std::pow(10000.0, -2.0 * i / 64))));
        }
        // The exact angle is computed in doubles here.
        CHECK(std::abs(result.series->find("error")->values[row] - worst) <= position * 0x1p-52);
    }
}

TEST_CASE("a recipe that is unknown, or that a list of steps contradicts") {
    const std::string rest = "scheme='rotary'\nhead_dim=64\nformat='bf16'\npositions=[5]\n";
    CHECK_THROWS_WITH(ask(rest + "recipe='hff'"), Contains("unknown recipe 'hff'") && Contains("Did you mean 'hf'?"));
    CHECK_THROWS_WITH(ask(rest + "recipe='hf'\nrounded=['angles']"), Contains("'rounded' next to a recipe"));
}

TEST_CASE("a recipe of angles that have no value in some pair, or of values of the scheme's own") {
    const std::string rest = "scheme='own'\nhead_dim=4\nformat='bf16'\npositions=[5]\n";
    const auto ask_of = [&](const std::string& rotation, const std::string& more) {
        scheme::Registry schemes;
        schemes.put(tests::scheme_of("rotate = { " + rotation + " }"));
        return compute(logit_error_kind(), rest + more, {}, schemes);
    };
    CHECK_THROWS_WITH(ask_of("angle = 'p/(i - 1)'", "recipe='hf'"),
                      Contains("not shown to have a value in every pair"));
    CHECK_THROWS_WITH(ask_of("angle = 'p/2', values = 'bf16(it)'", ""), Contains("has 'values' of its own"));
    CHECK_NOTHROW(ask_of("angle = 'p/2', values = 'bf16(it)'", "recipe='fp32'"));
}

TEST_CASE("all steps together give what plain double arithmetic computes") {
    const numerics::Format* format = numerics::find_format("bf16");
    const auto round = [&](double x) { return numerics::round_to(*format, x); };
    double worst = 0;
    const double position = 100;
    for (int i = 0; i < 32; ++i) {
        const double frequency = std::pow(10000.0, -2.0 * i / 64);
        const double angle = round(round(position) * round(frequency));
        const std::complex<double> got(round(std::cos(angle)), round(std::sin(angle)));
        worst = tests::worse(worst, std::abs(got - std::polar(1.0, position * frequency)));
    }
    check_near(ask("scheme='rotary'\nhead_dim=64\nformat='bf16'\npositions=[100]"), "max", worst, 1e-12);
}

TEST_CASE("a key's rounding counts too") {
    // Angles 4095 and 4095 in bf16 both become 4096: the turn between them stays 0.
    const std::string text = "scheme='rotary'\nhead_dim=2\nformat='bf16'\nrounded=['angles']\nkey=4095\n";
    check_near(ask(text + "positions=[4095]"), "max", 0, 1e-11);
    check_near(ask(text + "positions=[0]"), "max", 2 * std::sin(0.5), 1e-12);
}

TEST_CASE("ALiBi's bias errs by its rounding") {
    // Slope 2^-8 at head 8 of 8: -4095/256 becomes -16 in bf16, off by 1/256; -256/256 is exact.
    const core::Result result =
        ask("scheme='alibi'\nhead=8\nheads=8\nformat='bf16'\npositions=[256, 4095]\nrounded=['bias']");
    check_near(result, "first", 0, 0);
    check_near(result, "last", 1.0 / 256, 1e-15);
    check_near(result, "max", 1.0 / 256, 1e-15);
    CHECK(*result.find("argmax")->number == 4095);
    CHECK(result.find("argmax")->enclosure == core::Enclosure::exactly(4095));
}

TEST_CASE("a scale that overflows makes the error infinite") {
    const core::Result result =
        ask("scheme='xpos'\nhead_dim=64\nformat='fp16'\npositions=[5000]\nrounded=['scale']\nkey=5000");
    CHECK(std::isinf(*result.find("max")->number));
}

TEST_CASE("where a bias or an angle has no value, neither has the error") {
    const auto ask_of = [](const std::string& scheme, const std::string& more) {
        scheme::Registry schemes;
        schemes.put(tests::scheme_of(scheme));
        return compute(logit_error_kind(), "scheme='own'\nhead_dim=8\nformat='bf16'\n" + more, {}, schemes);
    };
    // log(-1) of the query at 1; the key at 3 is at distance -2.
    const core::Result bias =
        ask_of("rotate = { angle = 'p*100^(-2*i/d)' }\nbias = '-log(1 + n)'", "positions=[1, 3, 4]\nkey=3");
    for (const char* name : {"max", "max_bias", "first", "argmax", "pair"}) CHECK_FALSE(bias.find(name)->number);
    CHECK(bias.find("last")->number);
    CHECK(bias.find("max_rotation")->number);
    const core::Result angle = ask_of("rotate = { angle = 'p*log(i - 1)' }", "positions=[7]");
    for (const char* name : {"max", "max_rotation", "first", "last"}) CHECK_FALSE(angle.find(name)->number);
}

TEST_CASE("xPos's scale errs by its own rounding") {
    // One pair, i = 0: scale (0.4/1.4)^(p/512) of the query, 1 of the key at 0; relative to 1 the error is that of
    // rounding.
    const numerics::Format* format = numerics::find_format("fp16");
    const double scale = std::pow(0.4 / 1.4, 100.0 / 512);
    check_near(ask("scheme='xpos'\nhead_dim=2\nformat='fp16'\npositions=[100]\nrounded=['scale']"), "max",
               std::abs(numerics::round_to(*format, scale) - scale), 1e-12);
}

TEST_CASE("invalid questions are refused") {
    CHECK_THAT(
        refusal(logit_error_kind(), "scheme='rotary'\nhead_dim=2\nformat='bf16'\npositions=[1]\nrounded=['angle']"),
        Contains("unknown step 'angle'") && Contains("Did you mean 'angles'?"));
    CHECK_THAT(refusal(logit_error_kind(), "scheme='rotary'\nformat='bf16'\npositions=[1]"), Contains("head_dim"));
    CHECK_THAT(refusal(logit_error_kind(), "scheme='windowed'\nformat='bf16'\npositions=[1]"),
               Contains("neither a rotation nor a bias"));
    CHECK_THAT(refusal(logit_error_kind(), "scheme='rotary'\nhead_dim=2\nformat='bf16'\npositions=[-1, 2.5]"),
               Contains("from 0 to 2^53"));
    // Doubles count no further, and a grid of positions has integers too.
    for (const char* positions : {"[9007199254740993]", "{ from = 0, to = 1, step = 0.1 }", "{ from = -1, to = 1 }"})
        CHECK_THAT(refusal(logit_error_kind(),
                           std::string("scheme='rotary'\nhead_dim=2\nformat='bf16'\npositions=") + positions),
                   Contains("a position is") && Contains("from 0 to 2^53"));
}

}  // namespace
}  // namespace farfield::quantity
