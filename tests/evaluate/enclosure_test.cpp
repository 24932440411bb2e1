// Every operator over random intervals: what is claimed of a box holds at each point of it, to 60 digits.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/numerics/interval.hpp>

#include "evaluate/agreement.hpp"
#include "numerics/mpfr_value.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::tests;
using core::Enclosure;
using numerics::Multiprecision;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Random = std::mt19937_64;

template <class Values>
auto any_of(const Values& values, Random& random) {
    return values[random() % std::size(values)];
}

double any_special(Random& random) {
    const double value = any_of(special_values(), random);
    return std::isnan(value) ? 0 : value;
}

double any_number(Random& random) {
    switch (random() % 7) {
        case 0: return any_special(random);
        case 6: return 0;
        case 1: return static_cast<double>(static_cast<int>(random() % 41) - 20) / 2;
        case 2: return std::uniform_real_distribution<double>(-5, 5)(random);
        case 3: return std::round(std::uniform_real_distribution<double>(-1e3, 1e3)(random)) * 1.5707963267948966;
        case 4:
            return std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random),
                              static_cast<int>(random() % 2120) - 1070);
        default:
            return std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random),
                              static_cast<int>(random() % 40) - 20);
    }
}

/// A point, a thin interval, one around zero, or one of any width; its ends may be infinite. Where nothing is known,
/// the number may be none.
Enclosure any_interval(Random& random) {
    if (random() % 12 == 0) return {-infinity, infinity};
    const double a = any_number(random);
    switch (random() % 5) {
        case 0: return Enclosure::exactly(a);
        case 1: {
            double b = a;
            for (int i = static_cast<int>(random() % 4); i >= 0; --i) b = std::nextafter(b, infinity);
            return {a, b};
        }
        case 2: return {a, std::max(a, a + std::ldexp(1.0, -static_cast<int>(random() % 60)))};
        case 3: return {-std::fabs(a), std::fabs(any_number(random))};
        default: {
            const double b = any_number(random);
            return {std::min(a, b), std::max(a, b)};
        }
    }
}

/// Doubles in their order as integers.
std::int64_t rank(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

/// Some double of any size between the ends.
double between(const Enclosure& side, Random& random) {
    const std::int64_t low = rank(side.lo);
    const auto count = static_cast<std::uint64_t>(rank(side.hi)) - static_cast<std::uint64_t>(low);
    // The count may pass 2^63: the sum is formed without a sign, where it wraps.
    const auto at = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (count == 0 ? 0 : random() % count));
    return std::bit_cast<double>(at >= 0 ? at : std::numeric_limits<std::int64_t>::min() - at);
}

double inside(const Enclosure& side, Random& random) {
    if (side.lo == -infinity && side.hi == infinity && random() % 2 == 0) return std::nan("");
    switch (random() % 6) {
        case 0: return side.lo;
        case 1: return side.hi;
        case 2: return between(side, random);
        case 3: return std::clamp(random() % 2 == 0 ? 0.0 : -0.0, side.lo, side.hi);
        case 4: return std::clamp(std::round(any_number(random)), side.lo, side.hi);
        default: return std::clamp(numerics::midpoint({side.lo, side.hi}), side.lo, side.hi);
    }
}

/// Whether nothing is claimed, or the value exists and is inside.
bool holds(const Enclosure& claimed, const Multiprecision& value) {
    if (claimed.lo == -infinity && claimed.hi == infinity) return true;
    if (value.is_nan()) return false;
    return mpfr_cmp_d(numerics::raw(value), claimed.lo) >= 0 && mpfr_cmp_d(numerics::raw(value), claimed.hi) <= 0;
}

using Boxes = std::vector<std::vector<Enclosure>>;  // [variable][box]

evaluate::EnclosedInputs inputs_of(const Boxes& boxes) {
    evaluate::EnclosedInputs inputs;
    inputs.points = boxes[0].size();
    for (const auto& sides : boxes) inputs.varying.push_back(sides);
    return inputs;
}

void check(const std::string& name, const formula::Node& tree, const Boxes& boxes, Random& random) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < boxes.size(); ++i) names.push_back(std::string(1, "xyz"[i]));
    const formula::Program program = formula::compile(tree, {{}, names, {}});
    constexpr std::size_t samples = 12;
    Columns points(boxes.size());
    for (std::size_t box = 0; box < boxes[0].size(); ++box) {
        for (std::size_t sample = 0; sample < samples; ++sample)
            for (std::size_t i = 0; i < boxes.size(); ++i) points[i].push_back(inside(boxes[i][box], random));
    }
    const std::vector<Multiprecision> exact = exact_values(program, points);
    for (const auto how : {evaluate::Enclosing::fast, evaluate::Enclosing::rigorous}) {
        const std::vector<Enclosure> claimed = evaluate::enclose(program, inputs_of(boxes), how);
        for (std::size_t at = 0; at < exact.size(); ++at) {
            if (holds(claimed[at / samples], exact[at])) continue;
            std::string where;
            for (std::size_t i = 0; i < boxes.size(); ++i) {
                const Enclosure& side = boxes[i][at / samples];
                where += " " + names[i] + " = " + Multiprecision(points[i][at], 17).to_string(17) + " in [" +
                         Multiprecision(side.lo, 17).to_string(17) + ", " + Multiprecision(side.hi, 17).to_string(17) +
                         "]";
            }
            FAIL(name << (how == evaluate::Enclosing::fast ? ", fast:" : ", by MPFI:") << where << " is "
                      << exact[at].to_string(20) << ", claimed [" << claimed[at / samples].lo << ", "
                      << claimed[at / samples].hi << "]");
        }
    }
}

}  // namespace

