#include <algorithm>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>

#include "numerics/counting.hpp"
#include "numerics/rational.hpp"

namespace farfield::formula {
namespace {

constexpr std::string_view constant_names[] = {"pi", "e", "inf"};

/// How a formula expresses a function that the language does not have under this name.
std::string in_other_words(std::string_view function) {
    static constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"ln", "log(x), the natural logarithm"},
        {"log10", "log(x)/log(10)"},
        {"pow", "x^y"},
        {"exp2", "2^x"},
        {"atan", "atan2(y, x)"},
        {"arctan", "atan2(y, x)"},
        {"mod", "x % y"},
        {"fabs", "abs(x)"},
        {"relu", "max(x, 0)"},
    };
    for (const auto& [other, ours] : words)
        if (other == function) return std::string(ours);
    return "";
}

std::string type_text(Type type) {
    switch (type) {
        case Type::real: return "a number";
        case Type::boolean: return "a condition (true or false)";
        case Type::text: return "a text";
    }
    return "a value";
}

Type argument_type(char letter) {
    return letter == 'b' ? Type::boolean : Type::real;
}

class Checker {
public:
    Checker(const Node& tree, const Scope& scope, const Source& source, core::Problems& problems)
        : scope_(scope), source_(source), problems_(problems) {
        const std::vector<std::string> free = free_names(tree);
        const auto has = [&free](const char* name) { return std::find(free.begin(), free.end(), name) != free.end(); };
        has_positions_ = has("i") && has("j");
    }

    /// The type of the node, or nothing if a problem below it leaves that open.
    std::optional<Type> type(const Node& node) {
        switch (node->kind) {
            case Kind::number: return Type::real;
            case Kind::text: return Type::text;
            case Kind::name: return name(*node);
            case Kind::index: return index(*node);
            case Kind::call: return unknown_function(*node);
            case Kind::operation: return operation(*node);
            case Kind::reduction: return reduction(*node);
        }
        return std::nullopt;
    }

    void expect(const Node& node, Type wanted, const std::string& where) {
        const std::optional<Type> found = type(node);
        if (!found || *found == wanted) return;
        std::string hint;
        if (*found == Type::boolean && wanted == Type::real)
            hint = "A condition becomes a number by if(condition, 1, 0).";
        if (*found == Type::real && wanted == Type::boolean)
            hint = "A number becomes a condition by a comparison, such as n < w.";
        add(node->span, where + " is " + type_text(*found), type_text(wanted), hint);
    }

private:
    void add(Span span, std::string found, std::string wanted = {}, std::string hint = {}) {
        problems_.add(place_of(source_, span), std::move(found), std::move(wanted), std::move(hint));
    }

    bool is_bound(const std::string& name) const {
        return std::find(bound_.begin(), bound_.end(), name) != bound_.end();
    }

    std::vector<std::string> known() const {
        std::vector<std::string> names = bound_;
        const std::vector<std::string> scoped = scope_.names();
        names.insert(names.end(), scoped.begin(), scoped.end());
        return names;
    }

    std::optional<Type> name(const Tree& node) {
        if (is_bound(node.text)) return Type::real;
        const auto constant = std::find(std::begin(constant_names), std::end(constant_names), node.text);
        if (constant != std::end(constant_names)) return Type::real;
        const std::vector<const Symbol*> symbols = scope_.find(node.text);
        for (const Symbol* symbol : symbols) {
            if (symbol->indexes.empty()) return symbol->type;
        }
        if (!symbols.empty()) {
            add(node.span, "'" + node.text + "' is a table", "an index: " + node.text + "[...]");
        } else {
            const bool is_position =
                has_positions_ && (node.text == "i" || node.text == "j") && !scope_.find("q").empty();
            add(node.span, "unknown name '" + node.text + "'", "",
                is_position ? "A query is at q, a key at k, at the distance n = q - k."
                            : core::known_here(node.text, known()));
        }
        return std::nullopt;
    }

    std::optional<Type> index(const Tree& node) {
        const std::vector<const Symbol*> symbols = scope_.find(node.text);
        for (const Symbol* symbol : symbols) {
            if (symbol->indexes.size() != node.children.size() || symbol->indexes.empty()) continue;
            for (std::size_t at = 0; at < node.children.size(); ++at) {
                expect(node.children[at], symbol->indexes[at], "the index of '" + node.text + "'");
            }
            return symbol->type;
        }
        for (const Node& child : node.children) type(child);
        if (symbols.empty()) {
            add(node.span, "unknown name '" + node.text + "'", "", core::known_here(node.text, known()));
        } else if (symbols.front()->indexes.empty()) {
            add(node.span, "'" + node.text + "' is a single value and has no index", "no brackets");
        } else {
            add(node.span, "'" + node.text + "' was given " + std::to_string(node.children.size()) + " indexes",
                std::to_string(symbols.front()->indexes.size()));
        }
        return std::nullopt;
    }

