// Laws that hold for every formula: enclosures contain the value, and digits do not depend on the processors.
#include <omp.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/printer.hpp>

#include "evaluate/agreement.hpp"
#include "support/random_formula.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

RandomFormula formulas(std::uint64_t seed) {
    RandomOptions options;
    options.nodes = 40;
    options.reductions = true;
    return RandomFormula(seed, options);
}

Columns random_points(RandomFormula& random, std::size_t count) {
    Columns columns(2);
    for (std::size_t i = 0; i < count; ++i) {
        for (auto& column : columns) {
            column.push_back(random.below(4) == 0 ? static_cast<double>(random.below(20)) : random.between(-8, 8));
        }
    }
    return columns;
}

evaluate::EnclosedInputs enclosed(const Columns& columns) {
    evaluate::EnclosedInputs inputs;
    for (const auto& column : columns) {
        inputs.varying.emplace_back();
        for (const double value : column) inputs.varying.back().push_back(core::Enclosure::exactly(value));
    }
    inputs.points = columns[0].size();
    return inputs;
}

bool contains(const core::Enclosure& enclosure, const numerics::Multiprecision& exact) {
    if (enclosure.lo == -HUGE_VAL && enclosure.hi == HUGE_VAL) return true;
    return numerics::Multiprecision(enclosure.lo, 60) <= exact && exact <= numerics::Multiprecision(enclosure.hi, 60);
}

// How many of `count` formulas' values at `points` points each lie outside their enclosures.
std::size_t escapes(std::uint64_t seed, std::size_t count, std::size_t points, evaluate::Enclosing how) {
    RandomFormula random = formulas(seed);
    std::size_t outside = 0;
    for (std::size_t formula = 0; formula < count; ++formula) {
        const formula::Node tree = random.real();
        const formula::Program program = formula::compile(tree, {{}, {"x", "y"}, {}});
        const Columns columns = random_points(random, points);
        const std::vector<numerics::Multiprecision> exact = exact_values(program, columns);
        const std::vector<core::Enclosure> found = evaluate::enclose(program, enclosed(columns), how);
        for (std::size_t i = 0; i < points; ++i) {
            if (contains(found[i], exact[i])) continue;
            ++outside;
            UNSCOPED_INFO(formula::print(tree)
                          << " at x = " << columns[0][i] << ", y = " << columns[1][i] << " is "
                          << exact[i].to_string(20) << ", not in [" << found[i].lo << ", " << found[i].hi << "]");
        }
    }
    return outside;
}

void check_enclosures(std::size_t formulas_fast, std::size_t formulas_rigorous, std::size_t points) {
    constexpr std::uint64_t seed = 4040;
    std::cout << "random formulas of up to 40 nodes, seeds " << seed << " and " << seed + 1 << ": "
              << (formulas_fast + formulas_rigorous) * points << " evaluations\n";
    CHECK(escapes(seed, formulas_fast, points, evaluate::Enclosing::fast) == 0);
    CHECK(escapes(seed + 1, formulas_rigorous, points, evaluate::Enclosing::rigorous) == 0);
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
    });
}

}  // namespace

TEST_CASE("enclosures of random formulas contain the 60-digit value") {
    check_enclosures(1000, 200, 25);
}

TEST_CASE("enclosures of random formulas contain the 60-digit value, a million times", "[.][slow]") {
    check_enclosures(9000, 1000, 100);
}

TEST_CASE("digits do not depend on how many processors share the points") {
    const int usual = omp_get_max_threads();
    RandomFormula random = formulas(77);
    const std::size_t points = 5000;
    for (const std::string system : {"double", "float", "fp16", "mp20"}) {
        for (int round = 0; round < 20; ++round) {
            const formula::Program program = formula::compile(random.real(), {{}, {"x", "y"}, {}});
            const evaluate::Inputs inputs{
                {}, {evaluate::Range{0, 0.25, points}, evaluate::Range{-5, 1, points}}, {}, points};
            omp_set_num_threads(1);
            const std::vector<double> alone = evaluate::evaluate(program, inputs, evaluate::read_number_system(system));
            for (const int threads : {2, 3, 7}) {
                omp_set_num_threads(threads);
                CHECK(same_bits(alone, evaluate::evaluate(program, inputs, evaluate::read_number_system(system))));
            }
        }
    }
    omp_set_num_threads(usual);
}

TEST_CASE("digits of sums of waves do not depend on how many processors share them") {
    const int usual = omp_get_max_threads();
    const formula::Node i = formula::make_name("i");
    const formula::Node angle = formula::make(formula::Op::divide, {formula::make_name("n"), i});
    const formula::Node tree =
        formula::make_reduction(formula::Op::sum, "i", formula::make_number("1"), formula::make_number("40"),
                                formula::make(formula::Op::cosine, {angle}));
    const formula::Program program = formula::compile(tree, {{}, {"n"}, {}});
    const evaluate::Inputs inputs{{}, {evaluate::Range{0, 1, 100001}}, {}, 100001};
    omp_set_num_threads(1);
    const std::vector<double> alone = evaluate::evaluate(program, inputs);
    for (const int threads : {2, 3, 7}) {
        omp_set_num_threads(threads);
        CHECK(same_bits(alone, evaluate::evaluate(program, inputs)));
    }
    omp_set_num_threads(usual);
}
