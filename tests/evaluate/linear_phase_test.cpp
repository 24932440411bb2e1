#include "evaluate/linear_phase.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/processors.hpp>

#include <farfield/formula/parser.hpp>

#include "evaluate/blocks.hpp"

using namespace farfield;
using namespace farfield::evaluate;

namespace {

const std::string rotary = "sum(i, 0, 63, cos(n * 10000^(-2*i/128)))";
const std::string decaying = "sum(i, 0, 63, cos(n * 10000^(-2*i/128)) * ((2*i/128 + 0.4)/1.4)^(n/512))";
const std::string sizes_of_decaying = "sum(i, 0, 63, ((2*i/128 + 0.4)/1.4)^(n/512))";

formula::Program compiled(const std::string& text) {
    return formula::compile(formula::parse(text), {{}, {"n"}, {}});
}

// The value at one point by 50-digit arithmetic, which no phase of these sizes wears out.
double exactly(const formula::Program& program, double n) {
    return evaluate::evaluate(program, {{}, {Range{n, 1, 1}}, {}, 1}, read_number_system("mp50"))[0];
}

// The largest error over some points of the range, as a share of the sum of magnitudes there, which is a formula too.
double largest_error(const std::string& text, const std::string& magnitudes, const Range& range) {
    const formula::Program program = compiled(text);
    const formula::Program sizes = compiled("0*n + " + magnitudes);
    std::vector<double> found(range.count);
    REQUIRE(evaluate_linear_phase(program, {{}, {range}, {}, range.count}, found));
    double worst = 0;
    for (std::size_t i = 0; i < range.count;
         i = i + 1 == range.count ? range.count : std::min(i + 1 + i % 97, range.count - 1)) {
        const double n = range.at(i);
        worst = std::fmax(worst, std::fabs(found[i] - exactly(program, n)) / exactly(sizes, n));
    }
    return worst;
}

bool applies(const std::string& text, const Range& range) {
    std::vector<double> result(range.count);
    return evaluate_linear_phase(compiled(text), {{}, {range}, {}, range.count}, result);
}

}  // namespace

TEST_CASE("a sum of 64 waves is within its stated bound near 0 and near 10^8") {
    const double bound = (2 * 64 + 40) * 0x1p-53;
    CHECK(bound < 1e-12);
    CHECK(largest_error(rotary, "64", {0, 1, 5000}) <= bound);
    CHECK(largest_error(rotary, "64", {1e8 - 2500, 1, 5000}) <= bound);
    CHECK(largest_error(rotary, "64", {-3000, 1, 6001}) <= bound);
    CHECK(largest_error(rotary, "64", {-1e8, 40000, 5003}) <= bound);
}

TEST_CASE("the form of waves is for doubles alone: in other systems a point has the digits that it has by itself") {
    const formula::Program program = compiled("sum(j, 1, 4, cos(n/j))");
    const Range range{0, 1, 4096};
    std::vector<double> waves(range.count);
    REQUIRE(evaluate_linear_phase(program, {{}, {range}, {}, range.count}, waves));
    CHECK(evaluate::evaluate(program, {{}, {range}, {}, range.count}) == waves);
    for (const std::string system : {"fp32", "bf16", "mp30"}) {
        INFO(system);
        const NumberSystem taken = read_number_system(system);
        const std::vector<double> found = evaluate::evaluate(program, {{}, {range}, {}, range.count}, taken);
        for (std::size_t i = 0; i < range.count; i += 455)
            CHECK(found[i] == evaluate::evaluate(program, {{}, {Range{range.at(i), 1, 1}}, {}, 1}, taken)[0]);
    }
}

TEST_CASE("decaying waves are within the bound of their magnitudes, also where most have died away") {
    // The fastest falls by log(1.4/0.4)/512 = 0.00245 a step.
    CHECK(largest_error(decaying, sizes_of_decaying, {0, 1, 6000}) <= (2 * 64 + 40 + 3 * 15) * 0x1p-53);
    CHECK(largest_error(decaying, sizes_of_decaying, {100000, 1, 9001}) <= (2 * 64 + 40 + 3 * 267) * 0x1p-53);
    CHECK(largest_error(decaying, sizes_of_decaying, {0, 331, 6007}) <= 1e-12);
    CHECK(largest_error(decaying, sizes_of_decaying, {-200000, 1, 6007}) <= 1e-12);
}

