// Laws that hold for every formula, tried on random ones: enclosures contain the value, blocks of lanes agree with the
// plain evaluators, and digits do not depend on the processors. FARFIELD_LONG in the environment tries a million
// points.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/processors.hpp>
#include <iostream>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/printer.hpp>

#include "evaluate/agreement.hpp"
#include "evaluate/block_plan.hpp"
#include "evaluate/blocks.hpp"
#include "evaluate/loose.hpp"
#include "evaluate/standard_arithmetic.hpp"
#include "support/random_formula.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

RandomFormula formulas(std::uint64_t seed, bool exact = false) {
    RandomOptions options;
    options.nodes = 40;
    options.reductions = true;
    options.exact = exact;
    return RandomFormula(seed, options);
}

formula::Program compiled(const formula::Node& tree) {
    return formula::compile(tree, {{}, {"x", "y"}, {}});
}

// Numbers that float holds exactly, a quarter of them whole.
Columns random_points(RandomFormula& random, std::size_t count) {
    Columns columns(2);
    for (std::size_t i = 0; i < count; ++i) {
        for (auto& column : columns) {
            column.push_back(random.below(4) == 0 ? static_cast<double>(random.below(20)) : random.between(-8, 8));
        }
    }
    return columns;
}

std::string describe(const formula::Node& tree, const Columns& columns, std::size_t point) {
    std::ostringstream text;
    text.precision(17);
    text << formula::print(tree) << " at x = " << columns[0][point] << ", y = " << columns[1][point] << " is ";
    return text.str();
}

// Enclosures of random formulas against their values.

evaluate::EnclosedInputs enclosed(const Columns& columns) {
    evaluate::EnclosedInputs inputs;
    for (const auto& column : columns) {
        inputs.varying.emplace_back();
        for (const double value : column) inputs.varying.back().push_back(core::Enclosure::exactly(value));
    }
    inputs.points = columns[0].size();
    return inputs;
}

bool is_unbounded(double lo, double hi) {
    return !(lo <= hi) || (lo == -HUGE_VAL && hi == HUGE_VAL);
}

bool contains(const core::Enclosure& enclosure, const numerics::Multiprecision& exact) {
    return numerics::Multiprecision(enclosure.lo, 60) <= exact && exact <= numerics::Multiprecision(enclosure.hi, 60);
}

// How many values were enclosed, how many of them by something less than the whole line, and how many of those lay
// outside.
struct Tally {
    std::size_t points = 0;
    std::size_t bounded = 0;
    std::size_t outside = 0;
};

Tally enclose_random(std::uint64_t seed, std::size_t count, std::size_t points, evaluate::Enclosing how) {
    RandomFormula random = formulas(seed);
    Tally tally;
    for (std::size_t formula = 0; formula < count; ++formula) {
        const formula::Node tree = random.real();
        const formula::Program program = compiled(tree);
        const Columns columns = random_points(random, points);
        const std::vector<numerics::Multiprecision> exact = exact_values(program, columns);
        const std::vector<core::Enclosure> found = evaluate::enclose(program, enclosed(columns), how);
        tally.points += points;
        for (std::size_t i = 0; i < points; ++i) {
            if (is_unbounded(found[i].lo, found[i].hi)) continue;
            ++tally.bounded;
            if (contains(found[i], exact[i])) continue;
            ++tally.outside;
            UNSCOPED_INFO(describe(tree, columns, i)
                          << exact[i].to_string(20) << ", not in [" << found[i].lo << ", " << found[i].hi << "]");
        }
    }
    return tally;
}

void check_enclosures(const char* name, evaluate::Enclosing how, std::uint64_t seed, std::size_t points) {
    const Tally tally = enclose_random(seed, points / 25, 25, how);
    std::cout << name << " enclosures of random formulas of up to 40 nodes, seed " << seed << ": " << tally.points
              << " evaluations, " << tally.bounded << " bounded, " << tally.outside << " outside\n";
    CHECK(tally.outside == 0);
    CHECK(5 * tally.bounded > 2 * tally.points);
}

template <class Number>
std::vector<numerics::Interval> loose_values(const formula::Program& program, const Columns& columns) {
    evaluate::Interpreter<Loose<Number, 4>, double> interpreter(program, {}, {});
    std::vector<numerics::Interval> values;
    interpreter.run_uniform();
    for (std::size_t point = 0; point < columns[0].size(); ++point) {
        for (std::size_t i = 0; i < columns.size(); ++i) interpreter.set_input(i, columns[i][point]);
        interpreter.run_varying();
        values.push_back(interpreter.real_result());
    }
    return values;
}

template <class Number>
std::vector<double> block_values(const formula::Program& program, const evaluate::Kernel<Number>& kernel,
                                 const Columns& columns) {
    std::vector<double> found(columns[0].size());
    const evaluate::Inputs inputs{
        {}, {std::span<const double>(columns[0]), std::span<const double>(columns[1])}, {}, found.size()};
    evaluate::evaluate_blocks(program, inputs, kernel, std::span<double>(found));
    return found;
}

// A whole block and a part of one.
constexpr std::size_t lanes_tried = evaluate::block_lanes + 44;

