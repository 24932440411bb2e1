#include "evaluate/array_operations.hpp"

#include <algorithm>
#include <limits>

#include <farfield/evaluate/device.hpp>
#include <farfield/numerics/convolution.hpp>

namespace farfield::evaluate {

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// work(place, rows as the device reads them); false where it did not happen there.
template <class Work>
bool work_there(const std::vector<Array>& arrays, const Work& work) {
    Device* const device = OnDevice::current();
    if (device == nullptr || std::none_of(arrays.begin(), arrays.end(), [](const Array& x) { return x.is_there(); }))
        return false;
    std::size_t points = 0;
    for (const Array& array : arrays) points = std::max(points, array.size());
    return device->operate(points, [&](Workplace& place) {
        std::vector<Memory> copies;
        std::vector<device::Row> rows;
        rows.reserve(arrays.size());
        for (const Array& array : arrays) rows.push_back(array.row(place, copies));
        work(place, rows);
    });
}

/// The number or state that an operation gives.
template <class Ask>
auto asked_there(const Array& x, const Ask& ask) {
    std::optional<decltype(ask(std::declval<Operations&>(), device::Row{}))> found;
    const bool is_done = work_there(
        {x}, [&](Workplace& place, const std::vector<device::Row>& rows) { found = ask(place.operations(), rows[0]); });
    return is_done ? found : std::nullopt;
}

/// A row that an operation makes of rows, fill(operations, rows, result); again(arrays) makes it on the processor.
template <class Fill>
std::optional<Array> made_there(const std::vector<Array>& arrays, const Fill& fill,
                                std::function<std::vector<double>(const std::vector<Array>&)> again) {
    std::shared_ptr<const Resident> made;
    const bool is_done = work_there(arrays, [&](Workplace& place, const std::vector<device::Row>& rows) {
        made = place.row(arrays.front().size());
        fill(place.operations(), rows, const_cast<double*>(made->data()));
    });
    if (!is_done) return std::nullopt;
    std::vector<Array> kept;
    kept.reserve(arrays.size());
    for (const Array& array : arrays) kept.push_back(array.kept());
    return Array(std::move(made), [kept = std::move(kept), again = std::move(again)] { return again(kept); });
}

/// fold(operations, rows): there, or by the processors' machine, whose sums have the same bits.
template <class Fold>
void fold_rows(const std::vector<Array>& arrays, const Fold& fold) {
    const bool is_done = work_there(
        arrays, [&](Workplace& place, const std::vector<device::Row>& rows) { fold(place.operations(), rows); });
    if (is_done) return;
    HostStore store;
    std::vector<device::Row> rows;
    rows.reserve(arrays.size());
    for (const Array& array : arrays) rows.push_back(array.row_here());
    fold(*host_operations(store, nullptr), rows);
}

std::vector<Array> arrays_of(const LinearFitRows& rows) {
    std::vector<Array> arrays = rows.columns;
    arrays.insert(arrays.end(), {rows.data, rows.offset, rows.weights});
    return arrays;
}

/// Of rows in the order of arrays_of().
FitRows fit_rows(const std::vector<device::Row>& rows) {
    const std::size_t columns = rows.size() - 3;
    return {{rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(columns)},
            {rows[columns], rows[columns + 1], rows[columns + 2]}};
}

numerics::FitProducts products_of(Operations& operations, const FitRows& rows) {
    numerics::FitProducts products{rows.columns.size(), {}};
    for (const device::Sum& sum : operations.products(rows)) products.entries.push_back({sum.sum, sum.error});
    return products;
}

numerics::FitResiduals residuals_of(Operations& operations, const FitRows& rows, std::span<const double> parameters,
                                    double mean) {
    const device::Residuals found = operations.residuals(rows, parameters, mean);
    return {found.squares.total(), found.spread.total(), found.largest, found.points};
}

/// The weighted mean of a fit's data, their offset included.
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

/// A curved model and its data as sums.
class CurvedSums {
public:
    CurvedSums(const CurvedModelRows& model, const Array& data, const Array& weights)
        : model_(model), at_{{}, data, {}, weights} {}

