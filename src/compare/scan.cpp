#include "compare/scan.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <farfield/scheme/context.hpp>

#include "compare/expected.hpp"
#include "numerics/parallel.hpp"

namespace farfield::compare {

namespace {

constexpr std::size_t piece = 32768;
constexpr std::size_t most_in_tables = std::size_t{1} << 26;
constexpr double largest_reciprocal = 0x1p127;  // of a unit, as a float
constexpr std::size_t rows_at_once = 8;
constexpr std::size_t fewest_queries = 8;  // with fewer queries, a table by distance would be as large as the tensor

/// Whether rows of keys are parts of one table by distance for each head.
bool by_distance(const Layout& layout, const Model& model) {
    const std::size_t rank = layout.axes.size();
    if (!layout.stands(Axis::query).empty() || !layout.stands(Axis::key).empty()) return false;
    if (rank < 2 || layout.axes[rank - 1] != Axis::key || layout.axes[rank - 2] != Axis::query) return false;
    const std::size_t queries = layout.extent(Axis::query);
    const std::size_t distances = queries + layout.extent(Axis::key);
    if (queries < fewest_queries || layout.extent(Axis::head) > most_in_tables / distances) return false;
    const auto is_relative = [](const formula::Node& tree) { return !tree || scheme::depends_on_distance_only(tree); };
    return is_relative(model.value) && is_relative(model.visible);
}

/// The model with q = n and k = 0.
Model at_distance(Model model) {
    const std::vector<formula::Replacement> distance = {{"q", formula::make_name("n")},
                                                        {"k", formula::make_number("0")}};
    for (formula::Node* tree : {&model.value, &model.magnitude, &model.visible})
        if (*tree) *tree = formula::substitute(*tree, distance);
    return model;
}

/// A head's table as floats, for rows that can be compared as such.
struct FloatTable {
    std::vector<float> value;
    std::vector<float> per_unit;
    std::vector<std::size_t> tiny;  ///< where a unit's reciprocal is not a float (at an expected 0): checked one by one

    explicit FloatTable(const Expected& table) : value(table.value.begin(), table.value.end()) {
        for (std::size_t at = 0; at < value.size(); ++at) {
            if (table.per_unit[at] > largest_reciprocal) tiny.push_back(at);
            per_unit.push_back(static_cast<float>(std::min(table.per_unit[at], largest_reciprocal)));
        }
    }

    bool is_usable() const { return tiny.size() <= most_tiny; }
    bool agrees_where_tiny(std::span<const float> found, std::size_t begin) const {
        return std::all_of(tiny.begin(), tiny.end(), [&](std::size_t at) {
            return at < begin || at >= begin + found.size() || found[at - begin] == value[at];
        });
    }

    static constexpr std::size_t most_tiny = 8;
};

/// Compares row by row. The expected row is a part of its head's table, which goes from the farthest earlier key to the
/// farthest later key.
class RowScan {
public:
    RowScan(const Case& all, const Model& model, const tensor::Tensor& tensor)
        : all_(all),
          model_(model),
          tensor_(tensor),
          queries_(all.layout.extent(Axis::query)),
          keys_(all.layout.extent(Axis::key)) {
        const Model along = at_distance(model);
        const auto farthest = static_cast<double>(all.layout.first_query + queries_ - 1);
        for (std::size_t head = 0; head < all.layout.extent(Axis::head); ++head) {
            const Lanes lanes(static_cast<double>(all.layout.first_head + head), farthest, queries_ + keys_ - 1);
            tables_.push_back(expect(all, along, lanes));
        }
        if (!tensor.holds_floats() || model.has_row_constant || all.layout.is_added) return;
        for (const Expected& table : tables_) floats_.emplace_back(table);
        const bool usable =
            std::all_of(floats_.begin(), floats_.end(), [](const auto& each) { return each.is_usable(); });
        if (!usable) floats_.clear();
    }

    Tally run() const {
        Tally total{all_.tolerance, all_.format, model_.moves_hidden};
        std::mutex mutex;
        const std::size_t rows = tensor_.description().count() / keys_;
        numerics::in_parallel(rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
            Tally own{all_.tolerance, all_.format, model_.moves_hidden};
            if (floats_.empty())
                add_doubles(begin, end, own);
            else
                add_floats(begin, end, own);
            const std::lock_guard lock(mutex);
            total.merge(own);
        });
        return total;
    }

private:
    /// The start of a row's part in the table of its head, and the head.
    struct Stretch {
        std::size_t head;
        std::size_t begin;
    };

