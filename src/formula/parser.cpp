// A hand-written precedence-climbing parser; docs/formula.md says why it is not a parser library.
#include <algorithm>
#include <cctype>
#include <farfield/formula/parser.hpp>

#include "formula/lexer.hpp"

namespace farfield::formula {
namespace {

constexpr int comparison_precedence = 40;

/// The parser recurses at most this many times for one level of the tree.
constexpr std::size_t levels_per_node = 4;

class Parser {
public:
    explicit Parser(const Source& source) : source_(source), tokens_(tokenize(source)) {}

    Node run() {
        if (now().kind == TokenKind::end) fail(source_, {0, 1}, "the formula is empty", "an expression");
        Node tree = expression();
        if (now().kind != TokenKind::end) unexpected("an operator or the end of the formula");
        return tree;
    }

private:
    /// Counts the recursion depth of the parser, so that no text can exhaust the stack.
    struct Level {
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser_.level_ > levels_per_node * deepest_tree) {
                fail(parser_.source_, parser_.now().span, "the formula is nested too deeply",
                     "at most " + std::to_string(deepest_tree) + " levels", "Give parts of it names with let.");
            }
        }
        ~Level() { --parser_.level_; }
        Parser& parser_;
    };

    const Token& now() const { return tokens_[at_]; }
    bool is(std::string_view symbol) const { return now().kind == TokenKind::symbol && now().text == symbol; }
    bool is_word(std::string_view word) const { return now().kind == TokenKind::name && now().text == word; }

    bool accept(std::string_view symbol) {
        if (!is(symbol)) return false;
        ++at_;
        return true;
    }

    void expect(std::string_view symbol, const std::string& wanted) {
        if (!accept(symbol)) unexpected(wanted);
    }

    [[noreturn]] void unexpected(const std::string& wanted) {
        const Token& token = now();
        if (token.kind == TokenKind::end) fail(source_, token.span, "the formula ends here", wanted);
        if (is_doubled("*")) {
            const Span both{tokens_[at_ - 1].span.offset, 2};
            fail(source_, both, "'**' is not an operator", "'^' for a power: 2^n");
        }
        fail(source_, token.span, "'" + token.text + "' does not belong here", wanted, hint_for(token));
    }

    /// Whether this token and the one before it are the same symbol, without a space between them.
    bool is_doubled(std::string_view symbol) const {
        return at_ > 0 && is(symbol) && tokens_[at_ - 1].text == symbol &&
               tokens_[at_ - 1].span.offset + 1 == now().span.offset;
    }

