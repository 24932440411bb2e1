// What only a device can show: every operator in every number system, the built-in schemes and random formulas, on the
// device against exact values or the processor's bits. Prints a line for each check. Status 0 if all hold, 1 if one
// does not, 77 where there is no device.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/device.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>

#include "evaluate/agreement.hpp"
#include "evaluate/array.hpp"
#include "evaluate/operations_check.hpp"
#include "quantity/convolution.hpp"
#include "support/folder.hpp"
#include "support/random_formula.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

const std::vector<std::string> low_systems = {"fp16", "bf16", "e4m3", "e5m2"};

/// The processor's functions are within 2 ulp, and so are CUDA's.
constexpr double most_ulps = 4;

struct Checks {
    std::size_t good = 0;
    std::size_t bad = 0;

    void expect(bool holds, const std::string& what, const std::string& found) {
        (holds ? good : bad) += 1;
        std::printf("%s %s: %s\n", holds ? "ok    " : "FAILED", what.c_str(), found.c_str());
    }
};

bool same_bits(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

std::string bits_text(const std::vector<double>& found, const std::vector<double>& wanted, bool& same) {
    same = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (same_bits(found[i], wanted[i])) continue;
        same = false;
        char text[120];
        std::snprintf(text, sizeof text, "point %zu is %.17g on the processor, %.17g on the device", i, wanted[i],
                      found[i]);
        return text;
    }
    return "the processor's bits at " + std::to_string(wanted.size()) + " points";
}

evaluate::Inputs arrays(const Columns& columns) {
    evaluate::Inputs inputs;
    for (const auto& column : columns) inputs.varying.emplace_back(std::span<const double>(column));
    inputs.points = columns[0].size();
    return inputs;
}

/// A program and its inputs on the device itself.
bool into(evaluate::Device& device, const formula::Program& program, const evaluate::Inputs& inputs,
          const evaluate::NumberSystem& system, std::span<double> result) {
    std::vector<evaluate::DeviceLane> lanes;
    for (const evaluate::Lane& lane : inputs.varying)
        std::visit([&](const auto& values) { lanes.emplace_back(values); }, lane);
    return device.evaluate_into({program, system, inputs.uniform, lanes, inputs.tables, inputs.points}, result);
}

class Suite {
public:
    Suite(evaluate::Device& device, Checks& checks) : device_(device), checks_(checks) {}

    /// The values there; nothing, and a failed check, where the device did not take the work.
    std::optional<std::vector<double>> there(const formula::Program& program, const evaluate::Inputs& inputs,
                                             const std::string& system, const std::string& what) {
        std::vector<double> values(inputs.points);
        if (into(device_, program, inputs, evaluate::read_number_system(system), values)) return values;
        checks_.expect(false, what, "the device did not take it");
        return std::nullopt;
    }

    void same_as_processor(const formula::Program& program, const evaluate::Inputs& inputs, const std::string& system,
                           const std::string& what) {
        const auto found = there(program, inputs, system, what);
        if (!found) return;
        const auto wanted = evaluate::evaluate(program, inputs, evaluate::read_number_system(system));
        bool same = false;
        const std::string text = bits_text(*found, wanted, same);
        checks_.expect(same, what, text);
    }

