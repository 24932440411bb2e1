// Arrays over the cells of matrices of positions.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/array_work.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

Array computed(const char* formula, const formula::Signature& signature, const std::vector<double>& uniform,
               const std::vector<Array>& varying) {
    const formula::Program program = formula::compile(formula::parse(std::string(formula)), signature);
    return evaluate_array(program, uniform, varying, varying.front().size());
}

VisibleCells visible_on_host(std::span<const double> cells) {
    VisibleCells visible;
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
        const double value = cells[cell];
        if (value == hidden) continue;
        if (visible.count == 0) visible = {value, value, cell, cell, value, value, 0};
        if (value < visible.least) {
            visible.least = value;
            visible.at_least = cell;
        }
        if (value > visible.greatest) {
            visible.greatest = value;
            visible.at_greatest = cell;
        }
        visible.last = value;
        ++visible.count;
    }
    return visible;
}

}  // namespace

Cells cells(std::size_t length) {
    if (device_for(length * length) != nullptr) {
        const Array i(Range{0, 1, length * length});
        const std::vector<double> row = {static_cast<double>(length)};
        // The quotient of such integers is never rounded up to the next integer.
        const Array q = computed("floor(i/row)", {{"row"}, {"i"}, {}}, row, {i});
        return {q, computed("i - q*row", {{"row"}, {"i", "q"}, {}}, row, {i, q})};
    }
    std::vector<double> queries;
    std::vector<double> keys;
    queries.reserve(length * length);
    keys.reserve(length * length);
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t k = 0; k < length; ++k) {
            queries.push_back(static_cast<double>(q));
            keys.push_back(static_cast<double>(k));
        }
    return {Array(std::move(queries)), Array(std::move(keys))};
}

VisibleCells visible_cells(const Array& cells) {
    if (!cells.is_on_device()) return visible_on_host(cells.here());
    const Array i(Range{0, 1, cells.size()});
    const double count = sum(computed("v > -inf ? 1 : 0", {{}, {"v"}, {}}, {}, {cells}));
    if (count == 0) return {};
    const Extremes shown = extremes(computed("v > -inf ? v : 0/0", {{}, {"v"}, {}}, {}, {cells}));
    const Extremes places = extremes(computed("v > -inf ? i : -1", {{}, {"v", "i"}, {}}, {}, {cells, i}));
    return {shown.least,
            shown.greatest,
            shown.at_least,
            shown.at_greatest,
            cells[first_above(cells, hidden)],
            cells[places.at_greatest],
            count};
}

void spread_into(const std::vector<double>& by_distance, std::size_t length, std::span<double> result) {
    const std::size_t distances = 2 * length - 1;
    numerics::in_parallel(result.size() / length, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const std::size_t head = row / length;
            const std::size_t query = row % length;
            std::copy_n(by_distance.data() + head * distances + length - 1 - query, length,
                        result.data() + row * length);
        }
    });
}

Array spread(const std::vector<double>& by_distance, std::size_t heads, std::size_t length) {
    const auto on_host = [=] {
        std::vector<double> matrix(heads * length * length);
        spread_into(by_distance, length, matrix);
        return matrix;
    };
    Device* const device = OnDevice::current();
    std::shared_ptr<const Resident> made;
    const bool is_done = device != nullptr && device->operate(heads * length * length, [&](Workplace& place) {
        const Memory there = copied(place.store(), by_distance);
        made = place.row(heads * length * length);
        place.operations().spread_distances(there.as<const double>(), heads, length, const_cast<double*>(made->data()));
    });
    return is_done ? Array(std::move(made), on_host) : Array(on_host());
}

void evaluate_pairs_into(const formula::Node& formula, std::size_t length, std::span<double> result) {
    const formula::Program program = formula::compile(formula, {{"q"}, {"k"}, {}});
    for (std::size_t query = 0; query < length; ++query) {
        const Inputs inputs{{static_cast<double>(query)}, {Range{0, 1, length}}, {}, length};
        evaluate_into(program, inputs, {}, result.subspan(query * length, length));
    }
}

std::vector<Array> evaluate_pairs(const std::vector<formula::Node>& formulas, std::size_t length) {
    std::vector<Array> matrices;
    if (device_for(length * length) != nullptr) {
        const Cells at = cells(length);
        for (const formula::Node& formula : formulas) {
            const formula::Program program = formula::compile(formula, {{}, {"q", "k"}, {}});
            matrices.push_back(evaluate_array(program, {}, {at.q, at.k}, length * length));
        }
        return matrices;
    }
    for (const formula::Node& formula : formulas) {
        std::vector<double> matrix(length * length);
        evaluate_pairs_into(formula, length, matrix);
        matrices.emplace_back(std::move(matrix));
    }
    return matrices;
}

}  // namespace farfield::evaluate
