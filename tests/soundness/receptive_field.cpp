// Receptive fields by their definition: every query of every layer is asked for every key.
#include <algorithm>
#include <vector>

#include "soundness/scheme_oracle.hpp"
#include "soundness/weights.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// A number of which only bounds are known where a mask is not.
struct Between {
    long least = 0;
    long most = 0;
};

class Layers {
public:
    explicit Layers(const Question& question)
        : question_(question), length_(question.numbers.at("length")), layers_(question.numbers.at("layers")) {
        for (long layer = 1; layer <= layers_; ++layer) seen_.push_back(seen_in(layer));
    }

    /// |S_0|, of the masks where they hold for certain, and of those that may hold.
    Between exact() const { return {count(false), count(true)}; }

    /// The sum over layers of the largest distance that is seen, plus 1.
    Between bound() const {
        Between sum;
        for (const auto& seen : seen_) {
            sum.least += span(seen, false);
            sum.most += span(seen, true);
        }
        return sum;
    }

    /// The logits of the last query by distance; nothing where its mask is not known.
    std::vector<Number> logits(long layer) {
        SchemeOracle scheme(question_, length_);
        scheme.set("layer", layer);
        std::vector<Number> row;
        for (long n = 0; n < length_; ++n) {
            const long key = length_ - 1 - n;
            const Truth is_seen = at(seen_[static_cast<std::size_t>(layer - 1)], length_ - 1, key);
            if (is_seen == Truth::no)
                row.push_back(Number::infinity(-1));
            else
                row.push_back(is_seen == Truth::maybe
                                  ? Number::unknown()
                                  : scheme.bias(Number(Rational(length_ - 1)), Number(Rational(key))));
        }
        return row;
    }

private:
    using Matrix = std::vector<Truth>;

    Truth at(const Matrix& seen, long query, long key) const {
        return seen[static_cast<std::size_t>(query * length_ + key)];
    }

    Matrix seen_in(long layer) {
        Question question = question_;
        if (!question.masks.empty())
            question.pieces["mask"] =
                question.masks[question.masks.size() == 1 ? 0 : static_cast<std::size_t>(layer - 1)];
        SchemeOracle scheme(question, length_);
        scheme.set("layer", layer);
        Matrix seen;
        for (long query = 0; query < length_; ++query)
            for (long key = 0; key < length_; ++key) seen.push_back(scheme.sees(query, key));
        return seen;
    }

    long count(bool counts_possible) const {
        std::vector<bool> reached(static_cast<std::size_t>(length_));
        reached.back() = true;
        for (auto seen = seen_.rbegin(); seen != seen_.rend(); ++seen) {
            std::vector<bool> next = reached;
            for (long query = 0; query < length_; ++query)
                for (long key = 0; key < length_ && reached[static_cast<std::size_t>(query)]; ++key) {
                    const Truth truth = at(*seen, query, key);
                    if (truth == Truth::yes || (counts_possible && truth == Truth::maybe))
                        next[static_cast<std::size_t>(key)] = true;
                }
            reached = next;
        }
        return std::count(reached.begin(), reached.end(), true);
    }

    long span(const Matrix& seen, bool counts_possible) const {
        long largest = 0;
        for (long query = 0; query < length_; ++query)
            for (long key = 0; key <= query; ++key) {
                const Truth truth = at(seen, query, key);
                if (truth == Truth::yes || (counts_possible && truth == Truth::maybe))
                    largest = std::max(largest, query - key);
            }
        return largest + 1;
    }

    const Question& question_;
    long length_;
    long layers_;
    std::vector<Matrix> seen_;
};

std::optional<Outcome> disproved(const core::Result& result, const char* name, const Between& between) {
    const core::Cell* const cell = result.find(name);
    if (!is_certified(cell)) return std::nullopt;
    if (!is_above(Number(Rational(between.least)), *cell) && !is_below(Number(Rational(between.most)), *cell))
        return std::nullopt;
    return wrong(
        std::string(name) + " is from " + std::to_string(between.least) + " to " + std::to_string(between.most),
        within(name, *cell));
}

}  // namespace

Outcome judge_receptive_field(const Question& question, const core::Result& result) {
    Layers layers(question);
    const Between exact = layers.exact();
    for (const char* name : {"exact", "closed_form"})
        if (const auto found = disproved(result, name, exact)) return *found;
    if (const auto found = disproved(result, "bound", layers.bound())) return *found;
    const core::Cell* const predicted = result.find("predicted");
    if (!is_certified(predicted)) return {true, std::nullopt};
    Weights row = {Number(Rational(1))};
    for (long layer = 1; layer <= question.numbers.at("layers"); ++layer)
        row = convolved(row, with_residual(softmax(layers.logits(layer)), value_of(question, "residual", "0")),
                        static_cast<std::size_t>(question.numbers.at("length")));
    const Outcome found = judge_width("predicted", *predicted, row, value_of(question, "mass", "0.99"));
    return found.wrong ? found : Outcome{true, std::nullopt};
}

}  // namespace farfield::soundness
