// The gpu suite: every operator in every number system, the built-in schemes, random formulas and operations on rows,
// on a device against exact values or the processor's bits. Prints a line for each check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/evaluate/device.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>

#include "evaluate/agreement.hpp"
#include "evaluate/operations_check.hpp"
#include "evaluate/resident.hpp"
#include "quantity/bias_arrays.hpp"
#include "quantity/convolution.hpp"
#include "support/random_formula.hpp"
#include "support/worst.hpp"

namespace farfield::tests {

inline const std::vector<std::string> low_systems = {"fp16", "bf16", "e4m3", "e5m2"};

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

inline bool same_bits(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

inline std::string bits_text(const std::vector<double>& found, const std::vector<double>& wanted, bool& same) {
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

inline evaluate::Inputs arrays(const Columns& columns) {
    evaluate::Inputs inputs;
    for (const auto& column : columns) inputs.varying.emplace_back(std::span<const double>(column));
    inputs.points = columns[0].size();
    return inputs;
}

/// A program and its inputs on the device itself.
inline bool into(evaluate::Device& device, const formula::Program& program, const evaluate::Inputs& inputs,
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
        checks_.expect(false, what, "the device did not accept it");
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
        for (std::size_t i = 0; i < exact.size(); ++i) worst = worse(worst, ulps<Real>((*found)[i], exact[i]));
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
                worst = worse(worst, std::fabs(wanted[i] - (*found)[i]));
            }
            char text[80];
            std::snprintf(text, sizeof text, "%.2g of the largest value", worst / largest);
            checks_.expect(worst <= 1e-11 * largest, name + "'s bias", text);
        }
    }

    /// A formula of n < points whose sums of waves go to the device, in one evaluation there.
    void sums_of_waves(const std::string& text, std::size_t points, double most, const std::string& what) {
        const formula::Program program = formula::compile(formula::parse(text), {{}, {"n"}, {}});
        const evaluate::Inputs inputs{{}, {evaluate::Range{0, 1, points}}, {}, points};
        const std::vector<double> wanted = evaluate::evaluate(program, inputs);
        const std::size_t before = device_.done().evaluations;
        const evaluate::OnDevice scope(&device_);
        const std::vector<double> found = evaluate::evaluate(program, inputs);
        double worst = 0;
        for (std::size_t i = 0; i < points; ++i) worst = worse(worst, std::fabs(found[i] - wanted[i]));
        char difference[60];
        std::snprintf(difference, sizeof difference, "%.2g from the processor", worst);
        checks_.expect(device_.done().evaluations == before + 1 && worst <= most, what, difference);
    }

    void waves() {
        // g_zeta: both are within 1e-12 of the exact value, as a share of the sum of magnitudes.
        sums_of_waves("sum(j, 0, 63, cos(n*10000^(-2*j/128)))", 10000000, 2e-12 * 64, "a sum of waves");
        // Sums within a formula are inputs of what is left of it.
        sums_of_waves("log(40 + sum(j, 0, 31, cos(n*10000^(-j/32)))) - sum(j, 1, 9, sin(n/j))/(1 + n)", 3000000, 1e-10,
                      "sums of waves within a formula");
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
        checks_.expect(is_done, "operations on rows",
                       is_done ? "done on the device" : "the device did not accept them");
    }

    void same_bits_of_folds(evaluate::Workplace& place) {
        std::vector<double> row(3000001);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::exp(-static_cast<double>(i % 1000) / 7) - 0.25;
        evaluate::HostStore store;
        const auto host = evaluate::host_operations(store, nullptr);
        const RowThere here(store, row), there(place.store(), row);
        const auto numbers = [](evaluate::Operations& operations, const device::Row& x) {
            std::vector<double> found = {operations.sum(x), operations.dot(x, x),
                                         operations.steps(x).variation.total()};
            // Of two columns and of eight, more than one fold takes.
            for (const std::size_t columns : {2, 8}) {
                evaluate::FitRows rows{{}, {x, {}, {}}};
                for (std::size_t j = 0; j < columns; ++j)
                    rows.columns.push_back({nullptr, x.count, 0, 1e-6 * static_cast<double>(j)});
                rows.columns[0] = x;
                for (const device::Sum& sum : operations.products(rows)) found.push_back(sum.total());
                const std::vector<double> parameters(columns, 0.25);
                const device::Residuals residuals = operations.residuals(rows, parameters, 0.5);
                found.insert(found.end(), {residuals.squares.total(), residuals.spread.total(), residuals.largest});
            }
            return found;
        };
        bool same = false;
        const std::string text = bits_text(numbers(place.operations(), there.row()), numbers(*host, here.row()), same);
        checks_.expect(same, "folds that add and multiply", text);
    }

