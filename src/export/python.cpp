#include "export/python.hpp"

#include <algorithm>
#include <array>

#include "export/prologue.hpp"

namespace farfield::exporting {

namespace {

using formula::Kind;
using formula::Node;
using formula::Op;

// Python's keywords, functions that the source calls, and all names that the source itself defines.
constexpr std::string_view taken[] = {
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "float",
    "int",
    "sum",
    "abs",
    "min",
    "max",
    "np",
    "torch",
    "jax",
    "jnp",
    "math",
    "functools",
    "fractions",
    "operator",
    "number",
    "dtype",
    "device",
    "self",
    "heads",
    "queries",
    "keys",
    "positions",
    "pairs",
    "head_dim",
    "width",
    "length",
    "train_length",
    "layers",
    "row",
    "visible",
    "wide",
    "first",
    "pair",
    "values",
    "parameters",
    "offset",
    "score",
    "scores",
    "round",
    "batch",
    "head",
    "q_idx",
    "kv_idx",
    "angle",
    "scale",
    "even",
    "odd",
    "relative",
    "bias",
    "mask",
    "temperature",
    "rotation",
    "rotate",
    "far",
    "far_rotation",
    "rotate_far",
    "query_cosine",
    "query_sine",
    "key_cosine",
    "key_sine",
    "embedding",
    "score_mod",
    "mask_mod",
    "make_score_mod",
    "make_mask_mod",
    "initial_parameters",
    "Learned",
    "learned",
};

bool is_taken(std::string_view name) {
    return std::find(std::begin(taken), std::end(taken), name) != std::end(taken);
}

/// terms1, edges2, by_head3, plain4, whole5: names that are numbered in the order of their use.
bool is_numbered(std::string_view name) {
    constexpr std::array<std::string_view, 5> stems = {"terms", "edges", "by_head", "plain", "whole"};
    return std::any_of(stems.begin(), stems.end(), [&](std::string_view stem) {
        return name.starts_with(stem) && name.size() > stem.size() &&
               std::all_of(name.begin() + static_cast<std::ptrdiff_t>(stem.size()), name.end(),
                           [](char c) { return c >= '0' && c <= '9'; });
    });
}

}  // namespace

std::string Identifiers::operator[](const std::string& name) {
    if (const auto found = known_.find(name); found != known_.end()) return found->second;
    // Names that begin with an underscore are reserved for the source and Python.
    std::string text = name.starts_with('_') ? "u" + name : name;
    const auto is_used = [&] {
        return std::any_of(known_.begin(), known_.end(), [&](const auto& each) { return each.second == text; });
    };
    while (is_taken(text) || is_numbered(text) || is_used()) text += '_';
    return known_[name] = text;
}

std::string python_number(const std::string& decimal) {
    if (decimal == "inf" || decimal == "-inf") return "float(\"" + decimal + "\")";
    const bool is_whole = decimal.find_first_of(".eE") == std::string::npos;
    return is_whole ? decimal + ".0" : decimal;
}

std::string within(const Expression& expression, Precedence least) {
    return expression.precedence < least ? "(" + expression.text + ")" : expression.text;
}

std::string filled(std::string_view text, const std::vector<std::string>& values) {
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_slot = text[at] == '#' && at + 1 < text.size() && text[at + 1] >= '1' && text[at + 1] <= '9';
        if (!is_slot) {
            result += text[at];
            continue;
        }
        const auto index = static_cast<std::size_t>(text[++at] - '1');
        if (index < values.size()) result += values[index];
    }
    return result;
}

PythonWriter::PythonWriter(const Language& language, Identifiers& names, Plain plain)
    : language_(language), names_(names), plain_(std::move(plain)) {}

Expression PythonWriter::write(const Node& tree, const Instead& instead) {
    if (instead) {
        if (const std::optional<Expression> other = instead(tree)) return *other;
    }
    switch (tree->kind) {
        case Kind::number: return {python_number(tree->text), an_atom, true};
        case Kind::name:
            if (tree->text == "pi") return {std::string(language_.pi), an_atom, true};
            if (tree->text == "e") return {std::string(language_.e), an_atom, true};
            if (tree->text == "inf") return {std::string(language_.inf), an_atom, true};
            return {names_[tree->text]};
        case Kind::index: return entry(tree, instead);
        case Kind::reduction: return reduction(tree, instead);
        default: return operation(tree, instead);
    }
}