template <class Number>
void check_blocks_land_near(std::uint64_t seed, std::size_t count) {
    for (const evaluate::Kernel<Number>* kernel : evaluate::kernels<Number>()) {
        RandomFormula random = formulas(seed);
        Tally tally;
        for (std::size_t formula = 0; formula < count; ++formula) {
            const formula::Node tree = random.real();
            const formula::Program program = compiled(tree);
            const Columns columns = random_points(random, lanes_tried);
            const std::vector<double> found = block_values(program, *kernel, columns);
            const std::vector<numerics::Interval> near = loose_values<Number>(program, columns);
            tally.points += found.size();
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (is_unbounded(near[i].lo, near[i].hi)) continue;
                ++tally.bounded;
                if (near[i].lo <= found[i] && found[i] <= near[i].hi) continue;
                ++tally.outside;
                UNSCOPED_INFO(describe(tree, columns, i)
                              << found[i] << ", not in [" << near[i].lo << ", " << near[i].hi << "]");
            }
        }
        INFO(kernel->name << ", seed " << seed << ", " << tally.bounded << " of " << tally.points << " bounded");
        CHECK(tally.outside == 0);
        CHECK(3 * tally.bounded > tally.points);
    }
}

bool same_number(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

// The tree itself in double, the program point by point in float.
std::vector<double> plain_values(const formula::Node& tree, const Columns& columns, double) {
    std::vector<double> values;
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
        values.push_back(evaluate::reference(tree, {{{"x", columns[0][i]}, {"y", columns[1][i]}}, {}}));
    }
    return values;
}
std::vector<double> plain_values(const formula::Node& tree, const Columns& columns, float) {
    const formula::Program program = compiled(tree);
    evaluate::Interpreter<evaluate::StandardArithmetic<float>, double> interpreter(program, {}, {});
    std::vector<double> values;
    interpreter.run_uniform();
    for (std::size_t point = 0; point < columns[0].size(); ++point) {
        for (std::size_t i = 0; i < columns.size(); ++i) interpreter.set_input(i, columns[i][point]);
        interpreter.run_varying();
        values.push_back(static_cast<double>(interpreter.real_result()));
    }
    return values;
}

template <class Number>
void check_blocks_are_exact(std::uint64_t seed, std::size_t count) {
    RandomFormula random = formulas(seed, true);
    for (std::size_t formula = 0; formula < count; ++formula) {
        const formula::Node tree = random.real();
        const Columns columns = random_points(random, lanes_tried);
        const std::vector<double> wanted = plain_values(tree, columns, Number{});
        for (const evaluate::Kernel<Number>* kernel : evaluate::kernels<Number>()) {
            const std::vector<double> found = block_values(compiled(tree), *kernel, columns);
            std::size_t same = 0;
            while (same < found.size() && same_number(found[same], wanted[same])) ++same;
            if (same == found.size()) continue;
            FAIL(describe(tree, columns, same) << found[same] << " on " << kernel->name << ", not " << wanted[same]);
        }
    }
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
    });
}

// Whether one, two, three and seven threads compute the same.
bool threads_agree(const formula::Program& program, const evaluate::Inputs& inputs, const std::string& system) {
    const std::size_t usual = numerics::processors();
    numerics::set_processors(1);
    const std::vector<double> alone = evaluate::evaluate(program, inputs, evaluate::read_number_system(system));
    bool agree = true;
    for (const std::size_t threads : {2, 3, 7}) {
        numerics::set_processors(threads);
        agree = agree && same_bits(alone, evaluate::evaluate(program, inputs, evaluate::read_number_system(system)));
    }
    numerics::set_processors(usual);
    return agree;
}

}  // namespace

TEST_CASE("fast enclosures of random formulas contain the 60-digit value") {
    check_enclosures("fast", evaluate::Enclosing::fast, 4040, is_long_run() ? 900'000 : 25'000);
}

TEST_CASE("rigorous enclosures of random formulas contain the 60-digit value") {
    check_enclosures("rigorous", evaluate::Enclosing::rigorous, 4041, is_long_run() ? 100'000 : 5'000);
}

TEST_CASE("blocks of random formulas lie where operators within 2 ulp can lead") {
    check_blocks_land_near<double>(5050, is_long_run() ? 1000 : 60);
    check_blocks_land_near<float>(5051, is_long_run() ? 1000 : 60);
}

TEST_CASE("blocks of random formulas of correctly rounded operators equal the plain evaluators") {
    check_blocks_are_exact<double>(6060, is_long_run() ? 3000 : 150);
    check_blocks_are_exact<float>(6061, is_long_run() ? 3000 : 150);
}

TEST_CASE("digits of random formulas do not depend on how many processors share the points") {
    RandomFormula random = formulas(77);
    for (const std::string system : {"double", "float", "fp16", "mp20"}) {
        const std::size_t points = system == "double" || system == "float" ? 9000 : 900;
        for (int round = 0; round < 10; ++round) {
            const evaluate::Inputs inputs{
                {}, {evaluate::Range{0, 0.25, points}, evaluate::Range{-5, 1, points}}, {}, points};
            CHECK(threads_agree(compiled(random.real()), inputs, system));
        }
    }
}

TEST_CASE("digits of sums of waves do not depend on how many processors share them") {
    const formula::Node i = formula::make_name("i");
    const formula::Node angle = formula::make(formula::Op::divide, {formula::make_name("n"), i});
    const formula::Node tree =
        formula::make_reduction(formula::Op::sum, "i", formula::make_number("1"), formula::make_number("40"),
                                formula::make(formula::Op::cosine, {angle}));
    const formula::Program program = formula::compile(tree, {{}, {"n"}, {}});
    CHECK(threads_agree(program, {{}, {evaluate::Range{0, 1, 100001}}, {}, 100001}, "double"));
}
