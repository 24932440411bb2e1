// What a model is trained and measured on: rows of tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::train {

using Token = std::int32_t;  ///< 0..V-1

/// Tokens in order with the weights of their predictions. Token t + 1 is the target of token t.
struct Row {
    std::vector<Token> tokens;   ///< [L + 1]
    std::vector<float> weights;  ///< [L]: 1 where target t is scored, 0 where it is not
};

/// What a source keeps apart: rows to train on, and rows that no training sees.
enum class Part { training, held_out };

/// Where rows come from: a text, or a process whose best possible loss is known. Every row is a function of its
/// arguments alone, so that no order of work changes the data.
class Source {
public:
    virtual ~Source() = default;

    /// V: tokens are below it.
    virtual std::size_t vocabulary() const = 0;

    /// A text that differs where the rows do: settings, and the digest of what was read.
    virtual std::string identity() const = 0;

    /// A row to train on. Throws core::UserError if the corpus is shorter than a row.
    virtual Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const = 0;

    /// Row `index` of the fixed set of `count` rows that no training sees. Throws as sample does.
    virtual Row held_out(std::size_t index, std::size_t count, std::size_t length) const = 0;

    /// How many rows of a length there are, and the most and fewest tokens that a row's length may be. A process has
    /// `unlimited` rows of any length.
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    virtual std::size_t rows(Part, std::size_t length) const { return length < shortest_row() ? 0 : unlimited; }
    virtual std::size_t longest_row(Part) const { return unlimited; }
    virtual std::size_t shortest_row() const { return 1; }

    /// Whether a part of a row is a row: false where the first tokens say what the last are (copy, parity).
    virtual bool is_divisible() const { return true; }

    /// A text as tokens; empty of a process, whose tokens are no text.
    virtual std::optional<std::vector<Token>> encode(std::string_view) const { return {}; }

    /// Negative log-probability (natural logarithm) of `next` after `context` under the best predictor that knows the
    /// process and sees these tokens alone; empty where nobody knows it.
    virtual std::optional<double> optimal_nll(std::span<const Token> context, Token next) const;
};

}  // namespace farfield::train
