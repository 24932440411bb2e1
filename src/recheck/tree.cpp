#include "recheck/tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace farfield::recheck {
namespace {

constexpr std::size_t largest_text = 1 << 20;
constexpr int deepest = 1000;

struct Function {
    std::string_view name;
    Op op;
    std::size_t least;
    std::size_t most;
};

constexpr std::size_t any = 1000;
constexpr std::array<Function, 38> functions = {{
    {"if", Op::select, 3, 3},        {"abs", Op::abs, 1, 1},           {"sqrt", Op::sqrt, 1, 1},
    {"exp", Op::exp, 1, 1},          {"expm1", Op::expm1, 1, 1},       {"log", Op::log, 1, 1},
    {"log1p", Op::log1p, 1, 1},      {"log2", Op::log2, 1, 1},         {"sin", Op::sin, 1, 1},
    {"cos", Op::cos, 1, 1},          {"tan", Op::tan, 1, 1},           {"tanh", Op::tanh, 1, 1},
    {"atan2", Op::atan2, 2, 2},      {"floor", Op::floor, 1, 1},       {"ceil", Op::ceil, 1, 1},
    {"round", Op::round, 1, 1},      {"sign", Op::sign, 1, 1},         {"min", Op::min, 2, any},
    {"max", Op::max, 2, any},        {"clamp", Op::clamp, 3, 3},       {"softplus", Op::softplus, 1, 1},
    {"sigmoid", Op::sigmoid, 1, 1},  {"erf", Op::erf, 1, 1},           {"t5_bucket", Op::t5_bucket, 3, 3},
    {"fp32", Op::fp32, 1, 1},        {"fp16", Op::fp16, 1, 1},         {"bf16", Op::bf16, 1, 1},
    {"e4m3", Op::e4m3, 1, 1},        {"e5m2", Op::e5m2, 1, 1},         {"sum", Op::sum, 4, 4},
    {"prod", Op::product, 4, 4},     {"all", Op::for_all, 4, 4},       {"exists", Op::for_some, 4, 4},
    {"Si", Op::sine_integral, 1, 1}, {"binomial", Op::binomial, 2, 2}, {"argmin", Op::argmin, 4, 4},
    {"argmax", Op::argmax, 4, 4},    {"integral", Op::integral, 4, 4},
}};

void add_free(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

struct Token {
    enum class Kind { number, word, text, symbol, end } kind = Kind::end;
    std::string text;
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {
        if (text.size() > largest_text) throw Unprovable("a formula of " + std::to_string(text.size()) + " characters");
        advance();
    }

    Node whole() {
        Node node = expression();
        if (now_.kind != Token::Kind::end) fail("'" + now_.text + "'");
        return node;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        std::string shown(text_.substr(0, 200));
        throw Unprovable("cannot read the formula '" + shown + "': " + what + " at character " +
                         std::to_string(start_ + 1));
    }

    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
    static bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

    void advance() {
        while (std::isspace(static_cast<unsigned char>(peek())) != 0) ++at_;
        start_ = at_;
        if (at_ >= text_.size()) {
            now_ = {};
            return;
        }
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
        if (starts_word(peek())) {
            while (starts_word(peek()) || is_digit(peek())) ++at_;
            return take(Token::Kind::word);
        }
        if (peek() == '\'' || peek() == '"') return quoted(peek());
        const bool is_pair = peek(1) == '=' && std::string_view("<>=!").find(peek()) != std::string_view::npos;
        at_ += is_pair ? 2 : 1;
        take(Token::Kind::symbol);
    }

    void take(Token::Kind kind) { now_ = {kind, std::string(text_.substr(start_, at_ - start_))}; }

    void number() {
        while (is_digit(peek())) ++at_;
        if (peek() == '.') ++at_;
        while (is_digit(peek())) ++at_;
        const bool is_signed = peek(1) == '-' || peek(1) == '+';
        if ((peek() == 'e' || peek() == 'E') && is_digit(peek(is_signed ? 2 : 1))) {
            at_ += is_signed ? 2 : 1;
            while (is_digit(peek())) ++at_;
        }
        take(Token::Kind::number);
    }

    void quoted(char quote) {
        ++at_;
        while (at_ < text_.size() && peek() != quote) ++at_;
        if (at_ >= text_.size()) fail("a quotation without an end");
        now_ = {Token::Kind::text, std::string(text_.substr(start_ + 1, at_ - start_ - 1))};
        ++at_;
    }

    bool is(std::string_view symbol) const { return now_.kind == Token::Kind::symbol && now_.text == symbol; }
    bool is_word(std::string_view word) const { return now_.kind == Token::Kind::word && now_.text == word; }
    bool accept(std::string_view symbol) {
        if (!is(symbol)) return false;
        advance();
        return true;
    }
    void expect(std::string_view symbol) {
        if (!accept(symbol)) fail("'" + now_.text + "' where '" + std::string(symbol) + "' is needed,");
    }

    Node real(Node node) const {
        if (is_condition(*node)) fail("a condition where a number is needed,");
        return node;
    }
    Node condition(Node node) const {
        if (!is_condition(*node)) fail("a number where a condition is needed,");
        return node;
    }

    Node expression() {
        if (++depth_ > deepest) fail("more levels than " + std::to_string(deepest));
        Node node = disjunction();
        if (accept("?")) {
            Node yes = real(expression());
            expect(":");
            Node no = real(expression());
            node = make(Op::select, "", {condition(std::move(node)), std::move(yes), std::move(no)});
        }
        --depth_;
        return node;
    }

    Node disjunction() {
        Node node = conjunction();
        while (is_word("or")) {
            advance();
            Node right = condition(conjunction());
            node = make(Op::disjunction, "", {condition(std::move(node)), std::move(right)});
        }
        return node;
    }

    Node conjunction() {
        Node node = negation();
        while (is_word("and")) {
            advance();
            Node right = condition(negation());
            node = make(Op::conjunction, "", {condition(std::move(node)), std::move(right)});
        }
        return node;
    }

    Node negation() {
        if (!is_word("not")) return comparison();
        advance();
        if (++depth_ > deepest) fail("more levels than " + std::to_string(deepest));
        Node inner = condition(negation());
        --depth_;
        return make(Op::negation, "", {std::move(inner)});
    }

    Node comparison() {
        static constexpr std::array<std::pair<std::string_view, Op>, 6> signs = {{{"<", Op::less},
                                                                                  {"<=", Op::less_equal},
                                                                                  {">", Op::greater},
                                                                                  {">=", Op::greater_equal},
                                                                                  {"==", Op::equal},
                                                                                  {"!=", Op::differs}}};
        Node left = sum();
        for (const auto& [sign, op] : signs) {
            if (!accept(sign)) continue;
            Node right = real(sum());
            return make(op, "", {real(std::move(left)), std::move(right)});
        }
        return left;
    }

    Node sum() {
        Node node = product();
        while (is("+") || is("-")) {
            const Op op = is("+") ? Op::add : Op::subtract;
            advance();
            Node right = real(product());
            node = make(op, "", {real(std::move(node)), std::move(right)});
        }
        return node;
    }

    Node product() {
        Node node = sign();
        while (is("*") || is("/") || is("%")) {
            const Op op = is("*") ? Op::multiply : is("/") ? Op::divide : Op::remainder;
            advance();
            Node right = real(sign());
            node = make(op, "", {real(std::move(node)), std::move(right)});
        }
        return node;
    }

    /// A sign binds less tightly than a power: -2^2 is -4.
    Node sign() {
        bool is_negative = false;
        bool has_sign = false;
        for (; is("-") || is("+"); advance()) {
            is_negative = is_negative != is("-");
            has_sign = true;
        }
        Node node = power();
        if (has_sign) node = real(std::move(node));
        return is_negative ? make(Op::negate, "", {std::move(node)}) : node;
    }

    Node power() {
        Node base = primary();
        if (!accept("^")) return base;
        if (++depth_ > deepest) fail("more levels than " + std::to_string(deepest));
        Node exponent = real(sign());
        --depth_;
        return make(Op::power, "", {real(std::move(base)), std::move(exponent)});
    }

    Node primary() {
        if (now_.kind == Token::Kind::number) {
            const std::optional<Rational> value = read_rational(now_.text);
            if (!value) fail("the number '" + now_.text + "' is out of range");
            advance();
            return make_number(*value);
        }
        if (accept("(")) {
            Node node = expression();
            expect(")");
            return node;
        }
        const bool is_quoted = now_.kind == Token::Kind::text;
        if (!is_quoted && now_.kind != Token::Kind::word) fail("'" + now_.text + "'");
        const std::string word = now_.text;
        advance();
        if (is_quoted && !is(".") && !is("[")) return make(Op::text, word, {});
        if (!is_quoted && is("(")) return call(word);
        return fields(word);
    }

    Node fields(std::string name) {
        while (accept(".")) {
            if (now_.kind != Token::Kind::word && now_.kind != Token::Kind::text) fail("'" + now_.text + "'");
            name += "." + now_.text;
            advance();
        }
        if (!is("[")) return make(Op::name, std::move(name), {});
        return make(Op::lookup, std::move(name), list("[", "]"));
    }

    std::vector<Node> list(std::string_view open, std::string_view close) {
        std::vector<Node> parts;
        expect(open);
        if (accept(close)) return parts;
        do parts.push_back(expression());
        while (accept(","));
        expect(close);
        return parts;
    }

    Node call(const std::string& word) {
        std::vector<Node> parts = list("(", ")");
        const auto* found = std::find_if(functions.begin(), functions.end(),
                                         [&](const Function& function) { return function.name == word; });
        if (found == functions.end()) return make(Op::call, word, std::move(parts));
        if (parts.size() < found->least || parts.size() > found->most)
            fail(word + "() with " + std::to_string(parts.size()) + " arguments");
        if (is_reduction(found->op)) return reduction(found->op, parts);
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i] = found->op == Op::select && i == 0 ? condition(parts[i]) : real(parts[i]);
        Node node = make(found->op, "", {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(found->least)});
        for (std::size_t i = found->least; i < parts.size(); ++i) node = make(found->op, "", {node, parts[i]});
        return node;
    }

    Node reduction(Op op, const std::vector<Node>& parts) const {
        if (parts[0]->op != Op::name) fail("a variable is needed first,");
        const bool is_logical = op == Op::for_all || op == Op::for_some;
        Node body = is_logical ? condition(parts[3]) : real(parts[3]);
        return make(op, parts[0]->name, {real(parts[1]), real(parts[2]), std::move(body)});
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t start_ = 0;
    int depth_ = 0;
    Token now_;
};

}  // namespace

bool is_reduction(Op op) {
    switch (op) {
        case Op::sum:
        case Op::product:
        case Op::for_all:
        case Op::for_some:
        case Op::argmin:
        case Op::argmax:
        case Op::integral: return true;
        default: return false;
    }
}

Node parse_tree(std::string_view text) {
    return Parser(text).whole();
}

bool is_condition(const Tree& tree) {
    switch (tree.op) {
        case Op::less:
        case Op::less_equal:
        case Op::greater:
        case Op::greater_equal:
        case Op::equal:
        case Op::differs:
        case Op::negation:
        case Op::conjunction:
        case Op::disjunction:
        case Op::for_all:
        case Op::for_some: return true;
        case Op::call: return tree.name == "rounds" || tree.name == "about";
        default: return false;
    }
}

bool is_constant(std::string_view name) {
    return name == "pi" || name == "e" || name == "inf";
}

bool uses(const Tree& tree, std::string_view name) {
    return std::find(tree.free.begin(), tree.free.end(), name) != tree.free.end();
}

Node make(Op op, std::string name, std::vector<Node> parts) {
    auto tree = std::make_shared<Tree>();
    tree->op = op;
    tree->name = std::move(name);
    tree->parts = std::move(parts);
    if ((op == Op::name || op == Op::lookup) && !is_constant(tree->name)) tree->free.push_back(tree->name);
    for (std::size_t i = 0; i < tree->parts.size(); ++i) {
        const bool is_body = is_reduction(op) && i == 2;
        for (const std::string& free : tree->parts[i]->free)
            if (!is_body || free != tree->name) add_free(tree->free, free);
    }
    return tree;
}

Node make_number(const Rational& value) {
    auto tree = std::make_shared<Tree>();
    tree->value = value;
    return tree;
}

}  // namespace farfield::recheck
