// LaTeX: the equations, typeset by the printer of formulas.
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

#include "export/module.hpp"
#include "export/targets.hpp"
#include "export/written.hpp"

namespace farfield::exporting {

namespace {

using formula::Node;

struct Equation {
    std::string left;
    Node right;
    Node when;
};

/// A sentence of plain text within LaTeX.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (std::string_view("_#$%&{}").find(c) != std::string_view::npos)
            result += std::string("\\") + c;
        else if (c == '\\')
            result += "\\textbackslash{}";
        else if (c == '~' || c == '^')
            result += (c == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}");
        else
            result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return result;
}

std::vector<Equation> equations_of(const scheme::Scheme& scheme) {
    std::vector<Equation> equations;
    const auto add = [&](const std::string& left, const std::optional<scheme::Piece>& piece) {
        if (!piece) return;
        const Written whole = written(*piece);
        equations.push_back({left, whole.formula, whole.when});
    };
    if (scheme.embed) {
        add("e_{2i}(p)", scheme.embed->even);
        add("e_{2i+1}(p)", scheme.embed->odd);
    }
    if (scheme.rotate) {
        add("\\vartheta_i(p)", scheme.rotate->angle);
        add("s_i(p)", scheme.rotate->scale);
    }
    add(scheme.bias_scaled ? "\\sqrt{d}\\, b_h(q, k)" : "b_h(q, k)", scheme.bias);
    add("\\text{$q$ sees $k$}", scheme.mask);
    add("t(q)", scheme.temperature);
    std::vector<Node> trees;
    for (const Equation& each : equations) {
        trees.push_back(each.right);
        if (each.when) trees.push_back(each.when);
    }
    for (const Let& let : needed_lets(scheme, trees))
        equations.push_back({formula::latex(formula::make_name(let.name)), let.formula, nullptr});
    return equations;
}

bool is_condition(const Node& tree) {
    const bool has_row = tree->kind == formula::Kind::operation || tree->kind == formula::Kind::reduction;
    return has_row && formula::row(tree->op).result == formula::Type::boolean;
}

/// How the parts make a logit.
std::string logit(const scheme::Scheme& scheme) {
    std::string product = "q \\cdot k";
    if (scheme.rotate) product = scheme.rotate->scale ? "(s R q) \\cdot (s^{-1} R k)" : "(R q) \\cdot (R k)";
    if (scheme.relative && scheme.relative->keys) product += " + q \\cdot r_{q-k}";
    std::string text = "\\frac{" + product + "}{\\sqrt{d}}";
    if (scheme.temperature) text = "t(q) \\, " + text;
    if (scheme.bias) text += " + b_h(q, k)";
    return text;
}

std::string relative_line(const scheme::Relative& relative, bool causal) {
    const std::string clip = std::to_string(relative.clip);
    return "r_{n} &= r_{\\min(\\max(n, " + (causal ? std::string("0") : "-" + clip) + "), " + clip +
           ")} \\quad \\text{learned}";
}

}  // namespace

std::string latex_source(const scheme::Scheme& scheme) {
    std::string text = "% " + escaped(scheme.name) + ", written by farfield export --to latex; needs amsmath.\n";
    if (!scheme.doc.empty()) text += escaped(scheme.doc) + "\n";
    if (!scheme.source.empty()) text += "(" + escaped(scheme.source) + ".)\n";
    std::vector<std::string> lines = {"\\mathrm{logit}_h(q, k) &= " + logit(scheme)};
    if (scheme.causal) lines.back() += " \\qquad k \\le q";
    for (const Equation& each : equations_of(scheme)) {
        lines.push_back(each.left + (is_condition(each.right) ? " &\\iff " : " &= ") + formula::latex(each.right));
        if (each.when) lines.back() += " \\qquad \\text{where } " + formula::latex(each.when);
    }
    if (scheme.relative) lines.push_back(relative_line(*scheme.relative, scheme.causal));
    text += "\\begin{align*}\n";
    for (std::size_t at = 0; at < lines.size(); ++at)
        text += "  " + lines[at] + (at + 1 < lines.size() ? " \\\\\n" : "\n");
    text += "\\end{align*}\n";
    std::string values;
    const auto add = [&](const std::string& name, const std::string& rest) {
        values += (values.empty() ? "" : ", ") + ("$" + formula::latex(formula::make_name(name)) + rest);
        if (const std::string meaning = meaning_of(scheme, name); !meaning.empty())
            values += " (" + escaped(meaning) + ")";
    };
    for (const auto& [name, value] : scheme.params) {
        const bool is_infinite = value.ends_with("inf");
        add(name, " = " + (is_infinite ? value.substr(0, value.size() - 3) + "\\infty" : value) + "$");
    }
    for (const scheme::Learned& each : scheme.learn) add(each.name, "$ learned");
    return values.empty() ? text : text + "with " + values + ".\n";
}

}  // namespace farfield::exporting
