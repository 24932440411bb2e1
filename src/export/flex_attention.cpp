// FlexAttention: score_mod and mask_mod for torch.nn.attention.flex_attention. Values that depend only on the head are
// computed once before. A learned number is a tensor with one entry per head, because FlexAttention differentiates
// tensors.
#include <algorithm>
#include <farfield/core/diagnostic.hpp>

#include "export/learned.hpp"
#include "export/module.hpp"
#include "export/prologue.hpp"
#include "export/targets.hpp"
#include "export/written.hpp"

namespace farfield::exporting {

namespace {

using formula::Kind;
using formula::Node;

/// What a formula's value depends on.
enum class Level { number, head, position };

/// Writes one of the two closures and the function that makes it.
class ClosureWriter {
public:
    ClosureWriter(const scheme::Scheme& scheme, std::vector<Node> trees)
        : scheme_(scheme),
          trees_(guarded_trees(scheme, std::move(trees))),
          prologue_(scheme, torch_language(), {trees_, {}, "", "head_dim", "", false, true}) {}

    /// `values` gives the lines of the closure from the texts of the formulas.
    std::string text(const std::string& name, const std::string& summary, std::vector<std::string> positional,
                     const std::string& arguments, const std::vector<std::string>& values) {
        prologue_.writer().set_row("head");
        prologue_.writer().set_closures_of("flex-attention");
        const std::string lets = inner_lets();
        std::vector<std::string> texts;
        for (const Node& tree : trees_) texts.push_back(inner(tree).text);
        std::string body = inner_axes(lets + joined(texts)) + lets;
        for (const std::string& line : values) body += "        " + filled(line, texts) + "\n";
        prologue_.writer().set_row("row");
        prologue_.writer().set_closures_of("");
        const std::string outer = outer_lines();
        const std::string before = prologue_.lines(outer + direct_words()) + outer_axes(outer) + outer;
        const std::string all = before + body;
        for (std::string keyword : prologue_.keywords()) positional.push_back(std::move(keyword));
        return "def make_" + name + "(" + signature(positional) + "):\n    \"\"\"" + summary + "\"\"\"\n" +
               set_up(torch_language(), all) + before + "\n    def " + name + "(" + arguments + "):\n" + body +
               "\n    return " + name + "\n\n\n";
    }

    bool uses(std::string_view name) const { return prologue_.uses(name); }

private:
    static std::vector<Node> guarded_trees(const scheme::Scheme& scheme, std::vector<Node> trees) {
        for (Node& tree : trees) tree = with_finite_gradients(scheme, torch_language(), tree);
        return trees;
    }

    static std::string signature(std::vector<std::string> keywords) {
        keywords.emplace_back("offset=0");
        keywords.emplace_back(torch_language().extra);
        return "*, " + joined(keywords);
    }

    Level level(const Node& tree) const {
        Level highest = Level::number;
        std::vector<std::string> names = formula::free_names(tree);
        const std::vector<std::string> tables = formula::indexed_names(tree);
        names.insert(names.end(), tables.begin(), tables.end());
        for (const std::string& name : names) highest = std::max(highest, level_of(name));
        return highest;
    }

    Level level_of(const std::string& name) const {
        for (const Let& let : needed_lets(scheme_, trees_))
            if (let.name == name) return level(let.formula);
        if (name == "h" || find_learned(scheme_, name)) return Level::head;
        const bool is_param = std::any_of(scheme_.params.begin(), scheme_.params.end(),
                                          [&](const auto& each) { return each.first == name; });
        const std::vector<std::string> numbers = {"H", "d", "L", "Ltr", "layer", "R", "pi", "e", "inf"};
        return is_param || among(numbers, name) ? Level::number : Level::position;
    }

    bool is_boolean(const Node& tree) const { return exporting::is_boolean(scheme_, tree); }

    /// A part of the closure's formula: what does not depend on positions is computed before.
    std::optional<Expression> instead(const Node& tree) {
        const bool is_constant = tree->kind == Kind::name && among({"pi", "e", "inf"}, tree->text);
        if (tree->kind == Kind::number || is_constant) return std::nullopt;
        const Level own = level(tree);
        if (own == Level::number) return Expression{before(tree, own), an_atom, is_boolean(tree), is_boolean(tree)};
        if (own == Level::head) return Expression{before(tree, own) + "[head]", an_atom, false};
        const bool chooses = tree->kind == Kind::operation && tree->op == formula::Op::select &&
                             level(tree->children[0]) == Level::number;
        if (!chooses) return std::nullopt;
        return Expression{"(" + tensor(tree->children[1]) + " if " + before(tree->children[0], Level::number) +
                              " else " + tensor(tree->children[2]) + ")",
                          an_atom, false};
    }