    template <class Real>
    void near_exact(const formula::Program& program, Columns columns, const std::string& system,
                    const std::string& what) {
        for (auto& column : columns) {
            for (double& value : column) value = static_cast<double>(static_cast<Real>(value));
        }
        const auto found = there(program, arrays(columns), system, what);
        if (!found) return;
        const auto exact = exact_values(program, columns);
        double worst = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) worst = std::max(worst, ulps<Real>((*found)[i], exact[i]));
        char text[60];
        std::snprintf(text, sizeof text, "%.2f ulp at most", worst);
        checks_.expect(worst <= most_ulps, what, text);
    }

    void operators() {
        for (const formula::OperatorRow& row : plain_operators()) {
            const std::vector<std::string> names = argument_names(row);
            const formula::Program program = formula::compile(operator_tree(row), {{}, names, {}});
            const Columns columns = agreement_inputs(names.size(), 3000, 20261121);
            const std::string spelling(row.spelling);
            near_exact<double>(program, columns, "double", spelling + " in double");
            near_exact<float>(program, columns, "float", spelling + " in float");
            for (const std::string& system : low_systems)
                same_as_processor(program, arrays(columns), system, spelling + " in " + system);
        }
    }

    void random_formulas() {
        RandomOptions options;
        options.nodes = 40;
        options.reductions = true;
        RandomFormula any(20261121, options);
        options.exact = true;
        RandomFormula exact(20261122, options);
        Columns columns(2);
        for (int i = 0; i < 500; ++i) {
            for (auto& column : columns) column.push_back(any.between(-8, 8));
        }
        const formula::Signature signature{{}, {"x", "y"}, {}};
        for (int at = 0; at < 200; ++at) {
            const formula::Program program = formula::compile(any.real(), signature);
            same_as_processor(program, arrays(columns), low_systems[static_cast<std::size_t>(at) % 4],
                              "random formula " + std::to_string(at));
        }
        for (int at = 0; at < 50; ++at) {
            const formula::Program program = formula::compile(exact.real(), signature);
            same_as_processor(program, arrays(columns), "double", "random exact formula " + std::to_string(at));
        }
    }

    /// The bias of each built-in scheme over distances, whose scale of errors is its largest value.
    void schemes() {
        const scheme::Registry& registry = scheme::Registry::builtin();
        for (const std::string& name : registry.names()) {
            const scheme::Scheme& scheme = *registry.find(name);
            if (!scheme.bias || !scheme.learn.empty()) continue;
            const formula::Node tree =
                formula::substitute(scheme::bias_formula(scheme, {.head = 3, .heads = 8, .length = 10000}),
                                    {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
            const formula::Program program = formula::compile(tree, {{}, {"n"}, {}});
            const evaluate::Inputs inputs{{}, {evaluate::Range{0, 1, 10000}}, {}, 10000};
            const auto found = there(program, inputs, "double", name);
            if (!found) continue;
            const auto wanted = evaluate::evaluate(program, inputs);
            double largest = 0, worst = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                largest = std::max(largest, std::fabs(wanted[i]));
                worst = std::max(worst, std::fabs(wanted[i] - (*found)[i]));
            }
            char text[80];
            std::snprintf(text, sizeof text, "%.2g of the largest value", worst / largest);
            checks_.expect(worst <= 1e-11 * largest, name + "'s bias", text);
        }
    }

    /// g_zeta, which goes to the device as a sum of waves: both are within 1e-12 of the exact value.
    void waves() {
        const formula::Program program =
            formula::compile(formula::parse("sum(j, 0, 63, cos(n*10000^(-2*j/128)))"), {{}, {"n"}, {}});
        constexpr std::size_t points = 10000000;
        const evaluate::Inputs inputs{{}, {evaluate::Range{0, 1, points}}, {}, points};
        const std::vector<double> wanted = evaluate::evaluate(program, inputs);
        const std::size_t before = device_.done().evaluations;
        const evaluate::OnDevice scope(&device_);
        const std::vector<double> found = evaluate::evaluate(program, inputs);
        double worst = 0;
        for (std::size_t i = 0; i < points; ++i) worst = std::max(worst, std::fabs(found[i] - wanted[i]));
        char text[60];
        std::snprintf(text, sizeof text, "%.2g of 64 from the processor", worst);
        checks_.expect(device_.done().evaluations == before + 1 && worst <= 2e-12 * 64, "a sum of waves", text);
    }

    /// Sums of waves within a formula are inputs of what is left of it.
    void waves_within() {
        const formula::Program program = formula::compile(
            formula::parse("log(40 + sum(j, 0, 31, cos(n*10000^(-j/32)))) - sum(j, 1, 9, sin(n/j))/(1 + n)"),
            {{}, {"n"}, {}});
        constexpr std::size_t points = 3000000;
        const evaluate::Inputs inputs{{}, {evaluate::Range{0, 1, points}}, {}, points};
        const std::vector<double> wanted = evaluate::evaluate(program, inputs);
        const std::size_t before = device_.done().evaluations;
        const evaluate::OnDevice scope(&device_);
        const std::vector<double> found = evaluate::evaluate(program, inputs);
        double worst = 0;
        for (std::size_t i = 0; i < points; ++i) worst = std::max(worst, std::fabs(found[i] - wanted[i]));
        char text[60];
        std::snprintf(text, sizeof text, "%.2g from the processor", worst);
        checks_.expect(device_.done().evaluations == before + 1 && worst <= 1e-10, "sums of waves within a formula",
                       text);
    }

    /// Operations on rows, against plain loops; and the bits of folds that only add and multiply, which are those of
    /// the processors' machine.
    void operations() {
        const bool is_done = device_.operate(1, [&](evaluate::Workplace& place) {
            OperationsCheck check(place.operations(), place.store(),
                                  [&](bool holds, const std::string& what, const std::string& found) {
                                      checks_.expect(holds, what, found);
                                  });
            check.run();
            same_bits_of_folds(place);
        });
        checks_.expect(is_done, "operations on rows", is_done ? "done there" : "the device did not take them");
    }

    void same_bits_of_folds(evaluate::Workplace& place) {
        std::vector<double> row(3000001);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::exp(-static_cast<double>(i % 1000) / 7) - 0.25;
        evaluate::HostStore store;
        const auto host = evaluate::host_operations(store, nullptr);
        const RowThere here(store, row), there(place.store(), row);
        const auto numbers = [](evaluate::Operations& operations, const device::Row& x) {
            device::LinearModel model;
            model.count = 2;
            model.columns[0] = model.data = x;
            model.columns[1] = {nullptr, x.count, 0, 1e-6};
            const device::Products products = operations.products(model);
            std::vector<double> found = {operations.sum(x), operations.dot(x, x),
                                         operations.steps(x).variation.total()};
            for (unsigned i = 0; i < device::pairs_of(4); ++i) found.push_back(products.sums[i].total());
            return found;
        };
        bool same = false;
        const std::string text = bits_text(numbers(place.operations(), there.row()), numbers(*host, here.row()), same);
        checks_.expect(same, "folds that add and multiply", text);
    }

    /// Parts of a range give the bits of the whole: no value depends on the grid's shape.
    void shapes() {
        const formula::Program program =
            formula::compile(formula::parse("sum(j, 0, 63, cos(n*10000^(-j/64)) + exp(-j*n/1e6))"), {{}, {"n"}, {}});
        constexpr std::size_t points = 1000003;
        const auto whole = there(program, {{}, {evaluate::Range{0, 1, points}}, {}, points}, "double", "shapes");
        if (!whole) return;
        for (const std::size_t length : {std::size_t{1}, std::size_t{333}, std::size_t{65537}}) {
            const double from = 500000;
            const auto part = there(program, {{}, {evaluate::Range{from, 1, length}}, {}, length}, "double", "shapes");
            if (!part) return;
            bool same = false;
            const std::string text =
                bits_text(*part, {whole->begin() + 500000, whole->begin() + 500000 + static_cast<long>(length)}, same);
            checks_.expect(same, "a part of " + std::to_string(length) + " points of a range", text);
        }
    }

    /// Rows that stay there from a formula to its softmax, running sums, convolution and fit.
    void rows() {
        const auto numbers = [] {
            const formula::Program program =
                formula::compile(formula::parse("-0.3*log(1 + n) + cos(n/50)"), {{}, {"n"}, {}});
            constexpr std::size_t points = 100000;
            const evaluate::Array n(evaluate::Range{0, 1, points});
            const evaluate::Array row = evaluate::evaluate_array(program, {}, {n}, points);
            const bool is_there = row.is_there();
            const quantity::Row attention = quantity::softmax(row, {});
            const quantity::Row sums = quantity::cumulate(quantity::convolution_power(attention, 3));
            std::vector<double> found = {row[99], attention.values[7], sums.values[5000], sums.values.back()};
            return std::pair(is_there, found);
        };
        const auto wanted = numbers();
        const evaluate::OnDevice scope(&device_);
        const auto found = numbers();
        double worst = 0;
        for (std::size_t i = 0; i < wanted.second.size(); ++i)
            worst = std::max(worst, std::fabs(found.second[i] - wanted.second[i]));
        char text[60];
        std::snprintf(text, sizeof text, "%.2g from the processor", worst);
        checks_.expect(found.first && !wanted.first && worst <= 1e-11, "rows that stay on the device", text);
    }

private:
    evaluate::Device& device_;
    Checks& checks_;
};