TEST_CASE("a wave that rises from nothing counts from where the others do not drown it") {
    // Downwards, in stretches of 24 rows of 256: the one from 2068 on begins with e^-51 and ends with e^101.
    CHECK(largest_error("sum(i, 1, 5, cos(n*i)) + sin(n/2)*exp(-n/40)", "5 + exp(-n/40)", {20500, -1, 40001}) <=
          (2 * 6 + 40 + 3 * 513) * 0x1p-53);
}

TEST_CASE("products, multiples and differences of waves are within the bound of their magnitudes") {
    CHECK(largest_error("sum(i, 1, 8, sin(n/i) * cos(n*i + 0.5) * exp(-n*i/1e5) / i)", "sum(i, 1, 8, exp(-n*i/1e5)/i)",
                        {0, 1, 4500}) <= 1e-12);
    CHECK(largest_error("3 - sum(i, 1, 5, 2*cos(n/i - 1)) / 7 + sin(-n)", "3 + 10/7 + 1", {1e8, 1, 4097}) <= 1e-12);
    CHECK(largest_error("sum(i, 1, 3, sum(j, 1, i, cos(i*n + j) * 0.999^n))", "6*0.999^n", {0, 1, 5000}) <= 1e-12);
    // Exponents that cancel: each factor alone has fallen or risen by e^10000 at the end.
    CHECK(largest_error("sum(i, 1, 9, exp(n) * cos(n*i) * exp(-n*(1 + i/1e6)))", "sum(i, 1, 9, exp(-n*i/1e6))",
                        {0, 1, 10001}) <= 1e-12);
}

TEST_CASE("every kernel gives the same sums to rounding") {
    const formula::Program program = compiled(rotary);
    const Range range{0, 1, 4999};
    const auto waves = find_waves(program, {{}, {range}, {}, range.count}, 0, 100000);
    REQUIRE(waves);
    CHECK(waves->size() == 64);
    std::vector<double> direct(range.count);
    evaluate_blocks(program, {{}, {range}, {}, range.count}, *kernels<double>()[0], std::span<double>(direct));
    for (const Kernel<double>* kernel : kernels<double>()) {
        std::vector<double> found(range.count);
        add_waves(*waves, range, *kernel, found);
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i) worst = std::fmax(worst, std::fabs(found[i] - direct[i]));
        INFO(kernel->name);
        // The direct sum's phases round to 2^-53 of up to 5000 radians, and there are 64.
        CHECK(worst <= 64 * 5000 * 0x1p-52);
    }
}

TEST_CASE("it applies to sums of waves over long ranges of integers, and to nothing else") {
    const Range range{0, 1, 5000};
    CHECK(applies(rotary, range));
    CHECK(applies("cos(n) + sin(2*n) + cos(3*n) + sin(4*n)", range));
    CHECK_FALSE(applies(rotary, {0, 1, 100}));
    CHECK_FALSE(applies(rotary, {0, 0.5, 5000}));
    CHECK_FALSE(applies("cos(n) + sin(2*n)", range));
    CHECK_FALSE(applies("sum(i, 1, 9, n * cos(n*i))", range));
    CHECK_FALSE(applies("sum(i, 1, n, cos(n*i))", range));
    CHECK_FALSE(applies("sum(i, 1, 9, cos(n^2*i))", range));
    CHECK_FALSE(applies("sum(i, 1, n, cos(n))", range));
    CHECK_FALSE(applies("sum(i, 1, 9.5, cos(n*i))", range));
    CHECK_FALSE(applies("sum(i, 1, 9, exp(n*i))", range));
    CHECK_FALSE(applies("sum(i, 1, 9, cos(n*i) * 1e300^i)", range));
    CHECK_FALSE(applies("prod(i, 1, 9, cos(n*i))", range));
    CHECK_FALSE(applies("cos(n) + sin(2*n) + log(1 + n)", range));
    CHECK_FALSE(applies("sum(i, 1, 9, cos(n*i)) < sum(i, 1, n, 1)", {0, 1, 100}));
    CHECK_FALSE(applies("sum(i, 1, 9, cos(n*i) / (i - 5))", range));
    CHECK_FALSE(applies("sum(i, 1, 1000000, cos(n*i))", range));
    // (2*4000 + 40) 2^-53 is below 10^-12, and with 3*1200 more for exponents it is not.
    CHECK(applies("sum(i, 1, 4000, cos(n*i/4000))", {0, 1, 200000}));
    CHECK_FALSE(applies("sum(i, 1, 4000, cos(n*i/4000)*exp(-n/100))", {0, 1, 200000}));
}

