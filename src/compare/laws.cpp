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
        double other = 0;
    };
    std::array<Failure, law_names.size()> first;
    bool has_order = false;  ///< some row is not constant

    void note(Which law, std::size_t at, double found, double other) {
        if (at < first[law].at) first[law] = {at, found, other};
    }
    void merge(const Failures& more) {
        for (std::size_t law = 0; law < first.size(); ++law)
            if (more.first[law].at < first[law].at) first[law] = more.first[law];
        has_order = has_order || more.has_order;
    }
};

/// Rows of a tensor [..., queries, keys]. A masked key is -inf here, however it is masked.
class Rows {
public:
    Rows(const tensor::Tensor& tensor, double tolerance)
        : tensor_(tensor),
          keys_(tensor.description().shape.back()),
          queries_(tensor.description().shape[tensor.description().shape.size() - 2]),
          format_(numerics::find_format(tensor::format_of(tensor.description().type))),
          is_mask_(tensor.description().type == tensor::ElementType::boolean),
          tolerance_(tolerance) {}

    std::size_t count() const { return tensor_.description().count() / keys_; }

    void look(std::size_t begin, std::size_t end, Failures& failures) const {
        std::vector<double> before(keys_);
        std::vector<double> row(keys_);
        if (begin % queries_ != 0) read(begin - 1, before);
        for (std::size_t at = begin; at < end; ++at) {
            read(at, row);
            look_alone(at, row, failures);
            if (at % queries_ != 0) look_shifted(at, before, row, failures);
            std::swap(before, row);
        }
    }

private:
    void read(std::size_t row, std::vector<double>& numbers) const {
        tensor_.read(row * keys_, numbers);
        for (double& number : numbers) {
            if (is_mask_) number = number != 0 ? 0 : -infinity;
            if (number <= hidden_below) number = -infinity;
        }
    }

    bool alike(double a, double b) const {
        if (a == b) return true;
        return std::abs(a - b) <= tolerance_ * spacing(format_, std::max(std::abs(a), std::abs(b)));
    }

    void look_alone(std::size_t row, const std::vector<double>& numbers, Failures& failures) const {
        const std::size_t query = keys_ - queries_ + row % queries_;
        for (std::size_t key = 0; key < keys_; ++key) {
            const double number = numbers[key];
            if (std::isnan(number) || number == infinity) failures.note(finite, row * keys_ + key, number, 0);
            if (key > query && number != -infinity) failures.note(causal, row * keys_ + key, number, -infinity);
            if (key <= query) failures.has_order = failures.has_order || !alike(number, numbers[0]);
        }
    }

    /// Compares the row with the one before, shifted by one key.
    void look_shifted(std::size_t row, const std::vector<double>& before, const std::vector<double>& numbers,
                      Failures& failures) const {
        double constant = std::numeric_limits<double>::quiet_NaN();
        double magnitude = 0;
        for (std::size_t key = 1; key < keys_; ++key) {
            const double a = numbers[key];
            const double b = before[key - 1];
            if (!alike(a, b)) failures.note(relative, row * keys_ + key, a, b);
            if (a == -infinity && b == -infinity) continue;
            const double difference = a - b;
            if (std::isnan(constant)) constant = difference;
            magnitude = std::max({magnitude, std::abs(a), std::abs(b)});
            const double bound = 2 * tolerance_ * spacing(format_, magnitude);
            if (!(std::abs(difference - constant) <= bound)) failures.note(translation, row * keys_ + key, a, b);
        }
    }

    const tensor::Tensor& tensor_;
    std::size_t keys_;
    std::size_t queries_;
    const numerics::Format* format_;
    bool is_mask_;
    double tolerance_;
};

std::string text_of(Which law, const Failures& failures, const std::vector<std::size_t>& shape) {
    if (law == order) return failures.has_order ? "" : "every row is one number up to the query's own key";
    const Failures::Failure& failure = failures.first[law];
    if (failure.at == none) return "";
    Layout layout;
    layout.shape = shape;
    const std::vector<std::size_t> index = layout.index_of(failure.at);
    const std::string at = tensor::shape_text(index);
    if (law == finite || law == causal) return fmt::format("{} at {}", failure.found, at);
    std::vector<std::size_t> earlier = index;
    --earlier[earlier.size() - 2];
    --earlier.back();
    return fmt::format("{} at {}, {} at {}", failure.found, at, failure.other, tensor::shape_text(earlier));
}

}  // namespace

std::vector<Law> laws(const tensor::Tensor& tensor, const std::string& name, double tolerance) {
    const std::vector<std::size_t>& shape = tensor.description().shape;
    if (shape.size() < 2 || tensor.description().is_complex)
        refuse(name, "a tensor of shape " + tensor::shape_text(shape), "a bias or mask [..., queries, keys]");
    if (tensor.description().count() == 0)
        refuse(name, "the tensor is empty: its shape is " + tensor::shape_text(shape), "numbers");
    if (shape[shape.size() - 2] > shape.back())
        refuse(name, fmt::format("{} queries and {} keys", shape[shape.size() - 2], shape.back()),
               "as many keys as queries, or more");
    const Rows rows(tensor, tolerance);
    Failures all;
    std::mutex mutex;
    numerics::in_parallel(rows.count(), 1, [&](std::size_t begin, std::size_t end) {
        Failures own;
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
