// Text to tokens and back, as the header of a GGUF file or tokenizer.json defines it: byte pair encoding, or a unigram
// model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/checkpoint/checkpoint.hpp>

namespace farfield::checkpoint {

/// Byte-level: text is cut into pieces by a rule, and neighbours within a piece are merged by the ranks of the file's
/// list, the lowest first. A byte that the vocabulary lacks is left out. SentencePiece's: characters of the whole text
/// are merged by the scores of their joins, the highest first, with a blank put before each text between control
/// tokens. If the text contains the name of a control token, it becomes this token. Sources: Sennrich et al. 2016
/// (merges); Radford et al. 2019 and the program of GPT-2 (bytes, pieces); Kudo and Richardson 2018 and the program of
/// SentencePiece.
class Tokeniser {
public:
    /// Throws core::UserError naming the file and the key if the file has no tokeniser, an unsupported kind, an unknown
    /// rule for pieces, or lists that do not match each other and the vocabulary.
    explicit Tokeniser(const Checkpoint& checkpoint);
    ~Tokeniser();
    Tokeniser(Tokeniser&&) noexcept;
    Tokeniser& operator=(Tokeniser&&) noexcept;

    std::vector<model::Token> encode(std::string_view text) const;

    struct Tables;

private:
    std::unique_ptr<Tables> tables_;
};

}  // namespace farfield::checkpoint