TEST_CASE("a sum of waves is refused from where an exponent within the range is beyond 600, not after its last point") {
    // 600/4096 a step: 599.85 at n = 4095, 600 at 4096, 600.15 at 4097.
    const std::string rising = "sum(i, 1, 4, cos(n*i) * exp(n*0.146484375))";
    CHECK(applies(rising, {0, 1, 4096}));
    CHECK(applies(rising, {0, 1, 4097}));
    CHECK_FALSE(applies(rising, {0, 1, 4098}));
    const std::string falling = "sum(i, 1, 4, cos(n*i) * exp(-n*0.146484375))";
    CHECK(applies(falling, {-4096, 1, 4097}));
    CHECK_FALSE(applies(falling, {-4097, 1, 4098}));
    // From 1 on, a wave may fall by 16 times as much, since each factor covers a sixteenth: 9600/4096 a step.
    const std::string steep = "sum(i, 1, 4, cos(n*i) * exp(-n*2.34375))";
    CHECK(applies(steep, {0, 1, 4097}));
    CHECK_FALSE(applies(steep, {0, 1, 4098}));
}

TEST_CASE("a wave of any rate is its envelope times a cosine, and a factor without a cosine makes no more waves") {
    // One wave rises by a factor of e a step, from nothing to e^500.
    CHECK(largest_error("sum(i, 1, 4, cos(n*i)) + exp(n)*cos(n/2)", "4 + exp(n)", {-3900, 1, 4401}) <= 1e-12);
    const formula::Program program = compiled(decaying);
    const Range range{0, 1, 5000};
    const auto waves = find_waves(program, {{}, {range}, {}, range.count}, 0, 100000);
    REQUIRE(waves);
    CHECK(waves->size() == 64);
}

TEST_CASE("sums of waves within a formula are within their bound of what the formula makes of them") {
    const std::string sum = "sum(i, 0, 15, cos(n * 100^(-2*i/32)))";
    // Formula, and how far a unit of error of each sum, which has magnitude 16, moves it, with a rounding of its own.
    const std::vector<std::pair<std::string, std::string>> formulas = {
        {"log(20 + " + sum + ")", "16/4 + 4"},
        {sum + "/(1 + n) - 3*n", "16/(1 + n) + 4*n"},
        {"if(n % 7 < 3, 1, 2) * " + sum, "32 + 32"},
        {"exp(" + sum + "/8) + sum(i, 1, 9, sin(n*i)) * sqrt(n)", "2*e^2 + e^2 + 9*sqrt(n) + 9*sqrt(n)"},
        {"sum(j, 1, 3, j * (" + sum + ")^2)", "6*(2*16*16 + 16^2)"},
        {"max(" + sum + ", n - 3000)", "16 + n"},
    };
    for (const auto& [text, sizes] : formulas) {
        INFO(text);
        CHECK(largest_error(text, sizes, {0, 1, 6001}) <= (2 * 16 + 40 + 16) * 0x1p-53);
        CHECK(largest_error(text, sizes, {1e8, 1, 4099}) <= (2 * 16 + 40 + 16) * 0x1p-53);
    }
}

TEST_CASE("conditions on sums of waves are those of plain evaluation") {
    const formula::Program program = compiled("sum(i, 1, 9, cos(n*i)) > 0.5 and n % 2 == 0");
    const Range range{0, 1, 5000};
    std::vector<double> found(range.count);
    REQUIRE(evaluate_linear_phase(program, {{}, {range}, {}, range.count}, found));
    std::vector<double> direct(range.count);
    evaluate_blocks(program, {{}, {range}, {}, range.count}, *kernels<double>()[0], std::span<double>(direct));
    CHECK(found == direct);
}