/// How long a formula's first evaluation takes, compiled, and then from the cache by another program.
void tell_first_use(const evaluate::DeviceOptions& options) {
    const formula::Program program =
        formula::compile(formula::parse("-2^(-8*h/H)*n + log(1 + n)"), {{"h", "H"}, {"n"}, {}});
    const evaluate::Inputs inputs{{3, 8}, {evaluate::Range{0, 1, 4096}}, {}, 4096};
    std::vector<double> values(4096);
    for (const char* what : {"first use of a formula", "first use with its kernel in the cache"}) {
        const auto device = evaluate::open_cuda(options);
        const auto start = std::chrono::steady_clock::now();
        into(*device, program, inputs, {}, values);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        std::printf("      %s: %.1f ms\n", what, time.count());
    }
}

}  // namespace

int main() {
    const Folder cache;
    evaluate::DeviceOptions options;
    options.cache = cache.path();
    options.fewest_points = 1;
    options.report = [](const std::string& text) { std::printf("%s\n", text.c_str()); };
    std::unique_ptr<evaluate::Device> device;
    try {
        device = evaluate::open_cuda(options);
    } catch (const core::MissingError& error) {
        std::printf("skipped, no device: %s\n", error.what());
        return 77;
    }
    std::printf("%s\n", device->name().c_str());
    Checks checks;
    Suite suite(*device, checks);
    suite.operators();
    suite.random_formulas();
    suite.schemes();
    suite.shapes();
    suite.waves();
    suite.waves_within();
    suite.operations();
    suite.rows();
    tell_first_use(options);
    std::printf("%zu passed, %zu failed\n", checks.good, checks.bad);
    return checks.bad == 0 && checks.good > 0 ? 0 : 1;
}
