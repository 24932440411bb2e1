#include <farfield/compare/laws.hpp>
#include <farfield/numerics/interval.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "compare/layout.hpp"
#include "compare/refuse.hpp"
#include "compare/units.hpp"
#include "numerics/parallel.hpp"

namespace farfield::compare {

namespace {

using numerics::infinity;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

enum Which : std::size_t { finite, causal, relative, translation, order };

struct Name {
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array<Name, 5> law_names = {{
    {"finite", "every number is finite, or -inf"},
    {"causal", "every key after the query is masked"},
    {"relative", "depends on the distance from query to key alone"},
    {"translation", "tokens before a text change nothing within it after softmax"},
    {"order", "the order of the keys makes a difference"},
}};

/// The first number at which each law fails, and the number with which it is compared.
struct Failures {
    struct Failure {
        std::size_t at = none;
        double found = 0;
        std::size_t other_at = none;
        double other = 0;
    };
    std::array<Failure, law_names.size()> first;
    bool has_order = false;  ///< some row is not constant

    void note(Which law, Failure failure) {
        if (failure.at < first[law].at) first[law] = failure;
    }
    void merge(const Failures& more) {
        for (std::size_t law = 0; law < first.size(); ++law)
            if (more.first[law].at < first[law].at) first[law] = more.first[law];
        has_order = has_order || more.has_order;
    }
};

/// Failures of rows beside each other, and of rows that are far apart, where small differences have added up.
struct BothFailures {
    Failures near;
    Failures far;

    void merge(const BothFailures& more) {
        near.merge(more.near);
        far.merge(more.far);
    }
    const Failures::Failure& of(Which law) const {
        return near.first[law].at != none ? near.first[law] : far.first[law];
    }
};

/// Rows of a tensor [..., queries, keys]. A masked key is -inf here, however it is masked.
class Rows {
public:
    Rows(const tensor::Tensor& tensor, bool is_mask, double tolerance)
        : tensor_(tensor),
          keys_(tensor.description().shape.back()),
          queries_(tensor.description().shape[tensor.description().shape.size() - 2]),
          format_(numerics::find_format(tensor::format_of(tensor.description().type))),
          is_mask_(is_mask),
          tolerance_(tolerance) {}

    std::size_t count() const { return tensor_.description().count() / keys_; }

    void look(std::size_t begin, std::size_t end, BothFailures& failures) const {
        Line before(keys_), row(keys_), first(keys_), last(keys_);
        if (begin % queries_ != 0) {
            read(begin - 1, before);
            read_ends(begin, first, last);
        }
        for (std::size_t at = begin; at < end; ++at) {
            read(at, row);
            look_alone(row, failures.near);
            if (at % queries_ == 0) {
                read_ends(at, first, last);
            } else {
                look_shifted(before, row, failures.near);
                look_shifted(first, row, failures.far);
            }
            look_shifted(last, row, failures.far);
            std::swap(before, row);
        }
    }

private:
    struct Line {
        explicit Line(std::size_t keys) : numbers(keys) {}

        std::size_t row = 0;
        std::vector<double> numbers;
    };

    void read(std::size_t row, Line& line) const {
        line.row = row;
        tensor_.read(row * keys_, line.numbers);
        for (double& number : line.numbers) {
            if (is_mask_) number = number != 0 ? 0 : -infinity;
            if (number <= hidden_below) number = -infinity;
        }
    }

    /// The first and the last row of the matrix that contains the row.
    void read_ends(std::size_t row, Line& first, Line& last) const {
        read(row - row % queries_, first);
        read(first.row + queries_ - 1, last);
    }

    bool alike(double a, double b) const {
        if (a == b) return true;
        return std::abs(a - b) <= tolerance_ * spacing(format_, std::max(std::abs(a), std::abs(b)));
    }