    /// Memory that was released serves a library's own allocations, as cuFFT's.
    void released_memory() {
        constexpr std::size_t piece = std::size_t{1} << 28, length = std::size_t{1} << 26;
        bool is_full = false;
        double last = 0;
        const bool is_done = device_.operate(1, [&](evaluate::Workplace& place) {
            try {
                // A host in a device's place promises memory without end.
                std::vector<evaluate::Memory> all;
                while (all.size() < 1024) all.emplace_back(place.store(), piece);
            } catch (const evaluate::MachineError& error) {
                if (error.kind() != evaluate::MachineError::Kind::memory) throw;
                is_full = true;
            }
            if (!is_full) return;
            const device::Row ones{nullptr, length, 1, 0};
            const evaluate::Memory result(place.store(), length * sizeof(double));
            place.operations().convolve(ones, ones, result.as<double>());
            place.store().copy_out(&last, result.pointer() + (length - 1) * sizeof(double), sizeof last);
        });
        const double off = std::fabs(last / static_cast<double>(length) - 1);
        checks_.expect(is_done && (!is_full || off < 1e-12), "a convolution where all memory was taken and released",
                       !is_full ? "the memory is never full" : std::to_string(last));
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
            const bool is_there = row.is_on_device();
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
            worst = worse(worst, std::fabs(found.second[i] - wanted.second[i]));
        char text[60];
        std::snprintf(text, sizeof text, "%.2g from the processor", worst);
        checks_.expect(found.first && !wanted.first && worst <= 1e-11, "rows that stay on the device", text);
    }

    /// A curved fit by sums there against the processor's by its points.
    void curved_fit() {
        constexpr std::size_t points = 50000;
        const evaluate::Array n(evaluate::Range{0, 1, points});
        const auto rows = [&](const char* text, std::span<const double> parameters) {
            const formula::Program program =
                formula::compile(formula::parse(std::string(text)), {{"a", "b"}, {"n"}, {}});
            return evaluate::evaluate_array(program, {parameters.begin(), parameters.end()}, {n}, points);
        };
        const evaluate::CurvedModel model = {
            [&](std::span<const double> p) { return rows("a*exp(-b*n)", p); },
            [&](std::span<const double> p) {
                return std::vector<evaluate::Array>{rows("exp(-b*n)", p), rows("-a*n*exp(-b*n)", p)};
            }};
        const char* const curve = "a*exp(-b*n) + cos(n)/100";
        const std::vector<double> truth = {2, 0.001}, start = {1, 0.01};
        const evaluate::Array data = rows(curve, truth);
        numerics::NonlinearProblem problem;
        problem.model = [&](std::span<const double> p, std::span<double> values) {
            std::copy_n(model.values(p).here().begin(), points, values.begin());
        };
        problem.jacobian = [&](std::span<const double> p, std::span<double> derivatives) {
            const std::vector<evaluate::Array> slopes = model.slopes(p);
            for (std::size_t j = 0; j < slopes.size(); ++j)
                std::copy_n(slopes[j].here().begin(), points, derivatives.data() + j * points);
        };
        problem.start = start;
        problem.data = data.here();
        const numerics::Fit wanted = numerics::fit_nonlinear(problem).fit;
        const evaluate::OnDevice scope(&device_);
        const auto [found, by_products] = evaluate::fit_curved(model, rows(curve, truth), {}, start);
        if (!by_products) return checks_.expect(false, "a curved fit", "the device did not accept it");
        double worst = 0;
        for (std::size_t j = 0; j < start.size(); ++j)
            worst = worse(worst, std::fabs(found.fit.parameters[j] / wanted.parameters[j] - 1));
        char text[80];
        std::snprintf(text, sizeof text, "%.2g of the processor's parameters at most", worst);
        checks_.expect(found.outcome == numerics::Outcome::converged && worst <= 1e-11, "a curved fit", text);
    }