TEST_CASE("other inputs are not summed as waves, and two sums may occur in one formula") {
    const formula::Program program = formula::compile(
        formula::parse(std::string("a * table[n % 3] * sum(i, 1, 9, c*cos(n*i)) - sum(i, 1, 5, sin(n/i)) * x")),
        {{"a", "c"}, {"x", "n"}, {"table"}});
    const std::vector<double> table{1, 10, 100};
    std::vector<double> x;
    for (std::size_t i = 0; i < 40000; ++i) x.push_back(0.25 + static_cast<double>(i % 11));
    const Inputs inputs{{0.5, 3}, {std::span<const double>(x), Range{7, 2, x.size()}}, {table}, x.size()};
    std::vector<double> found(x.size());
    REQUIRE(evaluate_linear_phase(program, inputs, found));
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double n = 7 + 2 * static_cast<double>(i);
        double wanted = 0;
        for (int k = 1; k <= 9; ++k) wanted += 0.5 * table[static_cast<std::size_t>(n) % 3] * 3 * std::cos(n * k);
        for (int k = 1; k <= 5; ++k) wanted -= std::sin(n / k) * x[i];
        worst = std::fmax(worst, std::fabs(found[i] - wanted));
    }
    // Plain angles up to 720,000 round to 2^-53 of themselves, under amplitudes of 150.
    CHECK(worst <= 9 * 150 * 720000 * 0x1p-52);
}

TEST_CASE("formulas around waves read what the uniform inputs give before the points") {
    const formula::Program program = formula::compile(
        formula::parse(std::string("sqrt(a + 1) * sum(i, 1, 9, cos(n*i)) + log(c)*n")), {{"a", "c"}, {"n"}, {}});
    const Inputs inputs{{3, 2.5}, {Range{0, 1, 5000}}, {}, 5000};
    std::vector<double> found(inputs.points);
    REQUIRE(evaluate_linear_phase(program, inputs, found));
    double worst = 0;
    for (std::size_t i = 0; i < inputs.points; ++i) {
        const auto n = static_cast<double>(i);
        double wanted = std::log(2.5) * n;
        for (int k = 1; k <= 9; ++k) wanted += 2 * std::cos(n * k);
        worst = std::fmax(worst, std::fabs(found[i] - wanted));
    }
    // Plain angles up to 45,000 round to 2^-53 of themselves, under amplitudes of 2.
    CHECK(worst <= 9 * 2 * 45000 * 0x1p-52);
}

TEST_CASE("formulas around waves have the same digits for any number of threads") {
    const formula::Program program = compiled("log(100 + " + rotary + ") * n");
    const Range range{0, 1, 300000};
    const std::size_t usual = numerics::processors();
    numerics::set_processors(1);
    const std::vector<double> alone = evaluate::evaluate(program, {{}, {range}, {}, range.count});
    for (const std::size_t threads : {2, 5}) {
        numerics::set_processors(threads);
        CHECK(evaluate::evaluate(program, {{}, {range}, {}, range.count}) == alone);
    }
    numerics::set_processors(usual);
}

TEST_CASE("evaluate uses it, and a plain list of the same points agrees to the error of plain phases") {
    const formula::Program program = compiled(rotary);
    const Range range{1000000, 1, 4100};
    std::vector<double> points;
    for (std::size_t i = 0; i < range.count; ++i) points.push_back(range.at(i));
    const std::vector<double> fast = evaluate::evaluate(program, {{}, {range}, {}, range.count});
    const std::vector<double> plain =
        evaluate::evaluate(program, {{}, {std::span<const double>(points)}, {}, points.size()});
    double worst = 0;
    for (std::size_t i = 0; i < points.size(); ++i) worst = std::fmax(worst, std::fabs(fast[i] - plain[i]));
    CHECK(worst <= 64 * 1004100 * 0x1p-52);
    CHECK(largest_error(rotary, "64", range) <= 1e-12);
}
