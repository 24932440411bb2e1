// The generated CUDA source, run by the host's compiler, against the processor's evaluators.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <farfield/evaluate/cuda/source.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/registry.hpp>

#include "evaluate/agreement.hpp"
#include "evaluate/cuda_on_host.hpp"
#include "evaluate/cuda_on_processor.hpp"
#include "support/random_formula.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

const std::vector<std::string> all_systems = {"double", "float", "fp16", "bf16", "e4m3", "e5m2"};
const std::vector<std::string> low_systems = {"fp16", "bf16", "e4m3", "e5m2"};

bool same_bits(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

evaluate::Inputs arrays(const Columns& columns) {
    evaluate::Inputs inputs;
    for (const auto& column : columns) inputs.varying.emplace_back(std::span<const double>(column));
    inputs.points = columns[0].size();
    return inputs;
}

/// Where two results differ, as text; empty where they are the same bits.
std::string difference(const std::vector<double>& found, const std::vector<double>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (same_bits(found[i], wanted[i])) continue;
        std::ostringstream text;
        text.precision(17);
        text << "point " << i << " is " << wanted[i] << ", the kernel gives " << found[i];
        return text.str();
    }
    return {};
}

HostTask task_of(const formula::Node& tree, const std::string& system, const Columns& columns) {
    return {formula::compile(tree, {{}, {"x", "y"}, {}}), evaluate::read_number_system(system), arrays(columns)};
}

Columns random_points(RandomFormula& random, std::size_t count) {
    Columns columns(2);
    for (std::size_t i = 0; i < count; ++i) {
        for (auto& column : columns)
            column.push_back(random.below(4) == 0 ? static_cast<double>(random.below(20)) : random.between(-8, 8));
    }
    return columns;
}

}  // namespace

TEST_CASE("a generated kernel of every operator gives the bits of the processor's arithmetic") {
    const std::vector<Columns> columns = {agreement_inputs(1, 300, 5), agreement_inputs(2, 300, 5),
                                          agreement_inputs(3, 300, 5)};
    std::vector<HostTask> tasks;
    std::vector<std::string> names;
    for (const formula::OperatorRow& row : plain_operators()) {
        const std::vector<std::string> arguments = argument_names(row);
        const formula::Program program = formula::compile(operator_tree(row), {{}, arguments, {}});
        for (const std::string& system : all_systems) {
            // Some functions are computed wider in float than by the processor: the next test holds them.
            if (system == "float") continue;
            tasks.push_back({program, evaluate::read_number_system(system), arrays(columns[arguments.size() - 1])});
            names.push_back(std::string(row.spelling) + " in " + system);
        }
    }
    const CudaOnHost kernels(tasks);
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        INFO(names[at]);
        CHECK(difference(kernels.run(at, 3, 32), on_processor(tasks[at])) == "");
    }
}

TEST_CASE("a generated kernel of every operator in float is within 2 ulp of the exact value") {
    std::vector<HostTask> tasks;
    std::vector<Columns> columns;
    columns.reserve(plain_operators().size());
    for (const formula::OperatorRow& row : plain_operators()) {
        const std::vector<std::string> arguments = argument_names(row);
        columns.push_back(agreement_inputs(arguments.size(), 300, 5));
        for (auto& column : columns.back()) {
            for (double& value : column) value = static_cast<double>(static_cast<float>(value));
        }
        tasks.push_back({formula::compile(operator_tree(row), {{}, arguments, {}}),
                         evaluate::read_number_system("float"), arrays(columns.back())});
    }
    const CudaOnHost kernels(tasks);
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        const auto exact = exact_values(tasks[at].program, columns[at]);
        const std::vector<double> found = kernels.run(at, 1, 64);
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, ulps<float>(found[i], exact[i]));
        INFO(plain_operators()[at].spelling);
        CHECK(worst <= 2);
    }
}

TEST_CASE("generated kernels of random formulas give the processor's bits") {
    RandomOptions options;
    options.nodes = 40;
    options.reductions = true;
    RandomFormula random(20261121, options);
    const Columns columns = random_points(random, 40);
    std::vector<HostTask> tasks;
    std::vector<std::string> names;
    const std::size_t count = is_long_run() ? 200 : 40;
    for (std::size_t at = 0; at < count; ++at) {
        const formula::Node tree = at % 5 == 4 ? random.boolean() : random.real();
        std::vector<std::string> systems = {"double"};
        if (is_long_run()) {
            systems.insert(systems.end(), low_systems.begin(), low_systems.end());
        } else {
            systems.push_back(low_systems[at % low_systems.size()]);
        }
        for (const std::string& system : systems) {
            tasks.push_back(task_of(tree, system, columns));
            names.push_back(formula::print(tree) + " in " + system);
        }
    }
    const CudaOnHost kernels(tasks);
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        INFO(names[at]);
        CHECK(difference(kernels.run(at, 2, 8), on_processor(tasks[at])) == "");
    }
}

