// SentencePiece's byte pair encoding, as GGUF has it under the name `llama` and tokenizer.json as BPE with
// byte_fallback: of characters over a whole text, without a rule for pieces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/merging.hpp"
#include "checkpoint/source.hpp"

namespace farfield::checkpoint {

/// A blank is the character U+2581. Neighbours merge whose join is a token, that of the highest score first; where the
/// file has a list of merges in place of scores, these alone, in the order of the list. What no token stands for
/// becomes tokens of its bytes, or the unknown token. Source: github.com/google/sentencepiece (bpe_model.cc); Kudo and
/// Richardson 2018.
class SentencePieces {
public:
    /// The tokens of a file. Throws core::UserError naming the file and the key.
    explicit SentencePieces(const Source& file);
    // Its pieces are looked up by the bytes of its own strings.
    SentencePieces(const SentencePieces&) = delete;
    SentencePieces& operator=(const SentencePieces&) = delete;

    /// Tokens of a text without control tokens; `is_first` where nothing stands before it.
    void encode(std::string_view text, bool is_first, std::vector<model::Token>& tokens) const;

    /// The bytes that a token stands for.
    static std::string bytes_of(const std::string& token, double type);

private:
    /// Where a blank is put before the text, which then begins as a word within it does: before each text between
    /// control tokens, or the first alone, and whether before one that begins with a blank.
    enum class Blank : std::uint8_t { never, always, always_if_none, first_if_none };

    /// Where the last merge to a piece that is not in use was.
    using Splits = std::unordered_map<std::string_view, std::size_t>;

    void read_blank(const Source& file);
    void read_tokens(const Source& file);
    void read_scores(const Source& file);
    void read_merges(const Source& file);
    std::optional<Merge> join(std::string_view text, const PiecePart& left, const PiecePart& right) const;
    void put(std::string_view piece, const Splits& splits, std::vector<model::Token>& tokens) const;
    bool is_unused(model::Token token) const;
    model::Token token_of(std::string_view piece) const;

    Blank blank_ = Blank::always;
    std::vector<std::string> strings_;
    std::vector<double> types_;
    std::unordered_map<std::string_view, model::Token> tokens_;  ///< of pieces
    std::array<model::Token, 256> bytes_{};                      ///< or no_token
    model::Token unknown_ = no_token;
    std::vector<std::size_t> ranks_;                   ///< of each token by its score; empty with a list of merges
    std::unordered_map<std::uint64_t, Merge> merges_;  ///< by pair_of()
};

/// The key of a pair of tokens.
inline std::uint64_t pair_of(model::Token left, model::Token right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

}  // namespace farfield::checkpoint
