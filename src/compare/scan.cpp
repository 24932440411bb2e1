#include "compare/scan.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <farfield/scheme/context.hpp>

#include "compare/expected.hpp"
#include "evaluate/parallel.hpp"

namespace farfield::compare {

namespace {

constexpr std::size_t piece = 32768;
constexpr std::size_t most_in_tables = std::size_t{1} << 26;
constexpr std::size_t fewest_queries = 8;  // below, a table by distance would be as large as the tensor

/// Whether rows of keys are stretches of one table by distance for each head.
bool by_distance(const Layout& layout, const Model& model) {
    const std::size_t rank = layout.axes.size();
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

/// Row by row: the expected row is a stretch of its head's table, which stands from the farthest key before to the
/// farthest after.
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
    }

    Tally run() const {
        Tally total{all_.tolerance, all_.format};
        std::mutex mutex;
        const std::size_t rows = tensor_.description().count() / keys_;
        evaluate::in_parallel(rows, 1, [&](std::size_t begin, std::size_t end) {
            Tally own{all_.tolerance, all_.format};
            std::vector<double> found(keys_);
            for (std::size_t row = begin; row < end; ++row) add(row, found, own);
            const std::lock_guard lock(mutex);
            total.merge(own);
        });
        return total;
    }

private:
    void add(std::size_t row, std::vector<double>& found, Tally& tally) const {
        read_numbers(all_.layout, tensor_, row * keys_, found);
        const auto head = static_cast<std::size_t>(where(all_.layout, row * keys_).head) - all_.layout.first_head;
        const Expected& table = tables_[head];
        const std::size_t begin = queries_ - 1 - row % queries_;
        const auto stretch = [&](const auto& whole) { return std::span(whole).subspan(begin, keys_); };
        tally.add({found, stretch(table.value), stretch(table.per_unit), stretch(table.seen), row * keys_},
                  model_.has_row_constant);
    }

    const Case& all_;
    const Model& model_;
    const tensor::Tensor& tensor_;
    std::size_t queries_;
    std::size_t keys_;
    std::vector<Expected> tables_;
};

/// Piece by piece, each number computed for itself. A piece is so many whole rows where the model asks for rows.
Tally scan_pieces(const Case& all, const Model& model, const tensor::Tensor& tensor) {
    const std::size_t count = tensor.description().count();
    const std::size_t row = all.layout.shape.back();
    const std::size_t rows = std::max<std::size_t>(1, piece / row);
    const std::size_t length = model.has_row_constant ? rows * row : piece;
    Tally tally{all.tolerance, all.format};
    std::vector<double> found;
    std::vector<std::size_t> numbers;
    for (std::size_t begin = 0; begin < count; begin += length) {
        found.resize(std::min(length, count - begin));
        numbers.resize(found.size());
        std::iota(numbers.begin(), numbers.end(), begin);
        read_numbers(all.layout, tensor, begin, found);
        const Expected expected = expect(all, model, Lanes(all, model, numbers));
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
    if (by_distance(all.layout, model)) return RowScan(all, model, tensor).run();
    return scan_pieces(all, model, tensor);
}

}  // namespace farfield::compare
