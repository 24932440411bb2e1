// The docstring of the source: the scheme in words and formulas.
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

#include "export/module.hpp"
#include "export/written.hpp"

namespace farfield::exporting {

namespace {

using formula::Node;

struct NamedPiece {
    std::string name;
    const scheme::Piece* piece;
};

std::vector<NamedPiece> pieces_of(const scheme::Scheme& scheme) {
    std::vector<NamedPiece> pieces;
    const auto add = [&](const std::string& name, const std::optional<scheme::Piece>& piece) {
        if (piece) pieces.push_back({name, &*piece});
    };
    if (scheme.embed) {
        add("embedding, dimension 2i", scheme.embed->even);
        add("embedding, dimension 2i + 1", scheme.embed->odd);
    }
    if (scheme.rotate) {
        pieces.push_back({"angle", &scheme.rotate->angle});
        if (const std::optional<scheme::FarRotation>& far = scheme.rotate->far) {
            pieces.push_back({"far", &far->where});
            pieces.push_back({"far angle of queries", &far->query});
            pieces.push_back({"far angle of keys", far->key ? &*far->key : &scheme.rotate->angle});
        }
        add("scale", scheme.rotate->scale);
    }
    add(scheme.bias_scaled ? "bias * sqrt(d)" : "bias", scheme.bias);
    add("mask", scheme.mask);
    add("temperature", scheme.temperature);
    return pieces;
}

std::string formula_lines(const scheme::Scheme& scheme) {
    std::string text;
    std::vector<Node> trees;
    for (const NamedPiece& each : pieces_of(scheme)) {
        const Written whole = written(*each.piece);
        text += "    " + each.name + " = " + formula::print(whole.formula) + "\n";
        if (whole.when) text += "        where " + formula::print(whole.when) + "\n";
        trees.push_back(whole.formula);
        if (whole.when) trees.push_back(whole.when);
    }
    if (scheme.rotate && scheme.rotate->values)
        text += "    cosine and sine = " + formula::print(scheme.rotate->values) + " of it\n";
    for (const Let& let : needed_lets(scheme, trees))
        text += "    " + let.name + " = " + formula::print(let.formula) + "\n";
    return text.empty() ? "" : text + "\n";
}

std::string variables_line(const scheme::Scheme& scheme) {
    std::vector<Node> trees;
    for (const NamedPiece& each : pieces_of(scheme)) {
        const Written whole = written(*each.piece);
        trees.push_back(whole.formula);
        if (whole.when) trees.push_back(whole.when);
    }
    std::string text;
    for (const Variable& each : variables_of(scheme, trees))
        text.append(text.empty() ? "" : "; ").append(each.name).append(": ").append(each.meaning);
    return text.empty() ? "" : "Positions count from 0. " + text + ".\n\n";
}

std::string per_text(const scheme::Learned& learned) {
    if (learned.per_layer && learned.per_head) return "a layer and head";
    if (learned.per_layer) return "a layer";
    return learned.per_head ? "a head" : "in all";
}

/// The rest of a name's line.
std::string rest_of_line(const scheme::Scheme& scheme, const std::string& name) {
    const std::string meaning = meaning_of(scheme, name);
    return meaning.empty() ? "\n" : " (" + meaning + ")\n";
}

std::string parameter_lines(const scheme::Scheme& scheme) {
    std::string text;
    for (const auto& [name, value] : scheme.params)
        text.append("    ").append(name).append(" = ").append(value).append(rest_of_line(scheme, name));
    if (!text.empty()) text = "Parameters:\n" + text + "\n";
    std::string learned;
    for (const scheme::Learned& each : scheme.learn) {
        learned += "    " + each.name + ", ";
        learned += each.size > 0 ? std::to_string(each.size) + " values " : "one ";
        learned += per_text(each) + ", starting at " + formula::print(formula::make_number(each.init));
        if (each.positive) learned += ", kept above zero by softplus";
        learned += rest_of_line(scheme, each.name);
    }
    return learned.empty() ? text : text + "Learned:\n" + learned + "\n";
}

/// The lines that explain how the parts are used together.
std::string use_lines(const scheme::Scheme& scheme) {
    std::string product = "q . k";
    if (scheme.rotate) product = "rotated q . rotated k";
    if (scheme.rotate && scheme.rotate->far) product = "(far ? q . k of rotate_far : q . k of rotate)";
    if (scheme.relative && scheme.relative->keys) product = "(" + product + " + relative_scores)";
    std::string logit = product + " / sqrt(head_dim)";
    if (scheme.temperature) logit = "temperature * " + logit;
    if (scheme.bias) logit += " + bias";
    std::string text = "logit = " + logit + " where mask, else -inf.\n";
    if (scheme.embed) text = "embedding is added to the token embedding. " + text;
    if (scheme.relative && scheme.relative->values) text += "relative_values are added to what attention gives.\n";
    if (scheme.bias_scaled) text += "The bias is written before the division by sqrt(d); bias() has divided it.\n";
    return text;
}

}  // namespace

std::string in_docstring(const std::string& text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\\' || c == '"')
            result += std::string("\\") + c;
        else if ((code < 0x20 && c != '\n') || code == 0x7f)
            result += std::string("\\x") + digits[code >> 4] + digits[code & 15];
        else
            result += c;
    }
    return result;
}

std::string description(const scheme::Scheme& scheme) {
    std::string text = scheme.name + (scheme.doc.empty() ? "" : ": " + scheme.doc) + "\n\n";
    if (!scheme.source.empty()) text += "Source: " + scheme.source + "\n\n";
    return text + formula_lines(scheme) + variables_line(scheme) + parameter_lines(scheme);
}

std::string module_docstring(const scheme::Scheme& scheme, const std::string& target, const std::string& more) {
    return "\"\"\"" +
           in_docstring(description(scheme) + use_lines(scheme) + (more.empty() ? "" : "\n" + more) +
                        "\nWritten by `farfield export " + scheme.name + " --to " + target + "`.\n") +
           "\"\"\"\n";
}

}  // namespace farfield::exporting
