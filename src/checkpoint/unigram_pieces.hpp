// SentencePiece's unigram model, which GGUF names `t5` and tokenizer.json names Unigram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/charsmap.hpp"
#include "checkpoint/merging.hpp"
#include "checkpoint/source.hpp"

namespace farfield::checkpoint {

/// Chooses the split of a text into tokens with the largest sum of scores. A character without a token has the lowest
/// score minus 10; adjacent ones become the tokens of their bytes, or one unknown token. Before that, the text is
/// normalized: for a GGUF file as in SentencePiece, with float sums, and for a folder step by step as in Hugging Face's
/// `tokenizers`, with double sums. Sources: Kudo 2018 (arXiv 1804.10959); github.com/google/sentencepiece
/// (unigram_model.cc, normalizer.cc); github.com/huggingface/tokenizers.
class UnigramPieces {
public:
    /// Throws core::UserError that names the file and the key.
    explicit UnigramPieces(const Source& file);

    /// The tokens of a text without control tokens; `is_first` if nothing comes before it. Throws core::UserError if a
    /// table of characters has an invalid reference.
    void encode(std::string_view text, bool is_first, std::vector<model::Token>& tokens) const;

private:
    void read_changes(const Source& file);
    void read_pieces(const Source& file);
    void read_unknown(const Source& file, std::size_t count);
    void add_piece(std::string_view piece, model::Token token);

    std::string as_sentencepiece(std::string_view text) const;
    std::string by_steps(std::string_view text) const;
    std::string by_clusters(std::string_view text) const;
    void take_word(std::string word, bool is_first, std::vector<model::Token>& tokens) const;
    void encode_piece(std::string_view text, std::vector<model::Token>& tokens) const;
    void put_unknown(std::string_view text, std::vector<model::Token>& tokens) const;
    model::Token token_of(std::string_view piece) const;

    bool is_folder_ = false;
    bool adds_blank_ = true;      ///< of a GGUF file
    bool merges_blanks_ = false;  ///< of a GGUF file
    std::vector<std::string> steps_;
    std::optional<Charsmap> charsmap_;

    std::vector<double> scores_;
    double unknown_score_ = 0;
    model::Token unknown_ = no_token;
    std::array<model::Token, 256> bytes_{};  ///< or no_token
    /// The prefix tree of pieces: from a node and a byte to the next node, and each node's token, or no_token.
    std::unordered_map<std::uint64_t, std::uint32_t> edges_;
    std::vector<model::Token> ends_;
};

}  // namespace farfield::checkpoint
