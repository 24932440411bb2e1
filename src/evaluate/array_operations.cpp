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

/// A row that an operation makes of rows, fill(operations, rows, result); `again` makes it on the processor.
template <class Fill>
std::optional<Array> made_there(const std::vector<Array>& arrays, const Fill& fill,
                                std::function<std::vector<double>()> again) {
    std::shared_ptr<const Resident> made;
    const bool is_done = work_there(arrays, [&](Workplace& place, const std::vector<device::Row>& rows) {
        made = place.row(arrays.front().size());
        fill(place.operations(), rows, const_cast<double*>(made->data()));
    });
    if (!is_done) return std::nullopt;
    return Array(std::move(made), std::move(again));
}

device::LinearModel model_of(const std::vector<device::Row>& rows, std::size_t columns) {
    device::LinearModel model;
    model.count = static_cast<unsigned>(columns);
    std::copy_n(rows.begin(), columns, model.columns);
    model.data = rows[columns];
    model.offset = rows[columns + 1];
    model.weights = rows[columns + 2];
    return model;
}

/// The weighted mean of a model's data, their offset included.
double mean_of(Operations& operations, const device::LinearModel& model, const device::Products& products) {
    const std::size_t factors = model.count + 2;
    const double weights = products.sums[pair_index(model.count, model.count, factors)].total();
    if (model.offset.count == 0)
        return products.sums[pair_index(model.count, model.count + 1, factors)].total() / weights;
    const bool is_plain = model.weights.count == 0;
    return (is_plain ? operations.sum(model.data) : operations.dot(model.weights, model.data)) / weights;
}

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
        [x] {
            std::vector<double> shares(x.size());
            softmax_row(x.here(), shares, {});
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
        [x] {
            std::vector<double> sums(x.size());
            running_sums(x.here(), sums);
            return sums;
        });
}

std::optional<Array> mix_there(const Array& x, double factor, double first) {
    return made_there(
        {x},
        [&](Operations& operations, const std::vector<device::Row>& rows, double* result) {
            operations.mix(rows[0], factor, first, result);
        },
        [=] {
            std::vector<double> mixed(x.here().begin(), x.here().end());
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
        [a, b] {
            std::vector<double> differences(a.here().begin(), a.here().end());
            const std::span<const double> others = b.here();
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
        [a, b] { return numerics::convolve(a.here(), b.here()); });
}

std::optional<numerics::Fit> fit_linear_there(const LinearFitRows& given) {
    const std::size_t columns = given.columns.size();
    if (columns + 2 > device::most_factors) return std::nullopt;
    std::vector<Array> arrays = given.columns;
    arrays.insert(arrays.end(), {given.data, given.offset, given.weights});
    std::optional<numerics::Fit> fit;
    const bool is_done = work_there(arrays, [&](Workplace& place, const std::vector<device::Row>& rows) {
        Operations& operations = place.operations();
        device::LinearModel model = model_of(rows, columns);
        const device::Products products = operations.products(model);
        numerics::FitProducts sums{columns, {}};
        for (std::size_t i = 0; i < (columns + 2) * (columns + 3) / 2; ++i)
            sums.entries.push_back({products.sums[i].sum, products.sums[i].error});
        const double mean = mean_of(operations, model, products);
        fit = numerics::fit_linear(sums, [&](std::span<const double> parameters) {
            std::copy(parameters.begin(), parameters.end(), model.parameters);
            const device::Residuals found = operations.residuals(model, mean);
            return numerics::FitResiduals{found.squares.total(), found.spread.total(), found.largest, found.points};
        });
    });
    return is_done ? fit : std::nullopt;
}

namespace {

template <class Number>
Memory copied(Store& store, const std::vector<Number>& values) {
    Memory memory(store, std::max<std::size_t>(values.size(), 1) * sizeof(Number));
    store.copy_in(memory.pointer(), values.data(), values.size() * sizeof(Number));
    return memory;
}

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