    numerics::FitProducts linearise(std::span<const double> parameters) {
        at_.offset = model_.values(parameters);
        at_.columns = model_.slopes(parameters);
        numerics::FitProducts products;
        fold_rows(arrays_of(at_), [&](Operations& operations, const std::vector<device::Row>& rows) {
            const FitRows fit = fit_rows(rows);
            products = products_of(operations, fit);
            if (!mean_) mean_ = mean_of(operations, fit, products);
        });
        return products;
    }

    numerics::FitResiduals residuals(std::span<const double> step) {
        numerics::FitResiduals found;
        fold_rows(arrays_of(at_), [&](Operations& operations, const std::vector<device::Row>& rows) {
            found = residuals_of(operations, fit_rows(rows), step, *mean_);
        });
        return found;
    }

private:
    const CurvedModelRows& model_;
    LinearFitRows at_;  ///< the model made linear: its values are the offset
    std::optional<double> mean_;
};

}  // namespace

std::optional<device::Extremes> extremes_there(const Array& x) {
    return asked_there(x, [](Operations& operations, const device::Row& row) { return operations.extremes(row); });
}

std::optional<device::Steps> steps_there(const Array& x) {
    return asked_there(x, [](Operations& operations, const device::Row& row) { return operations.steps(row); });
}

std::optional<std::size_t> first_above_there(const Array& x, double limit) {
    return asked_there(
        x, [&](Operations& operations, const device::Row& row) { return operations.first_above(row, limit); });
}

std::optional<RowSums> sum_row_there(const Array& x, double scale, double next) {
    return asked_there(x, [&](Operations& operations, const device::Row& row) {
        const device::WeightState found = operations.weights(row, scale, next);
        return RowSums{found.shift, {found.total, found.squares, found.falls}};
    });
}

std::optional<Softmax> softmax_there(const Array& x) {
    const std::optional<RowSums> sums = sum_row_there(x, 1, nothing);
    if (!sums) return std::nullopt;
    std::optional<Array> row = made_there(
        {x},
        [&](Operations& operations, const std::vector<device::Row>& rows, double* result) {
            operations.share_out(rows[0], sums->shift, 1 / sums->sums.total, result);
        },
        [](const std::vector<Array>& arrays) {
            std::vector<double> shares(arrays[0].size());
            softmax_row(arrays[0].here(), shares, {});
            return shares;
        });
    if (!row) return std::nullopt;
    return Softmax{sums->shift, std::move(*row)};
}

std::optional<Array> running_sums_there(const Array& x) {
    return made_there(
        {x},
        [](Operations& operations, const std::vector<device::Row>& rows, double* result) {
            operations.running_sums(rows[0], result);
        },
        [](const std::vector<Array>& arrays) {
            std::vector<double> sums(arrays[0].size());
            running_sums(arrays[0].here(), sums);
            return sums;
        });
}

std::optional<Array> mix_there(const Array& x, double factor, double first) {
    return made_there(
        {x},
        [&](Operations& operations, const std::vector<device::Row>& rows, double* result) {
            operations.mix(rows[0], factor, first, result);
        },
        [=](const std::vector<Array>& arrays) {
            std::vector<double> mixed(arrays[0].here().begin(), arrays[0].here().end());
            for (double& value : mixed) value *= factor;
            mixed[0] += first;
            return mixed;
        });
}

std::optional<Array> subtract_there(const Array& a, const Array& b) {
    return made_there(
        {a, b},
        [](Operations& operations, const std::vector<device::Row>& rows, double* result) {
            operations.subtract(rows[0], rows[1], result);
        },
        [](const std::vector<Array>& arrays) {
            std::vector<double> differences(arrays[0].here().begin(), arrays[0].here().end());
            const std::span<const double> others = arrays[1].here();
            for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= others[i];
            return differences;
        });
}

