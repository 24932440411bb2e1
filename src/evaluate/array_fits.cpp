// Least squares over arrays: by sums of products if a device has the data, otherwise from the columns.
#include <algorithm>
#include <optional>
#include <utility>

#include "evaluate/array_work.hpp"

namespace farfield::evaluate {

namespace {

std::vector<Array> arrays_of(const LinearModel& model) {
    std::vector<Array> arrays = model.columns;
    arrays.insert(arrays.end(), {model.data, model.offset, model.weights});
    return arrays;
}

/// Takes rows in the order of arrays_of().
FitRows fit_rows(const std::vector<device::Row>& rows) {
    const std::size_t columns = rows.size() - 3;
    return {{rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(columns)},
            {rows[columns], rows[columns + 1], rows[columns + 2]}};
}

numerics::FitProducts products_of(Operations& operations, const FitRows& rows) {
    numerics::FitProducts products{rows.columns.size(), {}};
    for (const device::Sum& sum : operations.products(rows)) products.entries.push_back(sum.parts());
    return products;
}

numerics::FitResiduals residuals_of(Operations& operations, const FitRows& rows, std::span<const double> parameters,
                                    double mean) {
    const device::Residuals found = operations.residuals(rows, parameters, mean);
    return {found.squares.total(), found.spread.total(), found.largest, found.points};
}

/// The weighted mean of a fit's data, including their offset.
double mean_of(Operations& operations, const FitRows& rows, const numerics::FitProducts& products) {
    const std::size_t columns = rows.columns.size();
    const auto product = [&](std::size_t i, std::size_t j) {
        const numerics::DoubleDouble& entry = products.entries[pair_index(i, j, columns + 2)];
        return entry.hi + entry.lo;
    };
    const double weights = product(columns, columns);
    if (rows.fit.offset.count == 0) return product(columns, columns + 1) / weights;
    const bool is_plain = rows.fit.weights.count == 0;
    return (is_plain ? operations.sum(rows.fit.data) : operations.dot(rows.fit.weights, rows.fit.data)) / weights;
}

std::optional<numerics::Fit> fit_by_products(const LinearModel& model) {
    if (!model.data.is_on_device()) return std::nullopt;
    std::optional<numerics::Fit> fit;
    const bool is_done =
        is_done_on_device(arrays_of(model), [&](Workplace& place, const std::vector<device::Row>& rows) {
            Operations& operations = place.operations();
            const FitRows all = fit_rows(rows);
            const numerics::FitProducts products = products_of(operations, all);
            const double mean = mean_of(operations, all, products);
            fit = numerics::fit_linear(products, [&](std::span<const double> parameters) {
                return residuals_of(operations, all, parameters, mean);
            });
        });
    return is_done ? fit : std::nullopt;
}

/// The sums of a nonlinear model and its data.
class CurvedSums {
public:
    CurvedSums(const CurvedModel& model, const Array& data, const Array& weights)
        : model_(model), at_{{}, data, {}, weights, {}} {}

    numerics::FitProducts linearise(std::span<const double> parameters) {
        at_.offset = model_.values(parameters);
        at_.columns = model_.slopes(parameters);
        numerics::FitProducts products;
        fold([&](Operations& operations, const FitRows& rows) {
            products = products_of(operations, rows);
            if (!mean_) mean_ = mean_of(operations, rows, products);
        });
        return products;
    }

    numerics::FitResiduals residuals(std::span<const double> step) {
        numerics::FitResiduals found;
        fold(
            [&](Operations& operations, const FitRows& rows) { found = residuals_of(operations, rows, step, *mean_); });
        return found;
    }

private:
    /// Runs on the device, or by the host's operations, whose sums have the same bits.
    template <class Work>
    void fold(const Work& work) const {
        const std::vector<Array> arrays = arrays_of(at_);
        const auto on_rows = [&](Operations& operations, const std::vector<device::Row>& rows) {
            work(operations, fit_rows(rows));
        };
        const bool is_done = is_done_on_device(
            arrays, [&](Workplace& place, const std::vector<device::Row>& rows) { on_rows(place.operations(), rows); });
        if (!is_done) do_on_host(arrays, on_rows);
    }

    const CurvedModel& model_;
    LinearModel at_;  ///< the model linearized: its values are the offset
    std::optional<double> mean_;
};

numerics::NonlinearFit fit_curved_on_host(const CurvedModel& model, const Array& data, const Array& weights,
                                          const std::vector<double>& start) {
    numerics::NonlinearProblem problem;
    problem.model = [&](std::span<const double> parameters, std::span<double> result) {
        const Array values = model.values(parameters);
        std::copy(values.here().begin(), values.here().end(), result.begin());
    };
    problem.jacobian = [&](std::span<const double> parameters, std::span<double> result) {
        for (const Array& slope : model.slopes(parameters)) {
            std::copy(slope.here().begin(), slope.here().end(), result.begin());
            result = result.subspan(slope.size());
        }
    };
    problem.start = start;
    problem.data = data.here();
    problem.weights = weights.here();
    return numerics::fit_nonlinear(problem);
}

}  // namespace

LinearFit fit_linear(const LinearModel& model) {
    if (const std::optional<numerics::Fit> fit = fit_by_products(model))
        return {*fit, model.values(fit->parameters), true};
    std::vector<std::span<const double>> columns;
    columns.reserve(model.columns.size());
    for (const Array& column : model.columns) columns.push_back(column.here());
    const numerics::Fit fit =
        numerics::fit_linear({columns, model.data.here(), model.offset.here(), model.weights.here()});
    std::vector<double> values(model.data.size());
    std::copy(model.offset.here().begin(), model.offset.here().end(), values.begin());
    for (std::size_t j = 0; j < columns.size(); ++j)
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += fit.parameters[j] * columns[j][i];
    return {fit, Array(std::move(values)), false};
}

CurvedFit fit_curved(const CurvedModel& model, const Array& data, const Array& weights,
                     const std::vector<double>& start) {
    if (!data.is_on_device() || device_for(data.size()) == nullptr)
        return {fit_curved_on_host(model, data, weights, start), false};
    CurvedSums sums(model, data, weights);
    return {numerics::fit_nonlinear({[&](std::span<const double> parameters) { return sums.linearise(parameters); },
                                     [&](std::span<const double> step) { return sums.residuals(step); }, start}),
            true};
}

}  // namespace farfield::evaluate