    void look_alone(const Line& line, Failures& failures) const {
        const std::size_t query = keys_ - queries_ + line.row % queries_;
        for (std::size_t key = 0; key < keys_; ++key) {
            const double number = line.numbers[key];
            const Failures::Failure failure{line.row * keys_ + key, number, none, 0};
            if (std::isnan(number) || number == infinity) failures.note(finite, failure);
            if (key > query && number != -infinity) failures.note(causal, failure);
            if (key <= query) failures.has_order = failures.has_order || !alike(number, line.numbers[0]);
        }
    }

    /// Compares the keys of a row with those of another row of the matrix at the same distances.
    void look_shifted(const Line& other, const Line& line, Failures& failures) const {
        double constant = std::numeric_limits<double>::quiet_NaN();
        double magnitude = 0;
        const std::size_t up = other.row < line.row ? line.row - other.row : 0;
        const std::size_t down = other.row < line.row ? 0 : other.row - line.row;
        for (std::size_t key = up; key + down < keys_; ++key) {
            const std::size_t other_key = key + down - up;
            const double a = line.numbers[key];
            const double b = other.numbers[other_key];
            const Failures::Failure failure{line.row * keys_ + key, a, other.row * keys_ + other_key, b};
            if (!alike(a, b)) failures.note(relative, failure);
            if (a == -infinity && b == -infinity) continue;
            const double difference = a - b;
            if (std::isnan(constant)) constant = difference;
            magnitude = std::max({magnitude, std::abs(a), std::abs(b)});
            const double bound = 2 * tolerance_ * spacing(format_, magnitude);
            if (!(std::abs(difference - constant) <= bound)) failures.note(translation, failure);
        }
    }

    const tensor::Tensor& tensor_;
    std::size_t keys_;
    std::size_t queries_;
    const numerics::Format* format_;
    bool is_mask_;
    double tolerance_;
};

std::string text_of(Which law, const BothFailures& failures, const std::vector<std::size_t>& shape) {
    if (law == order) return failures.near.has_order ? "" : "every row is one number up to the query's own key";
    const Failures::Failure& failure = failures.of(law);
    if (failure.at == none) return "";
    Layout layout;
    layout.shape = shape;
    const auto at = [&](std::size_t index) { return tensor::shape_text(layout.index_of(index)); };
    const std::string found = fmt::format("{} at {}", failure.found, at(failure.at));
    return failure.other_at == none ? found : fmt::format("{}, {} at {}", found, failure.other, at(failure.other_at));
}

}  // namespace

std::vector<Law> laws(const tensor::Tensor& tensor, const std::string& name, std::optional<Part> part,
                      double tolerance) {
    const std::vector<std::size_t>& shape = tensor.description().shape;
    if (shape.size() < 2 || tensor.description().is_complex)
        refuse(name, "a tensor of shape " + tensor::shape_text(shape), "a bias or mask [..., queries, keys]");
    if (tensor.description().count() == 0)
        refuse(name, "the tensor is empty: its shape is " + tensor::shape_text(shape), "numbers");
    if (shape[shape.size() - 2] > shape.back())
        refuse(name, fmt::format("{} queries and {} keys", shape[shape.size() - 2], shape.back()),
               "as many keys as queries, or more");
    const bool is_mask =
        tensor.description().type == tensor::ElementType::boolean || (part == Part::mask && !is_added(tensor));
    const Rows rows(tensor, is_mask, tolerance);
    BothFailures all;
    std::mutex mutex;
    numerics::in_parallel(rows.count(), 1, [&](std::size_t begin, std::size_t end) {
        BothFailures own;
        rows.look(begin, end, own);
        const std::lock_guard lock(mutex);
        all.merge(own);
    });
    std::vector<Law> list;
    for (std::size_t law = 0; law < law_names.size(); ++law) {
        const std::string counterexample = text_of(static_cast<Which>(law), all, shape);
        list.push_back({std::string(law_names[law].name), std::string(law_names[law].meaning), counterexample.empty(),
                        counterexample});
    }
    return list;
}

}  // namespace farfield::compare
