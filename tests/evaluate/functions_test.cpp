// Functions of doubles where their arguments are hardest, on every kernel, against 60 digits.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <farfield/formula/parser.hpp>

#include "evaluate/agreement.hpp"
#include "evaluate/blocks.hpp"

using namespace farfield;
using numerics::Multiprecision;

namespace {

using Draw = std::function<double(std::mt19937_64&)>;

Draw between(double low, double high) {
    return [=](std::mt19937_64& random) { return std::uniform_real_distribution<double>(low, high)(random); };
}

// Of either sign, its logarithm drawn evenly.
Draw magnitudes(double least, double most) {
    return [=](std::mt19937_64& random) {
        const double size = std::exp(std::uniform_real_distribution<double>(std::log(least), std::log(most))(random));
        return random() % 2 == 0 ? size : -size;
    };
}

// The doubles next to whole multiples of pi/2, where next to nothing is left of an angle.
double near_a_zero(std::mt19937_64& random) {
    const double count = std::floor(std::exp(std::uniform_real_distribution<double>(0, std::log(6.8e8))(random)));
    const double nearest = (Multiprecision::pi(60) * Multiprecision(count / 2, 60)).to_double();
    return std::nextafter(nearest, random() % 3 == 0 ? 0 : (random() % 2 == 0 ? 1e300 : nearest));
}

void check(const std::string& formula, const std::vector<Draw>& draws, double bound = 2) {
    std::mt19937_64 random(20261121);
    tests::Columns columns(1);
    for (const Draw& draw : draws) {
        for (int i = 0; i < 6000; ++i) columns[0].push_back(draw(random));
    }
    const formula::Program program = formula::compile(formula::parse(formula), {{}, {"x"}, {}});
    const std::vector<Multiprecision> exact = tests::exact_values(program, columns);
    const evaluate::Inputs inputs{{}, {std::span<const double>(columns[0])}, {}, columns[0].size()};
    for (const evaluate::Kernel<double>* kernel : evaluate::kernels<double>()) {
        std::vector<double> found(columns[0].size());
        evaluate::evaluate_blocks(program, inputs, *kernel, std::span<double>(found));
        double worst = 0;
        double where = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double error = tests::ulps<double>(found[i], exact[i]);
            if (error <= worst) continue;
            worst = error;
            where = columns[0][i];
        }
        INFO(formula << " on " << kernel->name << ": " << worst << " at " << Multiprecision(where, 17).to_string(17));
        CHECK(worst <= bound);
    }
}

std::vector<double> evaluated(const std::string& formula, const std::vector<double>& points,
                              const evaluate::Kernel<double>& kernel) {
    std::vector<double> found(points.size());
    evaluate::evaluate_blocks(formula::compile(formula::parse(formula), {{}, {"x"}, {}}),
                              {{}, {std::span<const double>(points)}, {}, points.size()}, kernel,
                              std::span<double>(found));
    return found;
}

}  // namespace

TEST_CASE("sines and cosines are within 2 ulp near their zeros, at large angles and small ones") {
    const std::vector<Draw> angles = {between(-4, 4), between(-1e5, 1e5), magnitudes(1e-300, 1), magnitudes(1, 0x1p31),
                                      near_a_zero};
    check("sin(x)", angles);
    check("cos(x)", angles);
}

TEST_CASE("exponentials are within 2 ulp up to where they overflow and vanish") {
    check("exp(x)",
          {between(-1, 1), between(-746, 710), between(-708.1, -707.9), between(708.9, 709.8), magnitudes(1e-300, 1)});
}

TEST_CASE("logarithms are within 2 ulp near 1, of subnormal numbers and of the largest") {
    const Draw ends = [](std::mt19937_64& random) {
        const double power = random() % 2 == 0 ? -1074 + static_cast<double>(random() % 60) : 1023;
        return std::ldexp(std::uniform_real_distribution<double>(1, 2)(random), static_cast<int>(power));
    };
    check("log(x)",
          {between(0.5, 2), between(0.95, 1.1), between(1 - 1e-9, 1 + 1e-9), ends, magnitudes(1e-300, 1e300)});
    check("log(1 + exp(x))", {between(-1, 700)}, 4);
    check("log1p(x)", {between(-0.999999, 2), between(-0.07, 0.07), magnitudes(1e-300, 0.9), magnitudes(1, 1e307),
                       between(-1, -1 + 1e-12)});
}

TEST_CASE("hyperbolic tangents are within 2 ulp from 0 to 1") {
    check("tanh(x)",
          {between(-0.4, 0.4), between(-3, 3), between(15, 25), magnitudes(1e-300, 1), magnitudes(1, 1e300)});
}

TEST_CASE("a quotient by one number is rounded as any division is") {
    std::mt19937_64 random(3);
    std::vector<double> points{0, -0.0, 1, 7, 1e300, 1e-300, 0x1p-1074, HUGE_VAL, -HUGE_VAL, 1e-118, 1e118};
    for (const Draw& draw : {between(-9, 9), magnitudes(1e-200, 1e200), magnitudes(1, 1e9)}) {
        for (int i = 0; i < 3000; ++i) points.push_back(draw(random));
    }
    for (int i = 0; i < 3000; ++i) points.push_back(std::floor(between(0, 1e9)(random)));
    for (const double divisor :
         {3.0, -7.0, 1000.0, 50000000.0, 0.1, 1.9999999999999998, 1e-118, 1e300, 0x1p-1060, 0.0}) {
        const std::string formula = "x / (" + Multiprecision(divisor, 17).to_string(17) + ")";
        for (const evaluate::Kernel<double>* kernel : evaluate::kernels<double>()) {
            const std::vector<double> found = evaluated(formula, points, *kernel);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < points.size(); ++i) {
                const double wanted = points[i] / divisor;
                const bool same = std::isnan(wanted)
                                      ? std::isnan(found[i])
                                      : found[i] == wanted && std::signbit(found[i]) == std::signbit(wanted);
                wrong += same ? 0 : 1;
            }
            INFO(formula << " on " << kernel->name);
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("roots of squares are exact, and the sign of zero is kept") {
    std::vector<double> squares;
    for (double i = 0; i < 20000; ++i) squares.push_back(i * i);
    for (double i = 94906265; i > 94896265; --i) squares.push_back(i * i);
    std::vector<double> zeros(64, -0.0);
    for (const evaluate::Kernel<double>* kernel : evaluate::kernels<double>()) {
        const std::vector<double> roots = evaluated("sqrt(x)", squares, *kernel);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < squares.size(); ++i) wrong += roots[i] == std::sqrt(squares[i]) ? 0 : 1;
        INFO(kernel->name);
        CHECK(wrong == 0);
        for (const char* formula : {"sqrt(x)", "sin(x)", "tanh(x)", "log1p(x)", "x/3", "x/(-3)"}) {
            INFO(formula);
            CHECK(std::signbit(evaluated(formula, zeros, *kernel)[7]) == (std::string(formula) != "x/(-3)"));
        }
    }
}
