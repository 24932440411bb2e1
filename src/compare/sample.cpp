#include "compare/sample.hpp"

#include <algorithm>
#include <span>

#include "compare/expected.hpp"

namespace farfield::compare {

namespace {

constexpr std::size_t most_sampled_columns = 48;
constexpr std::size_t most_rows = 160;
constexpr std::size_t first_rows = 16;  ///< every `first_rows`-th row is checked first

std::size_t most_along(Axis axis) {
    if (axis == Axis::batch) return 4;
    return axis == Axis::head ? 8 : 24;
}

}  // namespace

Sample::Sample(const Case& all, const tensor::Tensor& tensor) : all_(all), tensor_(tensor) {
    const Layout& layout = all.layout;
    std::vector<std::size_t> begins = {0};
    for (std::size_t axis = 0; axis + 1 < layout.shape.size(); ++axis) {
        std::vector<std::size_t> next;
        for (const std::size_t begin : begins)
            for (const std::size_t at : spread(layout.shape[axis], most_along(layout.axes[axis])))
                next.push_back(begin * layout.shape[axis] + at);
        begins = std::move(next);
    }
    const std::size_t width = layout.shape.back();
    const std::vector<std::size_t> columns = spread(width, most_sampled_columns);
    for (const std::size_t row : spread(begins.size(), most_rows)) rows_.push_back(read(begins[row] * width, columns));
}

Sample::Row Sample::read(std::size_t begin, std::vector<std::size_t> columns) const {
    Row row{std::move(columns), {}};
    row.found.resize(row.numbers.size());
    for (std::size_t at = 0; at < row.numbers.size(); ++at) {
        row.numbers[at] += begin;
        read_numbers(all_.layout, tensor_, row.numbers[at], std::span(row.found).subspan(at, 1));
    }
    return row;
}

void Sample::add(std::size_t number) {
    const std::size_t width = all_.layout.shape.back();
    std::vector<std::size_t> columns = spread(width, most_sampled_columns);
    columns.insert(std::lower_bound(columns.begin(), columns.end(), number % width), number % width);
    lanes_.clear();
    rows_.insert(rows_.begin(), read(number - number % width, columns));
}

double Sample::first_look(const Model& model) {
    return tally_of(model, first_rows).worst;
}

bool Sample::explained_by(const Model& model) {
    return tally_of(model, 1).beyond == 0;
}

double Sample::misfit(const Model& model, double reach) {
    const Lanes& lanes = lanes_of(model.pairing, 1);
    const std::vector<double> value = lanes.evaluate(model.value, model.system);
    const std::vector<double> visible = model.visible ? lanes.evaluate(model.visible, {}) : std::vector<double>();
    double sum = 0;
    std::size_t begin = 0;
    for (const Row& row : rows_) {
        const bool is_near =
            !all_.layout.has(Axis::position) || where(all_.layout, row.numbers.front()).position <= reach;
        for (std::size_t at = 0; is_near && at < row.found.size(); ++at) {
            const double difference = row.found[at] - value[begin + at];
            if (visible.empty() || visible[begin + at] == 1) sum += difference * difference;
        }
        begin += row.numbers.size();
    }
    return sum;
}

const Lanes& Sample::lanes_of(const Pairing& pairing, std::size_t step) {
    const auto known = lanes_.find({pairing, step});
    if (known != lanes_.end()) return known->second;
    std::vector<std::size_t> numbers;
    for (std::size_t row = 0; row < rows_.size(); row += step)
        numbers.insert(numbers.end(), rows_[row].numbers.begin(), rows_[row].numbers.end());
    return lanes_.emplace(std::pair(pairing, step), Lanes(all_, pairing, numbers)).first->second;
}

Tally Sample::tally_of(const Model& model, std::size_t step) {
    const Expected expected = expect(all_, model, lanes_of(model.pairing, step));
    Tally tally{all_.tolerance, all_.format, model.moves_hidden};
    std::size_t begin = 0;
    for (std::size_t row = 0; row < rows_.size(); row += step) {
        const std::size_t count = rows_[row].numbers.size();
        const auto cut = [&](const auto& whole) { return std::span(whole).subspan(begin, count); };
        tally.add({rows_[row].found, cut(expected.value), cut(expected.per_unit), cut(expected.seen),
                   rows_[row].numbers.front()},
                  model.has_row_constant);
        begin += count;
    }
    tally.close();
    return tally;
}

}  // namespace farfield::compare
