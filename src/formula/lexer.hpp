// Text to tokens.
#pragma once

#include <string>
#include <vector>

#include <farfield/formula/parser.hpp>

namespace farfield::formula {

enum class TokenKind : std::uint8_t { number, name, text, symbol, end };

/// `text` is the number as written, the name, the inside of the quotes, or the symbol ("<=", "(", ...).
struct Token {
    TokenKind kind = TokenKind::end;
    std::string text;
    Span span;
};

/// The tokens of a source, the last of kind `end`. Throws core::UserError at a character that cannot start a token.
std::vector<Token> tokenize(const Source& source);

/// Independent of the locale.
inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Throws core::UserError with one diagnostic at the span.
[[noreturn]] void fail(const Source& source, Span span, std::string found, std::string wanted = {},
                       std::string hint = {});

}  // namespace farfield::formula
