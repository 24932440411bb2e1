// Documents as tokens, some held out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/place.hpp>
#include <farfield/train/source.hpp>

namespace farfield::train {

/// Bytes, or bytes and a vocabulary: tokens 0 to 255 are the bytes, and the following tokens are the given strings.
/// Text is tokenized from the left; at each position the longest matching string is used.
class Tokeniser {
public:
    Tokeniser() = default;
    /// Throws core::UserError at `place` for an empty or repeated string.
    Tokeniser(std::vector<std::string> strings, const core::Place& place);

    std::size_t vocabulary() const { return 256 + strings_.size(); }
    std::vector<Token> encode(std::string_view text) const;
    std::string decode(const std::vector<Token>& tokens) const;

private:
    std::vector<std::string> strings_;
    std::vector<std::vector<std::size_t>> by_first_;  ///< [256], or empty: of strings_, the longest first
};

/// A vocabulary file: one string a line, with `\n`, `\t`, `\\`, and `\xHH` for any byte. Throws core::UserError naming
/// the line.
Tokeniser read_vocabulary(const std::string& path);

/// How a text is split.
struct Split {
    double held_out = 0.1;  ///< share of the documents or blocks, evenly spaced: every tenth
    bool by_document = false;
    std::size_t block = 65536;  ///< tokens; less in a text of which so many are more than the share held out
    core::Place place;          ///< for messages
};

/// How text becomes tokens.
struct Encoding {
    std::size_t vocabulary = 256;
    Token line_break = '\n';  ///< what joins documents
    std::function<std::vector<Token>(std::string_view)> encode;
};

/// Rows of the documents' tokens. With blocks, a line break joins the documents, and rows may extend over it. A row
/// never contains both training text and held-out text.
std::shared_ptr<const Source> make_text(const std::vector<std::string>& documents, const Tokeniser& tokeniser,
                                        const Split& split);
std::shared_ptr<const Source> make_encoded_text(const std::vector<std::string>& documents, const Encoding& encoding,
                                                const Split& split);

}  // namespace farfield::train