    Stretch stretch_of(std::size_t row) const {
        const auto head = static_cast<std::size_t>(where(all_.layout, row * keys_).head) - all_.layout.first_head;
        return {head, queries_ - 1 - row % queries_};
    }

    void add(std::size_t row, std::span<const double> found, Tally& tally) const {
        const Stretch at = stretch_of(row);
        const Expected& table = tables_[at.head];
        const auto cut = [&](const auto& whole) { return std::span(whole).subspan(at.begin, keys_); };
        tally.add({found, cut(table.value), cut(table.per_unit), cut(table.seen), row * keys_},
                  model_.has_row_constant);
    }

    void add_doubles(std::size_t begin, std::size_t end, Tally& tally) const {
        std::vector<double> found(keys_);
        for (std::size_t row = begin; row < end; ++row) {
            read_numbers(all_.layout, tensor_, row * keys_, found);
            add(row, found, tally);
        }
    }

    void add_floats(std::size_t begin, std::size_t end, Tally& tally) const {
        std::vector<float> found(rows_at_once * keys_);
        for (std::size_t row = begin; row < end; row += rows_at_once) {
            const std::size_t rows = std::min(rows_at_once, end - row);
            tensor_.read(row * keys_, std::span(found).first(rows * keys_));
            for (std::size_t each = 0; each < rows; ++each)
                add(row + each, std::span<const float>(found).subspan(each * keys_, keys_), tally);
        }
    }

    void add(std::size_t row, std::span<const float> found, Tally& tally) const {
        const Stretch at = stretch_of(row);
        const FloatTable& table = floats_[at.head];
        const auto cut = [&](const auto& whole) { return std::span(whole).subspan(at.begin, keys_); };
        const FloatStrip strip{found, cut(table.value), cut(table.per_unit), cut(tables_[at.head].seen), row * keys_};
        if (table.agrees_where_tiny(found, at.begin) && tally.add_quickly(strip)) return;
        add(row, std::vector<double>(found.begin(), found.end()), tally);
    }

    const Case& all_;
    const Model& model_;
    const tensor::Tensor& tensor_;
    std::size_t queries_;
    std::size_t keys_;
    std::vector<Expected> tables_;
    std::vector<FloatTable> floats_;  ///< empty if rows are compared as doubles
};

/// Compares piece by piece, and computes each number separately. A piece consists of whole rows if the model needs
/// rows.
Tally scan_pieces(const Case& all, const Model& model, const tensor::Tensor& tensor) {
    const std::size_t count = tensor.description().count();
    const std::size_t row = all.layout.shape.back();
    const std::size_t rows = std::max<std::size_t>(1, piece / row);
    const std::size_t length = model.has_row_constant ? rows * row : piece;
    Tally tally{all.tolerance, all.format, model.moves_hidden};
    std::vector<double> found;
    std::vector<std::size_t> numbers;
    for (std::size_t begin = 0; begin < count; begin += length) {
        found.resize(std::min(length, count - begin));
        numbers.resize(found.size());
        std::iota(numbers.begin(), numbers.end(), begin);
        read_numbers(all.layout, tensor, begin, found);
        const Expected expected = expect(all, model, Lanes(all, model.pairing, numbers));
        const std::size_t step = model.has_row_constant ? row : found.size();
        for (std::size_t from = 0; from < found.size(); from += step) {
            const auto cut = [&](const auto& whole) { return std::span(whole).subspan(from, step); };
            tally.add({cut(found), cut(expected.value), cut(expected.per_unit), cut(expected.seen), begin + from},
                      model.has_row_constant);
        }
    }
    return tally;
}

}  // namespace

Tally scan(const Case& all, const Model& model, const tensor::Tensor& tensor) {
    Tally tally = by_distance(all.layout, model) ? RowScan(all, model, tensor).run() : scan_pieces(all, model, tensor);
    tally.close();
    return tally;
}

}  // namespace farfield::compare
