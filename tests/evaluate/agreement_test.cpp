// Every operator in every evaluator against 60 digits of multiprecision, by one table: formula::operators().
#include "evaluate/agreement.hpp"

#include <catch2/catch.hpp>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/numerics/rounding.hpp>

#include "evaluate/blocks.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::tests;
using numerics::Multiprecision;

namespace {

constexpr std::uint64_t seed = 20260711;
constexpr std::size_t random_points = trials(3000);

evaluate::Inputs varying_inputs(const Columns& columns) {
    evaluate::Inputs inputs;
    for (const auto& column : spans(columns)) inputs.varying.emplace_back(column);
    inputs.points = columns[0].size();
    return inputs;
}

std::string describe(const Columns& columns, std::size_t point, double found, const Multiprecision& exact) {
    std::string text;
    for (const auto& column : columns) text += Multiprecision(column[point], 17).to_string(17) + " ";
    return text + "gave " + Multiprecision(found, 17).to_string(17) + ", exactly " + exact.to_string(20);
}

struct Worst {
    double error = 0;
    std::string where;

    void see(double candidate, const Columns& columns, std::size_t point, double found, const Multiprecision& exact) {
        if (candidate <= error) return;
        error = candidate;
        where = describe(columns, point, found, exact);
    }
};

template <class Real>
Columns rounded_to(Columns columns) {
    for (auto& column : columns) {
        for (double& value : column) value = static_cast<double>(static_cast<Real>(value));
    }
    return columns;
}

template <class Real>
Worst worst_error(const formula::Program& program, const evaluate::Inputs& inputs, const evaluate::Kernel<Real>& kernel,
                  const Columns& columns, const std::vector<Multiprecision>& exact) {
    std::vector<double> found(inputs.points);
    evaluate::evaluate_blocks(program, inputs, kernel, std::span<double>(found));
    Worst worst;
    for (std::size_t i = 0; i < found.size(); ++i)
        worst.see(ulps<Real>(found[i], exact[i]), columns, i, found[i], exact[i]);
    return worst;
}

// Two units in the last place for every operator; a kernel with both operands varying, then with either one uniform.
template <class Real>
void check_kernels() {
    for (const formula::OperatorRow& row : plain_operators()) {
        const std::vector<std::string> names = argument_names(row);
        const formula::Program program = formula::compile(operator_tree(row), {{}, names, {}});
        const Columns columns = rounded_to<Real>(agreement_inputs(names.size(), random_points, seed));
        const std::vector<Multiprecision> exact = exact_values(program, columns);
        for (const evaluate::Kernel<Real>* kernel : evaluate::kernels<Real>()) {
            const Worst worst = worst_error<Real>(program, varying_inputs(columns), *kernel, columns, exact);
            INFO(row.spelling << " on " << kernel->name << " (" << sizeof(Real) * 8 << " bits): " << worst.where);
            CHECK(worst.error <= 2);
        }
    }
}

template <class Real>
void check_uniform_operand(const formula::OperatorRow& row, std::size_t uniform, double value) {
    const std::string name = argument_names(row)[uniform];
    const std::string other = argument_names(row)[1 - uniform];
    const formula::Program program = formula::compile(operator_tree(row), {{name}, {other}, {}});
    const Columns columns = rounded_to<Real>(agreement_inputs(1, 500, seed));
    const Columns all{std::vector<double>(columns[0].size(), static_cast<double>(static_cast<Real>(value))),
                      columns[0]};
    evaluate::Inputs inputs = varying_inputs(columns);
    inputs.uniform = {all[0][0]};
    const std::vector<Multiprecision> exact = exact_values(program, all);
    for (const evaluate::Kernel<Real>* kernel : evaluate::kernels<Real>()) {
        const Worst worst = worst_error<Real>(program, inputs, *kernel, all, exact);
        INFO(row.spelling << " with " << name << " uniform on " << kernel->name << ": " << worst.where);
        CHECK(worst.error <= 2);
    }
}

evaluate::EnclosedInputs enclosed_inputs(const Columns& columns) {
    evaluate::EnclosedInputs inputs;
    for (const auto& column : columns) {
        inputs.varying.emplace_back();
        for (const double value : column) inputs.varying.back().push_back(core::Enclosure::exactly(value));
    }
    inputs.points = columns[0].size();
    return inputs;
}

bool contains(const core::Enclosure& enclosure, const Multiprecision& exact) {
    if (std::isinf(enclosure.lo) && std::isinf(enclosure.hi) && enclosure.lo < enclosure.hi) return true;
    return Multiprecision(enclosure.lo, 60) <= exact && exact <= Multiprecision(enclosure.hi, 60);
}

bool same_number(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

TEST_CASE("every operator in double is within 2 ulp of its exact value on every kernel") {
    check_kernels<double>();
}

TEST_CASE("every operator in float is within 2 ulp of its exact value on every kernel") {
    check_kernels<float>();
}

TEST_CASE("operators of two reals keep their accuracy when either is the same for all points") {
    const std::vector<double> uniforms{0, -0.0, 1, -1, 2, 0.5, 3, -2, 10000, 0.7, std::nan(""), HUGE_VAL, -HUGE_VAL};
    for (const formula::OperatorRow& row : plain_operators()) {
        if (row.arguments != "rr") continue;
        for (const double value : uniforms) {
            for (const std::size_t uniform : {0, 1}) {
                check_uniform_operand<double>(row, uniform, value);
                check_uniform_operand<float>(row, uniform, value);
            }
        }
    }
}

TEST_CASE("the reference is within 4 ulp of every operator's exact value") {
    for (const formula::OperatorRow& row : plain_operators()) {
        const std::vector<std::string> names = argument_names(row);
        const formula::Node tree = operator_tree(row);
        const Columns columns = agreement_inputs(names.size(), 300, seed);
        const std::vector<Multiprecision> exact = exact_values(formula::compile(tree, {{}, names, {}}), columns);
        Worst worst;
        for (std::size_t point = 0; point < exact.size(); ++point) {
            evaluate::Environment environment;
            for (std::size_t i = 0; i < names.size(); ++i) environment.values[names[i]] = columns[i][point];
            const double found = evaluate::reference(tree, environment);
            worst.see(ulps<double>(found, exact[point]), columns, point, found, exact[point]);
        }
        INFO(row.spelling << ": " << worst.where);
        CHECK(worst.error <= 4);
    }
}

TEST_CASE("every operator's enclosure contains its exact value") {
    for (const formula::OperatorRow& row : plain_operators()) {
        const std::vector<std::string> names = argument_names(row);
        const formula::Program program = formula::compile(operator_tree(row), {{}, names, {}});
        Columns columns = agreement_inputs(names.size(), 1000, seed);
        const std::vector<Multiprecision> exact = exact_values(program, columns);
        for (const evaluate::Enclosing how : {evaluate::Enclosing::fast, evaluate::Enclosing::rigorous}) {
            const auto found = evaluate::enclose(program, enclosed_inputs(columns), how);
            std::size_t failures = 0;
            std::string where;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                if (exact[i].is_nan() ? std::isinf(found[i].lo) && std::isinf(found[i].hi)
                                      : contains(found[i], exact[i])) {
                    continue;
                }
                ++failures;
                where = describe(columns, i, found[i].lo, exact[i]);
            }
            INFO(row.spelling << (how == evaluate::Enclosing::fast ? " fast: " : " rigorous: ") << where);
            CHECK(failures == 0);
        }
    }
}

TEST_CASE("every operator in every low-precision format is the exact value rounded once") {
    for (const numerics::Format& format : numerics::formats()) {
        if (format.mantissa_bits == 23) continue;
        for (const formula::OperatorRow& row : plain_operators()) {
            const std::vector<std::string> names = argument_names(row);
            const formula::Program program = formula::compile(operator_tree(row), {{}, names, {}});
            Columns columns = agreement_inputs(names.size(), 1000, seed);
            for (auto& column : columns) numerics::round_all(format, column);
            const std::vector<Multiprecision> exact = exact_values(program, columns);
            const evaluate::NumberSystem system = evaluate::read_number_system(format.name);
            const std::vector<double> found = evaluate::evaluate(program, varying_inputs(columns), system);
            std::size_t failures = 0;
            std::string where;
            for (std::size_t i = 0; i < exact.size(); ++i) {
                if (same_number(found[i], numerics::round_to(format, exact[i]))) continue;
                ++failures;
                where = describe(columns, i, found[i], exact[i]);
            }
            INFO(row.spelling << " in " << format.name << ": " << where);
            CHECK(failures == 0);
        }
    }
}

TEST_CASE("in fp16 every function of one real is correctly rounded at all 65536 numbers") {
    const numerics::Format& fp16 = *numerics::find_format("fp16");
    Columns columns(1);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) columns[0].push_back(numerics::decode(fp16, bits));
    for (const formula::OperatorRow& row : plain_operators()) {
        if (row.arguments != "r") continue;
        const formula::Program program = formula::compile(operator_tree(row), {{}, {"x"}, {}});
        const std::vector<Multiprecision> exact = exact_values(program, columns, 40);
        const evaluate::NumberSystem system = evaluate::read_number_system("fp16");
        const std::vector<double> found = evaluate::evaluate(program, varying_inputs(columns), system);
        std::size_t failures = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            failures += same_number(found[i], numerics::round_to(fp16, exact[i])) ? 0 : 1;
        }
        INFO(row.spelling);
        CHECK(failures == 0);
    }
}
