// SentencePiece's byte pair encoding, which GGUF names `llama` and tokenizer.json names BPE with byte_fallback. It
// merges characters over a whole text, without a rule for pieces.
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

/// A blank is the character U+2581. Neighbours merge if their concatenation is a token, the one with the highest score
/// first. If the file has a list of merges in place of scores, only these are used, in the order of the list. Text
/// without a token becomes tokens of its bytes, or the unknown token. Source: github.com/google/sentencepiece
/// (bpe_model.cc); Kudo and Richardson 2018.
class SentencePieces {
public:
    /// Reads the tokens of a file. Throws core::UserError that names the file and the key.
    explicit SentencePieces(const Source& file);
    // Not copyable, because pieces are looked up by the bytes of the object's own strings.
    SentencePieces(const SentencePieces&) = delete;
    SentencePieces& operator=(const SentencePieces&) = delete;

    /// The tokens of a text without control tokens; `is_first` if nothing comes before it.
    void encode(std::string_view text, bool is_first, std::vector<model::Token>& tokens) const;

    /// The bytes of a token.
    static std::string bytes_of(const std::string& token, double type);

private:
    /// Where a blank is inserted before the text, so that its first word is encoded like other words: before each text
    /// between control tokens or only the first, and whether also before a text that begins with a blank.
    enum class Blank : std::uint8_t { never, always, always_if_none, first_if_none };

    /// The position of the last merge that gave an unused piece.
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