TEST_CASE("generated kernels of every built-in scheme's formulas give the processor's bits") {
    const std::vector<double> table = {0.5, -1, 0.25, 3, 0, 7, -2, 1e-3};
    const scheme::Registry& schemes = scheme::Registry::builtin();
    std::vector<HostTask> tasks;
    std::vector<std::string> names;
    for (const std::string& name : schemes.names()) {
        for (const scheme::NamedFormula& each : scheme::formulas_of(*schemes.find(name))) {
            formula::Signature signature;
            evaluate::Inputs inputs;
            inputs.points = 60;
            signature.tables = formula::indexed_names(each.formula);
            inputs.tables.assign(signature.tables.size(), table);
            for (const std::string& free : formula::free_names(each.formula)) {
                const bool is_position = free == "q" || free == "k" || free == "n" || free == "p" || free == "i";
                const bool is_known = free == "pi" || free == "e" || free == "inf";
                const bool is_table =
                    std::find(signature.tables.begin(), signature.tables.end(), free) != signature.tables.end();
                if (is_known || is_table) continue;
                (is_position ? signature.varying : signature.uniform).push_back(free);
                if (is_position) inputs.varying.emplace_back(evaluate::Range{free == "k" ? 40.0 : 0.0, 1, 60});
                if (!is_position) inputs.uniform.push_back(free == "H" || free == "d" ? 16 : free == "L" ? 60 : 3);
            }
            const formula::Program program = formula::compile(each.formula, signature);
            for (const std::string& system : all_systems) {
                if (system == "float") continue;  // some functions are computed wider there
                tasks.push_back({program, evaluate::read_number_system(system), inputs});
                names.push_back(name + "." + each.name + " in " + system);
            }
        }
    }
    REQUIRE(tasks.size() > 100);
    const CudaOnHost kernels(tasks);
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        INFO(names[at]);
        CHECK(difference(kernels.run(at, 2, 16), on_processor(tasks[at])) == "");
    }
}

TEST_CASE("generated kernels of random formulas in double give the plain evaluator's bits") {
    RandomOptions options;
    options.nodes = 30;
    options.reductions = true;
    RandomFormula random(3, options);
    const Columns columns = random_points(random, 30);
    std::vector<HostTask> tasks;
    std::vector<formula::Node> trees;
    for (int at = 0; at < 40; ++at) {
        trees.push_back(random.real());
        tasks.push_back(task_of(trees.back(), "double", columns));
    }
    const CudaOnHost kernels(tasks);
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        std::vector<double> wanted;
        for (std::size_t i = 0; i < columns[0].size(); ++i)
            wanted.push_back(evaluate::reference(trees[at], {{{"x", columns[0][i]}, {"y", columns[1][i]}}, {}}));
        INFO(formula::print(trees[at]));
        CHECK(difference(kernels.run(at, 4, 16), wanted) == "");
    }
}

TEST_CASE("a kernel gives the same bits whatever the grid's shape") {
    const formula::Program program =
        formula::compile(formula::parse("sum(j, 0, 63, cos(n*10000^(-j/64)))/h + exp(-n/L)"), {{"h", "L"}, {"n"}, {}});
    for (const std::string& system : all_systems) {
        const std::vector<HostTask> tasks = {
            {program, evaluate::read_number_system(system), {{3, 100}, {evaluate::Range{-5, 3, 1000}}, {}, 1000}}};
        const CudaOnHost kernels(tasks);
        const std::vector<double> first = kernels.run(0, 1, 1);
        INFO(system);
        CHECK(difference(first, on_processor(tasks[0])) == "");
        for (const auto& [blocks, threads] : {std::pair{1U, 1000U}, {7U, 32U}, {64U, 128U}})
            CHECK(difference(kernels.run(0, blocks, threads), first) == "");
    }
}

