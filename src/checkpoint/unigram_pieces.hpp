// SentencePiece's unigram model, as GGUF has it under the name `t5` and tokenizer.json as Unigram.
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

/// Of all ways to cut a text into tokens that with the largest sum of scores. A character that no token stands for has
/// the lowest score less 10; neighbours of them become the tokens of their bytes, or one unknown token. Before, the
/// text is changed: as SentencePiece does for a GGUF file, whose sums are floats, and step by step as Hugging Face's
/// `tokenizers` does for a folder, whose sums are doubles. Sources: Kudo 2018 (arXiv 1804.10959);
/// github.com/google/sentencepiece (unigram_model.cc, normalizer.cc); github.com/huggingface/tokenizers.
class UnigramPieces {
public:
    /// Throws core::UserError naming the file and the key.
    explicit UnigramPieces(const Source& file);

    /// Tokens of a text without control tokens; `is_first` where nothing stands before it. Throws core::UserError for a
    /// table of characters that refers to what it has not.
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
    /// The tree of pieces: from a node and a byte to the next node, and each node's token, or no_token.
    std::unordered_map<std::uint64_t, std::uint32_t> edges_;
    std::vector<model::Token> ends_;
};

}  // namespace farfield::checkpoint
