// How a text is cut into pieces before byte pairs are merged.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace farfield::checkpoint {

/// A rule, by the names that `tokenizer.ggml.pre` has for it.
struct PieceRule {
    std::string_view name;
    bool single_numbers;           ///< each number is a piece of its own before the rule of GPT-2 cuts what is between
    std::size_t most_numbers = 0;  ///< above 0: the rule of Llama 3, with so many numbers in a piece at most
    bool whole_pieces = false;     ///< a piece that is a token stays whole, whatever merges there are
    bool is_composed = false;      ///< texts get Unicode's normal form C first
};

std::span<const PieceRule> piece_rules();

/// The first byte of a text from which Unicode's normal form C may be another text; nothing if the text surely has that
/// form. Texts with two marks in a row, or a mark that some letter has a form with, are not sure.
std::optional<std::size_t> first_not_composed(std::string_view text);

/// Calls `take` with one piece after another; joined they are the text. Bytes that are not UTF-8 count as symbols. The
/// rule of GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// That of Llama 3, N being most_numbers: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,N}|
/// ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
void cut_pieces(std::string_view text, const PieceRule& rule, const std::function<void(std::string_view)>& take);

}  // namespace farfield::checkpoint