std::optional<Array> convolve_there(const Array& a, const Array& b) {
    return made_there(
        {a, b},
        [](Operations& operations, const std::vector<device::Row>& rows, double* result) {
            operations.convolve(rows[0], rows[1], result);
        },
        [](const std::vector<Array>& arrays) { return numerics::convolve(arrays[0].here(), arrays[1].here()); });
}

std::optional<numerics::Fit> fit_linear_there(const LinearFitRows& given) {
    std::optional<numerics::Fit> fit;
    const bool is_done = work_there(arrays_of(given), [&](Workplace& place, const std::vector<device::Row>& rows) {
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

std::optional<numerics::NonlinearFit> fit_curved_there(const CurvedModelRows& model, const Array& data,
                                                       const Array& weights, const std::vector<double>& start) {
    Device* const device = OnDevice::current();
    if (device == nullptr || !data.is_there() || !device->takes(static_cast<double>(data.size()))) return std::nullopt;
    CurvedSums sums(model, data, weights);
    return numerics::fit_nonlinear({[&](std::span<const double> parameters) { return sums.linearise(parameters); },
                                    [&](std::span<const double> step) { return sums.residuals(step); }, start});
}

std::optional<double> sum_there(const Array& x) {
    return asked_there(x, [](Operations& operations, const device::Row& row) { return operations.sum(row); });
}

std::optional<Array> spread_there(const std::vector<double>& by_distance, std::size_t heads, std::size_t length) {
    const std::size_t cells = heads * length * length;
    Device* const device = OnDevice::current();
    std::shared_ptr<const Resident> made;
    const bool is_done = device != nullptr && device->operate(cells, [&](Workplace& place) {
        const Memory there = copied(place.store(), by_distance);
        made = place.row(cells);
        place.operations().spread_distances(there.as<const double>(), heads, length, const_cast<double*>(made->data()));
    });
    if (!is_done) return std::nullopt;
    return Array(std::move(made), [=] {
        HostStore store;
        std::vector<double> matrix(cells);
        host_operations(store, nullptr)->spread_distances(by_distance.data(), heads, length, matrix.data());
        return matrix;
    });
}

Array mean_of_rows(const std::vector<Array>& rows) {
    const auto mean_here = [](const std::vector<Array>& arrays) {
        std::vector<double> mean(arrays.front().size());
        for (const Array& array : arrays) {
            const std::span<const double> row = array.here();
            for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += row[i];
        }
        for (double& each : mean) each /= static_cast<double>(arrays.size());
        return mean;
    };
    const std::optional<Array> there = made_there(
        rows,
        [](Operations& operations, const std::vector<device::Row>& all, double* result) {
            operations.mean(all, result);
        },
        mean_here);
    return there ? *there : Array(mean_here(rows));
}

namespace {

void unite(Store& store, Operations& operations, const std::vector<std::uint64_t>& set,
           const std::vector<long long>& shifts, std::vector<std::uint64_t>& united) {
    const Memory from = copied(store, set);
    const Memory by = copied(store, shifts);
    const Memory to(store, std::max<std::size_t>(set.size(), 1) * sizeof(std::uint64_t));
    operations.unite_shifted(from.as<std::uint64_t>(), set.size(), by.as<long long>(), shifts.size(),
                             to.as<std::uint64_t>());
    store.copy_out(united.data(), to.pointer(), united.size() * sizeof(std::uint64_t));
}

}  // namespace

std::vector<std::uint64_t> united_shifts(const std::vector<std::uint64_t>& set, const std::vector<long long>& shifts) {
    std::vector<std::uint64_t> united(set.size());
    Device* const device = OnDevice::current();
    const bool is_done = device != nullptr && device->operate(set.size() * shifts.size(), [&](Workplace& place) {
        unite(place.store(), place.operations(), set, shifts, united);
    });
    if (is_done) return united;
    HostStore store;
    unite(store, *host_operations(store, nullptr), set, shifts, united);
    return united;
}

}  // namespace farfield::evaluate