std::string PythonWriter::as_array(const Expression& expression) const {
    return std::string(language_.lift) + "(" + expression.text + ")";
}

const Translation& PythonWriter::translation_of(formula::Op op) const {
    const Translation& translation = language_.translations[static_cast<std::size_t>(op)];
    if (!translation.text.empty()) return translation;
    throw core::UserError({core::Diagnostic{
        {},
        "'" + std::string(formula::row(op).spelling) + "' cannot be exported to " + std::string(language_.target),
        "a function that the library has",
        {}}});
}

Expression PythonWriter::operation(const Node& tree, const Instead& instead) {
    if (tree->op == Op::t5_bucket) return bucket(tree, instead);
    const Translation& translation = translation_of(tree->op);
    std::vector<Expression> arguments;
    for (const Node& child : tree->children) arguments.push_back(write(child, instead));
    const bool all_numbers =
        std::all_of(arguments.begin(), arguments.end(), [](const Expression& argument) { return argument.is_number; });
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const Expression& argument = arguments[at];
        const bool is_lifted =
            argument.is_number && !argument.is_boolean &&
            (translation.arrays == Arrays::all || (translation.arrays == Arrays::one && all_numbers && at == 0));
        const Precedence least = at == 0 ? translation.left : translation.right;
        texts.push_back(is_lifted ? as_array(argument) : within(argument, least));
    }
    return {filled(translation.text, texts), translation.precedence, all_numbers && translation.arrays == Arrays::none};
}

Expression PythonWriter::entry(const Node& tree, const Instead& instead) {
    const Expression index = write(tree->children[0], instead);
    const std::string row = among(tables_by_head_, tree->text) ? ", " + row_ : "";
    return {"_entry(" + names_[tree->text] + ", " + (index.is_number ? as_array(index) : index.text) + row + ")"};
}

namespace {

constexpr std::string_view common_helpers = R"(def _inverse_softplus(value):
    """What softplus makes `value` of."""
    return value + math.log(-math.expm1(-value))


def _integers(first, last):
    """The whole numbers from `first` to `last`, both included."""
    if first != math.floor(first) or last != math.floor(last):
        raise ValueError(f"a sum from {first} to {last}: its bounds are whole numbers")
    return range(int(first), int(last) + 1)


def _t5_edges(buckets, max_distance):
    """How many distances have a bucket each, then the smallest distance of every further bucket but the first.

    Bucket near + j begins where (n/near)^far = (max_distance/near)^j; exact fractions decide which double that is.
    """
    if buckets != math.floor(buckets) or buckets < 2 or not buckets // 2 < max_distance < math.inf:
        raise ValueError(f"{buckets} buckets up to the distance {max_distance}: no buckets of T5")
    near, far = int(buckets) // 2, int(buckets) - int(buckets) // 2
    edges = []
    for j in range(1, far):
        reached = fractions.Fraction(max_distance) ** j * near ** (far - j)
        edge = near * (max_distance / near) ** (j / far)
        while fractions.Fraction(edge) ** far >= reached:
            edge = math.nextafter(edge, 0.0)
        while fractions.Fraction(edge) ** far < reached:
            edge = math.nextafter(edge, math.inf)
        edges.append(edge)
    return [float(near), *edges])";

std::vector<std::string_view> split_helpers(std::string_view text) {
    constexpr std::string_view between = "\n\n\n";
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(between), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + between.size(), text.size()));
    }
    return all;
}

std::string name_of(std::string_view helper) {
    const std::size_t from = helper.find("def ") + 4;
    return std::string(helper.substr(from, helper.find('(', from) - from));
}

}  // namespace

std::string helpers_in(const Language& language, const std::string& source) {
    std::vector<std::string_view> all = split_helpers(common_helpers);
    const std::vector<std::string_view> own = split_helpers(language.helpers);
    all.insert(all.end(), own.begin(), own.end());
    // Each helper may call the helpers before it.
    std::string callers = source;
    std::string text;
    for (auto helper = all.rbegin(); helper != all.rend(); ++helper) {
        if (callers.find(name_of(*helper) + "(") == std::string::npos) continue;
        callers += *helper;
        text.insert(0, "\n\n\n").insert(0, *helper);
    }
    return text;
}

}  // namespace farfield::exporting
