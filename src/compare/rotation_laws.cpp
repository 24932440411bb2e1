#include <farfield/compare/laws.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "compare/refuse.hpp"
#include "compare/units.hpp"

namespace farfield::compare {

namespace {

/// A table of positions by columns; cosine and sine of a complex number are two columns.
class Table {
public:
    Table(const tensor::Tensor& tensor, const std::string& file, double tolerance)
        : tensor_(tensor), is_complex_(tensor.description().is_complex) {
        const std::vector<std::size_t>& shape = tensor.description().shape;
        const std::size_t axes = is_complex_ ? 3 : 2;
        const std::size_t leading = shape.size() > axes ? shape.size() - axes : 0;
        const bool is_one = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(leading),
                                        [](std::size_t extent) { return extent == 1; });
        if (shape.size() < axes || !is_one || tensor.description().count() == 0)
            refuse(file, "a tensor of shape " + tensor::shape_text(shape), "one table [positions, dimensions]");
        positions_ = shape[leading];
        columns_ = tensor.description().count() / positions_;
        if (positions_ < 3) refuse(file, fmt::format("a table of {} positions", positions_), "three at least");
        const numerics::Format* format = numerics::find_format(tensor::format_of(tensor.description().type));
        unit_ = tolerance * spacing(format, 1);
        slack_ = 8 * std::ldexp(0.5, format ? -23 : -52);
    }

    std::size_t positions() const { return positions_; }
    std::size_t columns() const { return columns_; }
    bool is_complex() const { return is_complex_; }
    double unit() const { return unit_; }
    /// The allowed error of f(p - 1) + f(p + 1) - c f(p), where c is found from three such numbers: roundings of the
    /// numbers, and eight roundings of angles of at most one radian per position.
    double allowed(std::size_t position) const { return 8 * (unit_ + slack_ * static_cast<double>(position + 1)); }

    std::vector<double> row(std::size_t position) const {
        std::vector<double> numbers(columns_);
        tensor_.read(position * columns_, numbers);
        return numbers;
    }
    std::string at(std::size_t position, std::size_t column) const {
        if (!is_complex_) return fmt::format("[{}, {}]", position, column);
        return fmt::format("[{}, {}, {}]", position, column / 2, column % 2);
    }

private:
    const tensor::Tensor& tensor_;
    bool is_complex_;
    std::size_t positions_ = 0;
    std::size_t columns_ = 0;
    double unit_ = 0;
    double slack_ = 0;
};

/// Calls visit(p, row p - stride, row p, row p + stride) for the multiples p of the stride that have both.
template <class Visit>
void each_neighbours(const Table& table, std::size_t stride, const Visit& visit) {
    if (2 * stride >= table.positions()) return;
    std::vector<double> before = table.row(0);
    std::vector<double> row = table.row(stride);
    for (std::size_t p = stride; p + stride < table.positions(); p += stride) {
        std::vector<double> after = table.row(p + stride);
        visit(p, before, row, after);
        before = std::exchange(row, std::move(after));
    }
}

/// c of f(p - s) + f(p + s) = c f(p), twice the cosine of the step over a stride s, from the first position where f is
/// large, or else from the one where it is largest.
std::vector<double> steps(const Table& table, std::size_t stride) {
    constexpr double large = 0.5;
    std::vector<double> found(table.columns(), 0.0);
    std::vector<double> largest(table.columns(), 0.0);
    each_neighbours(table, stride, [&](std::size_t, const auto& before, const auto& row, const auto& after) {
        for (std::size_t column = 0; column < table.columns(); ++column) {
            if (largest[column] >= large || !(std::abs(row[column]) > largest[column])) continue;
            largest[column] = std::abs(row[column]);
            found[column] = (before[column] + after[column]) / row[column];
        }
    });
    return found;
}

std::string unsteady(const Table& table, std::size_t stride) {
    const std::vector<double> step = steps(table, stride);
    std::string text;
    each_neighbours(table, stride, [&](std::size_t p, const auto& before, const auto& row, const auto& after) {
        for (std::size_t column = 0; column < table.columns() && text.empty(); ++column) {
            const double wanted = step[column] * row[column] - before[column];
            if (!(std::abs(after[column] - wanted) <= table.allowed(p + stride - 1)))
                text = fmt::format("{} at {}, {} by the step of the column", after[column],
                                   table.at(p + stride, column), wanted);
        }
    });
    return text;
}

/// A step that changes slowly is seen over long strides.
std::string unsteady(const Table& table) {
    std::string text;
    for (std::size_t stride = 1; stride < table.positions() && text.empty(); stride *= 8)
        text = unsteady(table, stride);
    return text;
}

/// The first number for which `holds` is false.
template <class Holds>
std::string first_that_fails(const Table& table, std::size_t positions, const Holds& holds) {
    for (std::size_t p = 0; p < positions; ++p) {
        const std::vector<double> row = table.row(p);
        for (std::size_t column = 0; column < row.size(); ++column)
            if (!holds(row, column)) return fmt::format("{} at {}", row[column], table.at(p, column));
    }
    return "";
}

}  // namespace

std::vector<Law> rotation_laws(const tensor::Tensor& tensor, const std::string& name, Part part, double tolerance) {
    const bool is_wave = part == Part::cosine || part == Part::sine || part == Part::turn;
    const Table table(tensor, name, tolerance);
    if (!is_wave || table.is_complex() != (part == Part::turn))
        refuse(name, fmt::format("no laws of '{}' for this tensor", part_name(part)),
               "cos or sin of real numbers, turn of complex ones");
    const double unit = table.unit();
    const auto size = [&](const std::vector<double>& row, std::size_t column) {
        return table.is_complex() ? std::hypot(row[column & ~std::size_t{1}], row[column | 1]) : std::abs(row[column]);
    };
    const auto start = [&](std::size_t column) {
        return part == Part::cosine || (part == Part::turn && column % 2 == 0) ? 1.0 : 0.0;
    };
    std::vector<Law> list = {
        {"finite", "every number is finite", false,
         first_that_fails(table, table.positions(),
                          [](const auto& row, std::size_t column) { return std::isfinite(row[column]); })},
        {"bounded", "no number exceeds 1 in absolute value", false,
         first_that_fails(table, table.positions(),
                          [&](const auto& row, std::size_t column) { return size(row, column) <= 1 + unit; })},
        {"start", "the first position is not rotated", false,
         first_that_fails(
             table, 1,
             [&](const auto& row, std::size_t column) { return std::abs(row[column] - start(column)) <= unit; })},
        {"steady", "each pair rotates by a constant angle per position, so that logits depend on the distance alone",
         false, unsteady(table)},
    };
    for (Law& law : list) law.holds = law.counterexample.empty();
    return list;
}

std::vector<Law> laws_of(const tensor::Tensor& tensor, const std::string& name, std::optional<Part> part,
                         double tolerance) {
    check_tolerance(name, tolerance);
    if (!part) part = find_part(tensor.description().name);
    if (!part && tensor.description().is_complex) part = Part::turn;
    const bool is_table = part && part != Part::bias && part != Part::mask;
    return is_table ? rotation_laws(tensor, name, *part, tolerance) : laws(tensor, name, part, tolerance);
}

}  // namespace farfield::compare