TEST_CASE("no operator claims of an interval what does not hold at every point of it") {
    Random random(20261122);
    for (const formula::OperatorRow& row : plain_operators()) {
        Boxes boxes(row.arguments.size());
        for (int i = 0; i < trials(1500); ++i)
            for (auto& sides : boxes) sides.push_back(any_interval(random));
        // Buckets are an integer and the maximum distance is above half of it, where there is a value at all.
        if (row.op == formula::Op::t5_bucket) {
            for (std::size_t i = 0; i < boxes[0].size(); ++i) {
                boxes[1][i] = Enclosure::exactly(any_of(std::vector<double>{2, 3, 8, 32, 33, 0, 2.5}, random));
                const double least = std::uniform_real_distribution<double>(0, 40)(random);
                boxes[2][i] = {least, least + std::uniform_real_distribution<double>(0, 200)(random)};
            }
        }
        check(std::string(row.spelling), operator_tree(row), boxes, random);
    }
}

TEST_CASE("formulas at the edges of their domains claim nothing that is not so") {
    Random random(20261123);
    for (const char* text : {"0^x",
                             "x^0",
                             "1^x",
                             "(-1)^x",
                             "x^(-2)",
                             "x^3",
                             "x^(-3)",
                             "x^0.5",
                             "x^(1/3)",
                             "(x*0)^x",
                             "inf*x",
                             "x/x",
                             "x - x",
                             "1/(1/x)",
                             "x % 1",
                             "1 % x",
                             "x % inf",
                             "min(x, 0/0)",
                             "if(x > 0, log(x), 0)",
                             "if(x/x == 1, 1, 0)",
                             "if(x > 1e400, 1, x)",
                             "x*1e400*1e-400",
                             "x + 1e-400",
                             "1e-400*x > 0 ? 1 : 0",
                             "round(x/2)",
                             "tanh(x) < 1 ? 1 : 2",
                             "sigmoid(x)*softplus(x)",
                             "sum(i, 1, floor(x), i)",
                             "sum(i, 1, 3, x/i)",
                             "prod(i, 0, 3, x - i)",
                             "sin(x)/x",
                             "clamp(x, 1, 0)",
                             "atan2(0, x)",
                             "atan2(x, -1)",
                             "tan(x)*cos(x)",
                             "log1p(expm1(x))",
                             "log(1 + x) - log1p(x)",
                             "sqrt(x)^2",
                             "sqrt(1 - x^2)",
                             "exp(log(x))"}) {
        Boxes boxes(1);
        for (int i = 0; i < trials(800); ++i) boxes[0].push_back(any_interval(random));
        // Sums of a thousand terms at most.
        if (std::string(text).find("floor(x)") != std::string::npos)
            for (Enclosure& side : boxes[0]) side = {std::clamp(side.lo, -9.0, 1e3), std::clamp(side.hi, -9.0, 1e3)};
        check(text, formula::parse(text), boxes, random);
    }
}

TEST_CASE("a condition is decided for all finite values of its names from the ranges of its operators") {
    constexpr double largest = std::numeric_limits<double>::max();
    core::Enclosure range{-largest, largest};
    const auto decided = [&](const std::string& text) {
        return evaluate::decide_for_all(formula::parse(text), [&](const formula::Node&) { return range; });
    };
    // cos is within 1, sigmoid within 0 and 1, |a| and a^2 are at least 0; a minimum is at most each of its arguments.
    for (const char* text : {"cos(a) <= 1", "abs(a) + b^2 > -1", "min(a, 5) <= 5", "sigmoid(a) >= 0",
                             "cos(c[n + 1]) >= -1", "a^2 + 1 > 0 and cos(b) <= 2", "3 > 2"})
        CHECK(decided(text) == true);
    for (const char* text : {"cos(a) > 1", "a^2 + exp(b) < -1", "max(c[1], 3) < 3"}) CHECK(decided(text) == false);
    // True of some values alone, or not known: divisions, roots, infinities, reductions.
    for (const char* text : {"cos(a) <= 0.5", "a <= b", "a == a", "a == inf", "a < inf", "1/a < 2", "sqrt(a) >= 0",
                             "sum(i, 1, 3, a^2) >= 0", "all(i, 1, 3, a^2 >= 0)"})
        CHECK(decided(text) == std::nullopt);
    // Names and entries within 2 and 3: log(2) = 0.693..., 1/3 <= 1/a <= 1/2.
    range = {2, 3};
    for (const char* text : {"log(a) > 0.69", "1/c[n] <= 0.5", "a + b >= 4"}) CHECK(decided(text) == true);
    CHECK(decided("sqrt(a) > 1.74") == false);
    CHECK(decided("sqrt(a) > 1.73") == std::nullopt);
}