    Expression inner(const Node& tree) {
        return prologue_.writer().write(tree, [this](const Node& part) { return instead(part); });
    }

    /// Only one branch of a choice is computed, and it may be a number.
    std::string tensor(const Node& tree) {
        const Expression expression = inner(tree);
        return expression.is_number ? "number(" + expression.text + ")" : expression.text;
    }

    struct Before {
        Node tree;
        std::string name;
    };

    /// The name of a value that is computed before the closure.
    std::string before(const Node& tree, Level own) {
        const bool is_tensor = tree->kind == Kind::name && (own == Level::head || !is_boolean(tree));
        if (is_tensor && tree->text != "h") {
            if (!among(direct_, tree->text)) direct_.push_back(tree->text);
            return prologue_.names()[tree->text];
        }
        for (const Before& each : before_)
            if (formula::equal(each.tree, tree)) return each.name;
        const std::string number = std::to_string(before_.size() + 1);
        before_.push_back({tree, (own == Level::head ? "by_head" : "plain") + number});
        return before_.back().name;
    }

    /// The closure's names for values that are computed before it, as text.
    std::string direct_words() {
        std::string words;
        for (const std::string& name : direct_) words += " " + prologue_.names()[name];
        return words;
    }

    /// Lets that depend on positions are in the closure, in order.
    std::string inner_lets() {
        std::string text;
        for (const Let& let : needed_lets(scheme_, trees_))
            if (level(let.formula) == Level::position)
                text += "        " + prologue_.names()[let.name] + " = " +
                        inner(with_finite_gradients(scheme_, torch_language(), let.formula)).text + "\n";
        return text;
    }

    std::string inner_axes(const std::string& body) const {
        std::string text;
        const bool has_n = uses("n");
        const bool is_mask = trees_.empty() || is_boolean(trees_.front());
        const bool is_clamped = !is_mask && scheme_.causal;
        const bool has_k = uses("k") || has_n;
        if (uses("q") || has_n || (is_clamped && has_k)) text += "        q = q_idx + offset\n";
        if (has_k) text += "        k = kv_idx\n";
        if (has_k && is_clamped)
            text += "        k = torch.minimum(k, q)  # masked keys count as the query's own: no NaN from them\n";
        if (has_n) text += "        n = (q - k).to(wide)\n";
        if (uses("q")) text += "        q = q.to(wide)\n";
        if (uses("k")) text += "        k = k.to(wide)\n";
        return body.empty() ? "" : text;
    }

    /// Lets that the values before the closure need, and these values.
    std::string outer_lines() {
        std::vector<Node> needed;
        for (const Before& each : before_) needed.push_back(each.tree);
        for (const std::string& name : direct_) needed.push_back(formula::make_name(name));
        std::string text;
        for (const Let& let : needed_lets(scheme_, needed))
            text += "    " + prologue_.names()[let.name] + " = " +
                    outer(with_finite_gradients(scheme_, torch_language(), let.formula)) + "\n";
        for (const Before& each : before_) {
            const bool by_head = level(each.tree) == Level::head;
            const std::string value = outer(each.tree);
            const std::string spread = "torch.broadcast_to(" + value + ", (heads,)).contiguous()";
            // A float would become a symbol of the compiler, which FlexAttention does not accept.
            const std::string single = is_boolean(each.tree) ? "bool(" + value + ")" : value;
            text += "    " + each.name + " = " + (by_head ? spread : single) + "\n";
        }
        return text;
    }

    std::string outer(const Node& tree) {
        const Expression expression = prologue_.writer().write(tree);
        return expression.is_number ? "number(" + expression.text + ")" : expression.text;
    }

    std::string outer_axes(const std::string& outer_text) const {
        std::string text;
        if (outer_text.find(", row)") != std::string::npos) text += "    row = torch.arange(heads, device=device)\n";
        if (uses("h")) text += "    h = torch.arange(1, heads + 1, dtype=wide, device=device)\n";
        return text;
    }