    /// A matrix of positions and what is seen of it, and the mean of rows.
    void matrix() {
        constexpr std::size_t length = 300;
        const evaluate::OnDevice scope(&device_);
        const evaluate::Cells cells = evaluate::cells(length);
        if (!cells.q.is_on_device() || !cells.k.is_on_device())
            return checks_.expect(false, "a matrix", "the device did not accept it");
        const formula::Program program =
            formula::compile(formula::parse("k > q + 3 ? -inf : (q - 2*k)/8"), {{}, {"q", "k"}, {}});
        const evaluate::Array values = evaluate::evaluate_array(program, {}, {cells.q, cells.k}, length * length);
        const evaluate::VisibleCells seen = evaluate::visible_cells(values);
        std::size_t wrong = 0, visible = 0;
        for (std::size_t q = 0; q < length; ++q) {
            for (std::size_t k = 0; k < length; ++k) {
                const bool is_hidden = k > q + 3;
                const double wanted = is_hidden ? -std::numeric_limits<double>::infinity()
                                                : (static_cast<double>(q) - 2.0 * static_cast<double>(k)) / 8;
                wrong += values.here()[q * length + k] == wanted ? 0 : 1;
                visible += is_hidden ? 0 : 1;
            }
        }
        checks_.expect(values.is_on_device() && wrong == 0, "a matrix", std::to_string(wrong) + " cells are wrong");
        // Least where the last key is first seen, by query 296; greatest at the first key of the last query.
        const bool holds = seen.count == static_cast<double>(visible) && seen.least == -37.75 &&
                           seen.greatest == 37.375 && seen.at_greatest == (length - 1) * length && seen.first == 0 &&
                           seen.last == -37.375;
        checks_.expect(holds, "the visible part of a matrix", std::to_string(seen.count));
        const evaluate::Array mean = evaluate::mean_of_rows({cells.q, cells.k, cells.k});
        checks_.expect(mean.is_on_device() && mean[5 * length + 8] == 7, "the mean of rows",
                       std::to_string(mean[1508]));
    }

    /// A scheme's bias of all heads against the processor's: one of the distance alone, and one of each pair.
    void matrices_of_heads() {
        constexpr std::size_t length = 300;
        const scheme::Context context{.heads = 3};
        const scheme::Scheme sandwich = *scheme::Registry::builtin().find("sandwich");
        scheme::Scheme pairs = sandwich;
        pairs.name = "a bias of each pair";
        pairs.bias->formula = formula::parse("-h*sqrt(q + 2*k)/H");
        for (const scheme::Scheme& scheme : {sandwich, pairs}) {
            const std::vector<evaluate::Array> wanted = quantity::bias_arrays(scheme, context, length);
            const evaluate::OnDevice scope(&device_);
            const std::vector<evaluate::Array> found = quantity::bias_arrays(scheme, context, length);
            bool holds = found.size() == wanted.size();
            double largest = 0, worst = 0;
            for (std::size_t head = 0; holds && head < wanted.size(); ++head) {
                holds = found[head].is_on_device() && !wanted[head].is_on_device();
                for (std::size_t cell = 0; cell < length * length; ++cell) {
                    largest = std::max(largest, std::fabs(wanted[head].here()[cell]));
                    worst = worse(worst, std::fabs(found[head].here()[cell] - wanted[head].here()[cell]));
                }
            }
            char text[80];
            std::snprintf(text, sizeof text, "%.2g of the largest value", worst / largest);
            checks_.expect(holds && worst <= 1e-11 * largest, "the matrices of all heads, " + scheme.name, text);
        }
    }

    void run() {
        operators();
        random_formulas();
        schemes();
        shapes();
        waves();
        operations();
        rows();
        curved_fit();
        matrix();
        matrices_of_heads();
        released_memory();
    }

private:
    evaluate::Device& device_;
    Checks& checks_;
};

}  // namespace farfield::tests