    std::optional<Type> unknown_function(const Tree& node) {
        std::vector<std::string> functions;
        for (const OperatorRow& candidate : operators()) {
            if (candidate.fixity == Fixity::function) functions.emplace_back(candidate.spelling);
        }
        const std::vector<std::string> names = known();
        const bool is_name = std::find(names.begin(), names.end(), node.text) != names.end();
        const std::string other = in_other_words(node.text);
        const std::vector<const Symbol*> symbols = scope_.find(node.text);
        const bool is_table = !symbols.empty() && !symbols.front()->indexes.empty();
        std::string hint = is_table         ? "An index is written in brackets: " + node.text + "[...]."
                           : is_name        ? "A product is written with *: " + node.text + "*(...)."
                           : !other.empty() ? "Write " + other + "."
                                            : core::suggestion(node.text, functions);
        if (hint.empty()) hint = scope_.call_hint;
        add({node.span.offset, node.text.size()}, "unknown function '" + node.text + "'", "", hint);
        for (const Node& child : node.children) type(child);
        return std::nullopt;
    }

    std::optional<Type> operation(const Tree& node) {
        const OperatorRow& operation = row(node.op);
        if (node.op == Op::select) return select(node);
        for (std::size_t at = 0; at < node.children.size(); ++at) {
            const bool left = operation.fixity == Fixity::infix && at == 0;
            const bool right = operation.fixity == Fixity::infix && at == 1;
            const std::string side = left ? "the left side of '" : right ? "the right side of '" : "the argument of '";
            expect(node.children[at], argument_type(operation.arguments[at]),
                   side + std::string(operation.spelling) + "'");
        }
        return operation.result;
    }

    /// Both branches have one type, real or boolean.
    std::optional<Type> select(const Tree& node) {
        expect(node.children[0], Type::boolean, "the condition in if() or before '?'");
        const std::optional<Type> yes = type(node.children[1]);
        const bool is_text = yes == Type::text;
        if (is_text) add(node.children[1]->span, "a text cannot be chosen", "a number");
        if (yes && !is_text)
            expect(node.children[2], *yes, "the other branch");
        else
            type(node.children[2]);
        return is_text ? std::nullopt : yes;
    }

    /// Loops count to 2^63 - 1. A larger number as a bound is an error that is reported before evaluation.
    void check_counted(const Node& bound) {
        if (!free_names(bound).empty() || !indexed_names(bound).empty()) return;
        Node number = simplify(bound);
        if (number->kind == Kind::operation && number->op == Op::negate) number = number->children[0];
        const auto value = number->kind == Kind::number ? numerics::read_rational(number->text) : std::nullopt;
        if (!value || !numerics::is_integer(*value) || numerics::counted(*value)) return;
        add(bound->span, "the bound " + print(bound) + " is beyond 2^63 - 1",
            "an integer up to " + std::to_string(numerics::largest_counted));
    }

    std::optional<Type> reduction(const Tree& node) {
        const std::string name(row(node.op).spelling);
        if (!reserved(node.text).empty() || is_bound(node.text) || !scope_.find(node.text).empty()) {
            add({node.span.offset, name.size()}, "the variable '" + node.text + "' of " + name + " hides a name",
                "a name not yet in use");
        }
        const std::size_t before = problems_.size();
        expect(node.children[0], Type::real, "the first value of " + name);
        expect(node.children[1], Type::real, "the last value of " + name);
        if (problems_.size() == before && !row(node.op).integral)
            for (const Node& bound : {node.children[0], node.children[1]}) check_counted(bound);
        bound_.push_back(node.text);
        expect(node.children[2], row(node.op).result, "the body of " + name);
        bound_.pop_back();
        return row(node.op).result;
    }

    const Scope& scope_;
    bool has_positions_ = false;  ///< both i and j are free names
    const Source& source_;
    core::Problems& problems_;
    std::vector<std::string> bound_;
};

}  // namespace

Scope::Scope(std::vector<std::string> reals) {
    for (std::string& name : reals) add(std::move(name));
}

void Scope::add(std::string name) {
    symbols_.push_back({std::move(name), Type::real, {}});
}

void Scope::add(Symbol symbol) {
    symbols_.push_back(std::move(symbol));
}

std::vector<const Symbol*> Scope::find(std::string_view name) const {
    std::vector<const Symbol*> found;
    for (const Symbol& symbol : symbols_) {
        if (symbol.name == name) found.push_back(&symbol);
    }
    return found;
}

std::vector<std::string> Scope::names() const {
    std::vector<std::string> names;
    for (const Symbol& symbol : symbols_) {
        if (std::find(names.begin(), names.end(), symbol.name) == names.end()) names.push_back(symbol.name);
    }
    return names;
}

std::optional<Type> check(const Node& tree, const Scope& scope, const Source& source, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::optional<Type> type = Checker(tree, scope, source, problems).type(tree);
    return problems.reports() == before ? type : std::nullopt;
}

Node parse_checked(const Source& source, const Scope& scope, Type wanted) {
    Node tree = parse(source);
    core::Problems problems;
    Checker(tree, scope, source, problems).expect(tree, wanted, "the formula");
    problems.raise();
    return tree;
}

}  // namespace farfield::formula
