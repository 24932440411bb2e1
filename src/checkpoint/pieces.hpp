// Splits a text into pieces before byte pairs are merged.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace farfield::checkpoint {

/// A rule, with its names in `tokenizer.ggml.pre`.
struct PieceRule {
    std::string_view name;
    bool single_numbers;           ///< each digit is a piece; the rule of GPT-2 splits the text between digits
    std::size_t most_numbers = 0;  ///< above 0: the rule of Llama 3, with at most this many digits in a piece
    bool whole_pieces = false;     ///< a piece that is a token is not split, whatever the merges are
    bool is_composed = false;      ///< texts are first converted to Unicode's normal form C
};

std::span<const PieceRule> piece_rules();

/// The first byte from which a text may differ from its Unicode normal form C; nothing if the text certainly has this
/// form. This is uncertain for texts with two marks in a row, or with a mark for which some letter has a composed form.
std::optional<std::size_t> first_not_composed(std::string_view text);

/// Calls `take` with each piece in order; together the pieces are the text. Bytes that are not UTF-8 count as symbols.
/// The rule of GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ That of Llama 3, N
/// being most_numbers: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,N}|
/// ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
void cut_pieces(std::string_view text, const PieceRule& rule, const std::function<void(std::string_view)>& take);

}  // namespace farfield::checkpoint
