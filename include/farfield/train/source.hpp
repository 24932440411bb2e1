// Rows of tokens on which a model is trained and measured.
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

/// The two separate parts of a source: rows for training, and held-out rows that no training uses.
enum class Part { training, held_out };

/// The source of rows: a text, or a process whose best possible loss is known. Every row depends only on its arguments,
/// so the order of the work does not change the data.
class Source {
public:
    virtual ~Source() = default;

    /// V, the size of the vocabulary: tokens are 0 to V - 1.
    virtual std::size_t vocabulary() const = 0;

    /// A text that identifies the rows: the settings, and the digest of the text that was read.
    virtual std::string identity() const = 0;

    /// A row for training. Throws core::UserError if the corpus is shorter than a row.
    virtual Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const = 0;

    /// Row `index` of the fixed set of `count` held-out rows. Throws as sample().
    virtual Row held_out(std::size_t index, std::size_t count, std::size_t length) const = 0;

    /// The number of rows of a length, and the largest and smallest length of a row. A process has `unlimited` rows of
    /// any length.
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    virtual std::size_t rows(Part, std::size_t length) const { return length < shortest_row() ? 0 : unlimited; }
    virtual std::size_t longest_row(Part) const { return unlimited; }
    virtual std::size_t shortest_row() const { return 1; }

    /// Whether a part of a row is a valid row; false if the first tokens determine the last ones (copy, parity).
    virtual bool is_divisible() const { return true; }

    /// Converts a text to tokens; empty for a process, whose tokens are not text.
    virtual std::optional<std::vector<Token>> encode(std::string_view) const { return {}; }

    /// Negative log-probability (natural logarithm) of `next` after `context` under the best predictor that knows the
    /// process and only these tokens; empty if this is not known.
    virtual std::optional<double> optimal_nll(std::span<const Token> context, Token next) const;
};

}  // namespace farfield::train