    const scheme::Scheme& scheme_;
    std::vector<Node> trees_;
    Prologue prologue_;
    std::vector<Before> before_;
    std::vector<std::string> direct_;
};

bool has_score(const scheme::Scheme& scheme) {
    return scheme.bias || scheme.temperature || (scheme.relative && scheme.relative->keys);
}

std::string class_scores_text() {
    return "def class_scores(q, vectors):\n    \"\"\"q . vectors / sqrt(head_dim), [batch, heads, queries, classes], "
           "for make_score_mod.\"\"\"\n    return q @ vectors.T / math.sqrt(q.shape[-1])\n\n\n";
}

std::string score_mod_text(const scheme::Scheme& scheme) {
    std::vector<Node> trees;
    std::vector<std::string> lines;
    std::vector<std::string> positional;
    if (scheme.relative && scheme.relative->keys) {
        const std::string clip = std::to_string(scheme.relative->clip);
        const std::string classes = scheme.causal ? "0, " + clip + ")" : "-" + clip + ", " + clip + ") + " + clip;
        positional.emplace_back("scores");
        lines.push_back("score = score + scores[batch, head, q_idx, torch.clip(q_idx + offset - kv_idx, " + classes +
                        "]");
    }
    if (scheme.temperature) {
        trees.push_back(guarded(*scheme.temperature, "1"));
        lines.push_back("score = score * (#" + std::to_string(trees.size()) + ")");
    }
    if (scheme.bias) {
        trees.push_back(written_bias(scheme));
        lines.push_back("score = score + (#" + std::to_string(trees.size()) + ")");
    }
    lines.emplace_back("return score");
    if (trees.empty()) trees.push_back(formula::make_number("0"));
    ClosureWriter writer(scheme, trees);
    return writer.text("score_mod",
                       "score_mod(score, b, h, q_idx, kv_idx) of FlexAttention, whose score is q . k already divided "
                       "by sqrt(head_dim).",
                       positional, "score, batch, head, q_idx, kv_idx", lines);
}

std::string mask_mod_text(const scheme::Scheme& scheme) {
    std::vector<Node> trees;
    if (scheme.mask) trees.push_back(written_mask(scheme));
    const std::string visible = scheme.causal ? "kv_idx <= q_idx + offset" : "kv_idx == kv_idx";
    const std::string both = scheme.causal ? "(" + visible + ") & (#1)" : "#1";
    ClosureWriter writer(scheme, trees);
    return writer.text("mask_mod",
                       "mask_mod(b, h, q_idx, kv_idx) of FlexAttention: True where a key is visible to a query.", {},
                       "batch, head, q_idx, kv_idx", {"return " + (scheme.mask ? both : visible)});
}

void refuse_values(const scheme::Scheme& scheme) {
    if (!scheme.relative || !scheme.relative->values) return;
    throw core::UserError({core::Diagnostic{
        {},
        "'relative' of scheme '" + scheme.name + "' adds vectors to values, which flex-attention cannot do",
        "relative = { values = false }",
        "--to torch has them: score_mod receives scores, not values."}});
}

std::string learned_class(const scheme::Scheme& scheme) {
    if (!learns(scheme)) return "";
    std::string text = module_head(scheme);
    const auto add_maker = [&](const std::string& name, const std::vector<Node>& trees) {
        Function whole;
        whole.name = name;
        for (const Node& tree : trees) whole.steps.push_back({"values", tree});
        if (learned_in(scheme, whole).empty()) return;
        const std::string first = "self." + attribute(scheme.learn.front());
        text += "\n    def " + name + "(self, **settings):\n        settings = {" +
                (needs_heads(scheme) ? "\"heads\": self.heads, " : "") + "\"dtype\": " + first +
                ".dtype, \"device\": " + first + ".device} | settings\n        return " + name + "(" +
                handed_on(scheme, whole) + ", **settings)\n";
    };
    std::vector<Node> of_score;
    if (scheme.bias) of_score.push_back(written_bias(scheme));
    if (scheme.temperature) of_score.push_back(guarded(*scheme.temperature, "1"));
    add_maker("make_score_mod", of_score);
    if (scheme.mask) add_maker("make_mask_mod", {written_mask(scheme)});
    for (const Function& function : functions_of(scheme, torch_language()))
        if (function.name == "rotation" && !learned_in(scheme, function).empty()) text += method(scheme, function);
    return text + vector_methods(scheme, true);
}

}  // namespace

std::string flex_attention_source(const scheme::Scheme& scheme) {
    refuse_values(scheme);
    const Language& language = torch_language();
    std::string body;
    for (const Function& function : functions_of(scheme, language))
        if (function.name == "embedding" || function.name == "rotation")
            body += function_text(scheme, language, function) + "\n\n";
    scheme::Scheme outside = scheme;
    outside.relative.reset();
    body += application_text(outside, language);
    if (scheme.relative) body += class_scores_text();
    if (has_score(scheme)) body += score_mod_text(scheme);
    body += mask_mod_text(scheme) + learned_class(scheme);
    const std::string note =
        "flex_attention(q, k, v, score_mod=make_score_mod(...), block_mask=create_block_mask(make_mask_mod(...), B, H, "
        "Q_LEN, KV_LEN))\n" +
        std::string(scheme.rotate ? "Rotate q and k first.\n" : "") +
        "FlexAttention divides q . k by sqrt(head_dim) before score_mod, so that the bias is added to the quotient.\n" +
        "offset is the position of the first query.\n" + (learns(scheme) ? module_note(scheme) : "");
    return assembled(language, module_docstring(scheme, "flex-attention", note), body);
}

}  // namespace farfield::exporting