    /// How to write what other languages write with this token.
    std::string hint_for(const Token& token) const {
        for (const std::string_view word : {"and", "or", "not"}) {
            const bool is_same =
                std::equal(word.begin(), word.end(), token.text.begin(), token.text.end(),
                           [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
            if (is_same && token.text != word) return "Write '" + std::string(word) + "'.";
        }
        if (at_ == 0) return "";
        if (token.text == "if") return "A choice is written c ? a : b.";
        const Token& before = tokens_[at_ - 1];
        const OperatorRow* const function = find_function(before.text);
        if (function && function->reduction)
            return "Write " + before.text + "(v, from, to, body), with v the name of a new variable.";
        const bool is_digits =
            before.kind == TokenKind::number && at_ + 1 < tokens_.size() && tokens_[at_ + 1].kind == TokenKind::number;
        if (token.text == "," && is_digits) return "A number has no comma: 0.5, 1000.";
        if (is_doubled("/")) return "A quotient rounded down is floor(a/b).";
        const bool is_member = at_ > 1 && tokens_[at_ - 2].text == ".";
        if (token.text == "(" && is_member && is_function(before.text)) return "Write " + before.text + "(...).";
        return "";
    }

    static bool is_function(std::string_view name) {
        return std::any_of(operators().begin(), operators().end(), [&](const OperatorRow& each) {
            return each.fixity == Fixity::function && each.spelling == name;
        });
    }

    Span since(std::size_t first_token) const {
        const std::size_t start = tokens_[first_token].span.offset;
        const Span last = tokens_[at_ ? at_ - 1 : 0].span;
        return {start, last.offset + last.length - start};
    }

    Node checked_depth(Node node) {
        if (node->depth > deepest_tree) {
            fail(source_, node->span, "the formula is nested too deeply",
                 "at most " + std::to_string(deepest_tree) + " levels",
                 "Give parts of it names with let, or write sum().");
        }
        return node;
    }

    Node expression() {
        const Level level(*this);
        const std::size_t first = at_;
        Node condition = binary(0);
        if (!accept("?")) return condition;
        Node yes = expression();
        expect(":", "':' and what holds otherwise");
        Node no = expression();
        return checked_depth(make(Op::select, {condition, yes, no}, since(first)));
    }

    const OperatorRow* infix_here() const {
        if (now().kind != TokenKind::symbol && now().kind != TokenKind::name) return nullptr;
        for (const OperatorRow& candidate : operators()) {
            if (candidate.fixity == Fixity::infix && candidate.spelling == now().text) return &candidate;
        }
        return nullptr;
    }

    /// Operators that bind at least as tightly as `least`.
    Node binary(int least) {
        const Level level(*this);
        const std::size_t first = at_;
        Node left = unary(least);
        bool compared = false;
        while (const OperatorRow* found = infix_here()) {
            if (found->precedence < least) break;
            if (found->precedence == comparison_precedence && compared) {
                fail(source_, now().span, "comparisons are not chained", "'and' between them",
                     "Write a < b and b < c.");
            }
            compared = found->precedence == comparison_precedence;
            ++at_;
            // A power binds to the right, and its exponent may carry a sign: 2^-h.
            Node right = found->op == Op::power ? exponent() : binary(found->precedence + 1);
            left = checked_depth(make(found->op, {left, right}, since(first)));
        }
        return left;
    }

    /// The operand is parsed first, because the span includes it.
    Node prefixed(Op op, const Node& operand, std::size_t first) {
        return checked_depth(make(op, {operand}, since(first)));
    }

    Node exponent() {
        const Level level(*this);
        const std::size_t first = at_;
        if (accept("-")) return prefixed(Op::negate, exponent(), first);
        if (accept("+")) return exponent();
        return binary(row(Op::power).precedence);
    }

    Node unary(int least) {
        const Level level(*this);
        const std::size_t first = at_;
        if (is_word("not")) {
            ++at_;
            if (least > row(Op::logical_not).precedence)
                fail(source_, tokens_[first].span, "'not' needs parentheses here", "(not ...)");
            return prefixed(Op::logical_not, binary(row(Op::logical_not).precedence), first);
        }
        if (accept("-")) return prefixed(Op::negate, binary(row(Op::negate).precedence), first);
        if (accept("+")) return binary(row(Op::negate).precedence);
        return primary();
    }

    Node primary() {
        const std::size_t first = at_;
        const Token token = now();
        if (token.kind == TokenKind::number) {
            ++at_;
            return make_number(token.text, token.span);
        }
        if (accept("(")) {
            Node inside = expression();
            expect(")", "')'");
            return inside;
        }
        if (token.kind == TokenKind::text) return in_quotes();
        if (token.kind != TokenKind::name || token.text == "and" || token.text == "or")
            unexpected("a number, a name or '('");
        ++at_;
        if (is("(")) return call(token, first);
        return fields(token.text, first);
    }

    /// 'a text', or a quoted name that a field or an index follows.
    Node in_quotes() {
        const std::size_t first = at_;
        const Token token = now();
        ++at_;
        if (is(".") || is("[")) return fields(token.text, first);
        return make_text(token.text, token.span);
    }

    /// name.field.field[index, ...]
    Node fields(std::string name, std::size_t first) {
        while (accept(".")) {
            const Token& field = now();
            if (field.kind != TokenKind::name && field.kind != TokenKind::text) unexpected("the name of a field");
            name += "." + field.text;
            ++at_;
        }
        if (!accept("[")) return make_name(std::move(name), since(first));
        std::vector<Node> indexes = list("]", "']'");
        if (indexes.empty())
            fail(source_, since(first), "'" + name + "[]' has no index", "an index between the brackets");
        return checked_depth(make_index(std::move(name), std::move(indexes), since(first)));
    }

    std::vector<Node> list(std::string_view close, const std::string& wanted) {
        std::vector<Node> items;
        if (accept(close)) return items;
        do {
            items.push_back(expression());
        } while (accept(","));
        expect(close, "',' or " + wanted);
        return items;
    }

    Node call(const Token& name, std::size_t first) {
        ++at_;
        const OperatorRow* found = find_function(name.text);
        if (found && found->reduction) return reduction(*found, first);
        std::vector<Node> arguments = list(")", "')'");
        const Span span = since(first);
        if (!found) return checked_depth(make_call(name.text, std::move(arguments), span));
        return checked_depth(operation(*found, std::move(arguments), span));
    }

    Node operation(const OperatorRow& found, std::vector<Node> arguments, Span span) {
        const std::size_t wanted = found.arguments.size();
        const bool folds = found.op == Op::minimum || found.op == Op::maximum;
        if (folds ? arguments.size() < wanted : arguments.size() != wanted) {
            const std::string count = (folds ? "at least " : "") + std::to_string(wanted);
            fail(source_, span,
                 std::string(found.spelling) + " was given " + std::to_string(arguments.size()) +
                     (arguments.size() == 1 ? " argument" : " arguments"),
                 count + (wanted == 1 ? " argument" : " arguments"));
        }
        if (arguments.size() == wanted) return make(found.op, std::move(arguments), span);
        Node node = arguments[0];
        for (std::size_t index = 1; index < arguments.size(); ++index)
            node = checked_depth(make(found.op, {node, arguments[index]}, span));
        return node;
    }

    Node reduction(const OperatorRow& found, std::size_t first) {
        const std::string wanted =
            std::string(found.spelling) + "(v, from, to, body) with v the name of a new variable";
        const Token variable = now();
        if (variable.kind != TokenKind::name) unexpected(wanted);
        ++at_;
        expect(",", "',' and the first value: " + wanted);
        Node from = expression();
        expect(",", "',' and the last value: " + wanted);
        Node to = expression();
        expect(",", "',' and the body: " + wanted);
        Node body = expression();
        expect(")", "')'");
        return checked_depth(make_reduction(found.op, variable.text, from, to, body, since(first)));
    }

    const Source& source_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    std::size_t level_ = 0;
};

}  // namespace

Node parse(const Source& source) {
    if (source.text.size() > largest_text) {
        fail(source, {0, 1}, "the formula has " + std::to_string(source.text.size()) + " characters",
             "at most " + std::to_string(largest_text));
    }
    return Parser(source).run();
}

Node parse(const std::string& text) {
    return parse(Source{text, {}});
}

}  // namespace farfield::formula
