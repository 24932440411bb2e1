// LaTeX: the equations, typeset by the printer of formulas.
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/context.hpp>

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

/// A sentence of plain text, escaped for LaTeX.
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
        if (const std::optional<scheme::FarRotation>& far = scheme.rotate->far) {
            add("\\text{$(q, k)$ is far}", far->where);
            add("\\alpha_i(p)", far->query);
            add("\\beta_i(p)", far->key ? far->key : scheme.rotate->angle);
        }
        add("s_i(p)", scheme.rotate->scale);
    }
    add(scheme.bias_scaled ? "\\sqrt{d}\\, b_h(q, k)" : "b_h(q, k)", scheme.bias);
    add("\\text{$k$ is visible to $q$}", scheme.mask);
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

/// The equation of the logit from the parts.
std::string logit(const scheme::Scheme& scheme) {
    std::string product = "\\mathbf{q} \\cdot \\mathbf{k}";
    if (scheme.rotate) product = "(R_q \\mathbf{q}) \\cdot (R_k \\mathbf{k})";
    if (scheme.rotate && scheme.rotate->scale) product = "(S_q R_q \\mathbf{q}) \\cdot (S_k^{-1} R_k \\mathbf{k})";
    if (scheme.relative && scheme.relative->keys) product += " + \\mathbf{q} \\cdot \\mathbf{r}_{q-k}";
    std::string text = "\\frac{" + product + "}{\\sqrt{d}}";
    if (scheme.temperature) text = "t(q) \\, " + text;
    if (scheme.bias) text += " + b_h(q, k)";
    return text;
}

/// The pairs of dimensions of a rotation, as LaTeX.
std::string pairs_text(const scheme::Rotation& rotation) {
    if (rotation.pairs == scheme::Pairs::interleaved) return "$2i$ and $2i + 1$";
    return rotation.fraction == 1 ? "$i$ and $i + d/2$" : "$i$ and $i$ plus half of the rotated dimensions";
}

std::string origin_text(scheme::Origin origin) {
    if (origin == scheme::Origin::start) return "";
    return origin == scheme::Origin::centre ? ", with $p$ counted from the centre of the sequence"
                                            : ", with $p$ counted from the end of the sequence";
}

/// Every symbol that the equations use but do not define.
std::string definitions(const scheme::Scheme& scheme, const std::vector<Equation>& equations) {
    std::vector<Node> trees;
    for (const Equation& each : equations) {
        trees.push_back(each.right);
        if (each.when) trees.push_back(each.when);
    }
    std::vector<std::string> all = {
        "$\\mathbf{q}$ and $\\mathbf{k}$ are the query and key vectors of a head, $d$ is their dimension",
        "$q$ and $k$ are their positions, counted from 0"};
    for (const Variable& each : variables_of(scheme, trees)) {
        const bool is_known = each.name == "q" || each.name == "k" || (each.name == "d" && !scheme.embed);
        if (is_known) continue;
        const std::string meaning = each.name == "n" ? "the distance $q - k$" : "the " + std::string(each.meaning);
        all.push_back("$" + formula::latex(formula::make_name(std::string(each.name))) + "$ is " + meaning);
    }
    if (scheme.rotate)
        all.push_back("$R_p$ rotates the dimensions " + pairs_text(*scheme.rotate) + " by the angle $\\vartheta_i(p)$");
    if (scheme.rotate && scheme.rotate->far)
        all.emplace_back(
            "where $(q, k)$ is far, the rotation angles of $\\mathbf{q}$ and $\\mathbf{k}$ are $\\alpha_i(q)$ and "
            "$\\beta_i(k)$ instead");
    if (scheme.rotate && scheme.rotate->values)
        all.push_back("each cosine and sine $x$ of $R_p$ is $" +
                      formula::latex(scheme::wave_value(scheme, formula::make_name("x"))) + "$");
    if (scheme.rotate && scheme.rotate->scale)
        all.push_back("$S_p$ multiplies them by $s_i(p)$" + origin_text(scheme.rotate->origin));
    if (scheme.embed) all.emplace_back("$e_j(p)$ is added to dimension $j$ of the token embedding");
    if (scheme.relative) all.emplace_back("$\\mathbf{r}_n$ is a learned vector");
    if (scheme.relative && scheme.relative->values)
        all.emplace_back("another such vector is added to each value vector");
    if (scheme.bias) all.emplace_back("$b_h$ is the bias of head $h$");
    if (scheme.temperature) all.emplace_back("$t(q)$ is the temperature");
    std::string text;
    for (const std::string& each : all) text += (text.empty() ? "Here " : ";\n") + each;
    return text + ".\n";
}

std::string relative_line(const scheme::Relative& relative, bool causal) {
    const std::string clip = std::to_string(relative.clip);
    return "\\mathbf{r}_{n} &= \\mathbf{r}_{\\min(\\max(n, " + (causal ? std::string("0") : "-" + clip) + "), " + clip +
           ")} \\quad \\text{learned}";
}

}  // namespace

std::string latex_source(const scheme::Scheme& scheme) {
    std::string text = "% " + escaped(scheme.name) + ", written by farfield export --to latex; needs amsmath.\n";
    if (!scheme.doc.empty()) text += escaped(scheme.doc) + "\n";
    if (!scheme.source.empty()) text += "(" + escaped(scheme.source) + ".)\n";
    std::vector<std::string> lines = {"\\mathrm{logit}_h(q, k) &= " + logit(scheme)};
    if (scheme.causal) lines.back() += " \\qquad k \\le q";
    const std::vector<Equation> equations = equations_of(scheme);
    for (const Equation& each : equations) {
        lines.push_back(each.left + (is_condition(each.right) ? " &\\iff " : " &= ") + formula::latex(each.right));
        if (each.when) lines.back() += " \\qquad \\text{where } " + formula::latex(each.when);
    }
    if (scheme.relative) lines.push_back(relative_line(*scheme.relative, scheme.causal));
    text += "\\begin{align*}\n";
    for (std::size_t at = 0; at < lines.size(); ++at)
        text += "  " + lines[at] + (at + 1 < lines.size() ? " \\\\\n" : "\n");
    text += "\\end{align*}\n" + definitions(scheme, equations);
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
    return values.empty() ? text : text + "The parameters are " + values + ".\n";
}

}  // namespace farfield::exporting
