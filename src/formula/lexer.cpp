#include "formula/lexer.hpp"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace farfield::formula {
namespace {

bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_name_part(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// What to write in place of a character that other languages or papers use.
std::string hint_for(std::string_view character) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 22> hints = {{
        {"&", "Write 'and'."},
        {"|", "Write 'or', or abs(x) for an absolute value."},
        {"!", "Write 'not', or prod(i, 1, n, i) for a factorial."},
        {"\u2212", "Write '-', the minus sign of ASCII."},
        {"\u2013", "Write '-', the minus sign of ASCII."},
        {"\u2014", "Write '-', the minus sign of ASCII."},
        {"\u00d7", "A product is written with *: 2*n."},
        {"\u00b7", "A product is written with *: 2*n."},
        {"\u22c5", "A product is written with *: 2*n."},
        {"\u00f7", "A quotient is written with /: n/2."},
        {"\u2215", "A quotient is written with /: n/2."},
        {"\u00b2", "A power is written with ^: n^2."},
        {"\u00b3", "A power is written with ^: n^3."},
        {"\u03c0", "Write 'pi'."},
        {"\u221e", "Write 'inf'."},
        {"\u221a", "Write sqrt(x)."},
        {"\u2264", "Write '<='."},
        {"\u2265", "Write '>='."},
        {"\u2260", "Write '!='."},
        {"\u2211", "Write sum(i, from, to, body)."},
        {"\u201c", "Write ' or \", the quotes of ASCII."},
        {"\u201d", "Write ' or \", the quotes of ASCII."},
    }};
    for (const auto& [known, hint] : hints)
        if (known == character) return std::string(hint);
    if (character == "\u2070" || character == "\u00b9" || (character >= "\u2074" && character <= "\u207b"))
        return "A power is written with ^: 10^4.";
    return character.size() > 1 ? "Names have the letters of ASCII: theta." : "";
}

/// The same for '=', which follows the name of a value, the variable of a range, or a side of an equality.
std::string hint_for_equals(std::string_view before) {
    const auto is_part = [](char c) { return is_name_part(c) || std::isspace(static_cast<unsigned char>(c)); };
    std::size_t name = before.size();
    while (name > 0 && is_part(before[name - 1])) --name;
    if (name == 0) return "A formula is written without a name and '=' before it. Equality is written ==.";
    for (const std::string_view loop : {"sum", "prod", "all", "exists", "argmin", "argmax"})
        if (before.substr(0, name).ends_with(std::string(loop) + "("))
            return "A range is written " + std::string(loop) + "(i, 0, 7, ...): variable, first, last.";
    return "Equality is written ==; the name of a swept item is quoted.";
}

class Lexer {
public:
    explicit Lexer(const Source& source) : source_(source), text_(source.text) {}

    std::vector<Token> run() {
        std::vector<Token> tokens;
        while (true) {
            while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
            if (at_ == text_.size()) break;
            tokens.push_back(next());
        }
        tokens.push_back({TokenKind::end, "", {text_.size(), 1}});
        return tokens;
    }

private:
    Token next() {
        const char c = text_[at_];
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
        if (is_name_start(c)) return name();
        if (c == '\'' || c == '"') return in_quotes(c);
        return symbol();
    }

    char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    Token cut(TokenKind kind, std::size_t start) {
        return {kind, text_.substr(start, at_ - start), {start, at_ - start}};
    }

    Token number() {
        const std::size_t start = at_;
        while (is_digit(peek(0))) ++at_;
        if (peek(0) == '.') ++at_;
        while (is_digit(peek(0))) ++at_;
        if (peek(0) == 'e' || peek(0) == 'E') {
            const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
            if (is_digit(peek(1 + sign))) {
                at_ += 1 + sign;
                while (is_digit(peek(0))) ++at_;
            }
        }
        if (is_name_start(peek(0)) || peek(0) == '.') {
            while (is_name_part(peek(0)) || peek(0) == '.') ++at_;
            fail(source_, {start, at_ - start}, "'" + text_.substr(start, at_ - start) + "' is not a number",
                 "digits such as 0.4 or 1e4", "A product is written with *: 2*n.");
        }
        return cut(TokenKind::number, start);
    }

    Token name() {
        const std::size_t start = at_;
        while (is_name_part(peek(0))) ++at_;
        return cut(TokenKind::name, start);
    }

    Token in_quotes(char quote) {
        const std::size_t start = at_++;
        std::string inside;
        while (true) {
            while (at_ < text_.size() && text_[at_] != quote) inside += text_[at_++];
            if (at_ == text_.size())
                fail(source_, {start, at_ - start}, "this quotation has no end", std::string("a closing ") + quote);
            ++at_;
            // A quote written twice stands for one.
            if (peek(0) != quote) break;
            inside += text_[at_++];
        }
        return {TokenKind::text, inside, {start, at_ - start}};
    }

    Token symbol() {
        static constexpr std::array<std::string_view, 4> pairs = {"<=", ">=", "==", "!="};
        static constexpr std::string_view singles = "+-*/%^<>()[],.?:";
        const std::size_t start = at_;
        for (const std::string_view pair : pairs) {
            if (std::string_view(text_).substr(at_, 2) == pair) {
                at_ += 2;
                return cut(TokenKind::symbol, start);
            }
        }
        if (singles.find(text_[at_]) != std::string_view::npos) {
            ++at_;
            return cut(TokenKind::symbol, start);
        }
        bad_character();
    }

    [[noreturn]] void bad_character() {
        // A character beyond ASCII is several bytes; the message shows it whole.
        std::size_t length = 1;
        while ((static_cast<unsigned char>(peek(length)) & 0xC0U) == 0x80U) ++length;
        const std::string shown = text_.substr(at_, length);
        const bool printable = length > 1 || std::isprint(static_cast<unsigned char>(shown[0]));
        fail(source_, {at_, length},
             printable ? "'" + shown + "' has no meaning here" : "a control character has no meaning here", "",
             shown == "=" ? hint_for_equals(std::string_view(text_).substr(0, at_)) : hint_for(shown));
    }

    const Source& source_;
    const std::string& text_;
    std::size_t at_ = 0;
};

}  // namespace

core::Place place_of(const Source& source, Span span) {
    core::Place place = source.at;
    if (place.line == 0) place.line = place.column = 1;
    const std::string before = source.text.substr(0, span.offset);
    const std::size_t last_break = before.rfind('\n');
    if (last_break == std::string::npos) {
        place.column += span.offset;
        if (place.excerpt.empty()) place.excerpt = source.text.substr(0, source.text.find('\n'));
    } else {
        for (const char c : before) place.line += c == '\n';
        place.column = span.offset - last_break;
        const std::size_t start = last_break + 1;
        place.excerpt = source.text.substr(start, source.text.find('\n', start) - start);
    }
    place.length = span.length ? span.length : 1;
    return place;
}

void fail(const Source& source, Span span, std::string found, std::string wanted, std::string hint) {
    throw core::UserError({{place_of(source, span), std::move(found), std::move(wanted), std::move(hint)}});
}

std::vector<Token> tokenize(const Source& source) {
    return Lexer(source).run();
}

}  // namespace farfield::formula