TEST_CASE("kernels take tables, uniform conditions, ranges beside arrays, loops of every kind and odd names") {
    struct Case {
        const char* formula;
        formula::Signature signature;
    };
    const std::vector<Case> cases = {
        {"w[t5_bucket(n, 8, 20)] + w[n]", {{}, {"n"}, {"w"}}},
        {"sum(j, 0, n, w[j]*sum(i, 0, 3, i*j^2)) - u", {{"u"}, {"n"}, {"w"}}},
        {"if(u < 2 and all(j, 0, 3, j*u < 9), n, -n)", {{"u"}, {"n"}, {}}},
        {"sum(j, u, 5/2, n) + prod(i, 1, 4, n + i)", {{"u"}, {"n"}, {}}},
        {"exists(j, 0, 9, j*j == n) or u > 100", {{"u"}, {"n"}, {}}},
        {"sum(j, 5, 2, n) + double + x1 + result", {{"double", "x1"}, {"n", "result"}, {}}},
        {"sum(j, 0, 5, sum(i, 0, j, sin(u*i)) * n) + inf*0.1^n", {{"u"}, {"n"}, {}}},
        {"2^1024 + n*u", {{"u"}, {"n"}, {}}},
        {"0.1*n + 1/3 - 1e-40", {{}, {"n"}, {}}},
        {"u + pi", {{"u"}, {"n"}, {}}},
    };
    const std::vector<double> table = {0.1, 0.25, -3, 1e5, 7, 8, 9, 1e-9};
    std::vector<double> other;
    for (int i = 0; i < 60; ++i) other.push_back(std::ldexp(i, -3));
    std::vector<HostTask> tasks;
    std::vector<std::string> names;
    for (const Case& each : cases) {
        for (const std::string& system : all_systems) {
            HostTask task{formula::compile(formula::parse(each.formula), each.signature),
                          evaluate::read_number_system(system),
                          {}};
            task.inputs.points = other.size();
            task.inputs.uniform.assign(each.signature.uniform.size(), 1.5);
            task.inputs.varying = {evaluate::Range{-8, 0.5, other.size()}};
            if (each.signature.varying.size() == 2) task.inputs.varying.emplace_back(std::span<const double>(other));
            if (!each.signature.tables.empty()) task.inputs.tables = {table};
            tasks.push_back(std::move(task));
            names.push_back(std::string(each.formula) + " in " + system);
        }
    }
    const CudaOnHost kernels(tasks);
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        INFO(names[at]);
        CHECK(difference(kernels.run(at, 2, 16), on_processor(tasks[at])) == "");
    }
}

TEST_CASE("what loops compute alike at every point is read by the kernel, not computed there") {
    const HostTask task{formula::compile(formula::parse("sum(j, 0, 63, cos(n*10000^(-j/64)))"), {{}, {"n"}, {}}),
                        {},
                        {{}, {evaluate::Range{0, 1, 10}}, {}, 10}};
    const auto prepared = evaluate::cuda::prepare(task.program, task.inputs, task.system, "kernel", "");
    CHECK(prepared.remembered.size() == 64 * sizeof(double));
    CHECK(prepared.source.text.find("power") == std::string::npos);
    CHECK(prepared.source.text.find("*next++;  // 10000^(-i") != std::string::npos);
}

TEST_CASE(
    "loops count by integers where both bounds are exact whole literals up to 2^30, and ask other bounds whether they "
    "are") {
    const auto counts_integers = [](const std::string& from, const std::string& to, const std::string& system) {
        const formula::Program program =
            formula::compile(formula::parse("sum(i, " + from + ", " + to + ", i*n)"), {{}, {"n"}, {}});
        const std::string text =
            evaluate::cuda::source(program, evaluate::read_number_system(system), {"f", "", {false}, true}).text;
        CHECK((text.find("_is_whole") == std::string::npos) == (text.find("for (int ") != std::string::npos));
        return text.find("for (int ") != std::string::npos;
    };
    for (const std::string system : {"double", "float"}) {
        CHECK(counts_integers("1", "3", system));
        CHECK(counts_integers("0", "1073741824", system));
        // Literals are bounds before they are rounded: 2^24 + 1 is no float.
        CHECK(counts_integers("0", "16777217", system));
        for (const auto& [from, to] :
             {std::pair("0", "1073741825"), {"1", "2.5"}, {"0.5", "3"}, {"1", "n"}, {"n", "3"}})
            CHECK_FALSE(counts_integers(from, to, system));
    }
    // In e4m3 17 is 16, and 1000 is beyond the largest number, 448.
    CHECK(counts_integers("1", "17", "e4m3"));
    CHECK(counts_integers("1", "1000", "e4m3"));
}

TEST_CASE("intervals and many digits have no CUDA source") {
    const formula::Program program = formula::compile(formula::parse("n + 1"), {{}, {"n"}, {}});
    for (const char* system : {"interval", "mp50"}) {
        CHECK_THROWS_WITH(
            evaluate::cuda::source(program, evaluate::read_number_system(system), {"f", "", {false}, true}),
            Catch::Contains("double, float, fp16, bf16, e4m3 or e5m2"));
    }
}

TEST_CASE("a line of source is indented by four spaces for each open block") {
    const formula::Program program = formula::compile(
        formula::parse("sum(j, 0, n, w[j]*sum(i, 0, 3, i*j^u)) + sum(j, 0, 5, 10^j*n) + argmin(j, 1, 3, j*n)"),
        {{"u"}, {"n"}, {"w"}});
    for (const std::string system : {"double", "bf16"}) {
        std::istringstream text(
            evaluate::cuda::source(program, evaluate::read_number_system(system), {"f", "", {false}, true}).text);
        std::size_t blocks = 0, brackets = 0;
        for (std::string line; std::getline(text, line);) {
            INFO(line);
            // A line that goes on with the one before is indented further.
            if (brackets == 0) CHECK(line.find_first_not_of(' ') == 4 * (blocks - line.ends_with('}')));
            for (const char each : line) {
                blocks += each == '{';
                blocks -= each == '}';
                brackets += each == '(';
                brackets -= each == ')';
            }
        }
        CHECK(blocks == 0);
    }
}
