// Writes a Python function from formulas: its arguments, their conversion, the names of `let`, and the values.
#include <algorithm>

#include "export/module.hpp"
#include "export/prologue.hpp"
#include "export/written.hpp"

namespace farfield::exporting {

namespace {

using formula::Node;

std::vector<Node> trees_of(const Function& function) {
    std::vector<Node> trees;
    for (const Step& step : function.steps) trees.push_back(step.formula);
    return trees;
}

class FunctionWriter {
public:
    FunctionWriter(const scheme::Scheme& scheme, const Language& language, const Function& function)
        : scheme_(scheme),
          language_(language),
          function_(function),
          prologue_(scheme, language,
                    {trees_of(function), function.positional, function.length, function.width, function.by_head,
                     function.needs_length}) {}

    std::string text() {
        // The values are written first, because they determine what must come before them.
        const std::string values = value_lines();
        const std::string after = function_.after.empty() ? "" : "    " + function_.after + "\n";
        const std::string axes = axis_lines();
        const std::string body =
            first_line() + prologue_.lines(values) + axes + values + after + "    return " + function_.result + "\n";
        return "def " + function_.name + "(" + signature() + "):\n    \"\"\"" + function_.summary + "\"\"\"\n" +
               set_up(language_, body) + body;
    }

private:
    std::string first_line() const {
        if (function_.first.empty() || first_is_number()) return "";
        return "    offset = " + function_.first + " if offset is None else offset\n";
    }

    bool uses(std::string_view name) const { return prologue_.uses(name); }
    bool has(std::string_view argument) const { return among(function_.positional, argument); }

    std::string signature() {
        std::vector<std::string> arguments = function_.positional;
        if (language_.has_parameters && !learned_in(scheme_, function_).empty())
            arguments.insert(arguments.begin(), "parameters");
        std::vector<std::string> keywords = prologue_.keywords();
        if (!function_.first.empty()) keywords.emplace_back(first_is_number() ? "offset=0" : "offset=None");
        keywords.emplace_back(language_.extra);
        const std::string named = joined(keywords);
        return joined(arguments) + (named.empty() ? "" : ", *, " + named);
    }

    bool first_is_number() const { return function_.first == "0"; }

    std::string range(const std::string& first, const std::string& end) const {
        return filled(language_.arange, {first, end});
    }

    std::string integers(const std::string& count) const { return filled(language_.integers, {count}); }
    std::string from_offset(const std::string& count) const { return "offset + " + integers(count); }

    /// Positions are integers until a formula needs them, so that no number type rounds a distance.
    std::string axis_lines() const {
        std::string text;
        const auto add = [&](bool is_used, const std::string& line) {
            if (is_used) text += "    " + line + "\n";
        };
        const auto widened = [&](const std::string& value) { return filled(language_.widened, {value}); };
        add(has("positions"), "pairs = " + pairs_text());
        add(prologue_.has_tables_by_head(), "row = " + integers("heads") + function_.by_head);
        add(uses("h"), "h = " + range("1", "heads + 1") + function_.by_head);
        const bool needs_key = uses("k") || uses("n");
        const bool is_clamped = function_.is_clamped && needs_key;
        const bool is_causal = function_.is_causal;
        if (has("keys")) {
            add(uses("q") || uses("n") || is_clamped || is_causal, "q = (" + from_offset("queries") + ")[:, None]");
            add(needs_key || is_causal, "k = " + integers("keys"));
            add(is_causal, "visible = k <= q");
            add(is_clamped, "k = " + std::string(language_.module) +
                                ".minimum(k, q)  # masked keys count as the query's own: no NaN from them");
            add(uses("n"), "n = " + widened("(q - k)"));
            add(uses("q"), "q = " + widened("q"));
            add(uses("k"), "k = " + widened("k"));
        } else {
            add(uses("q"), "q = " + widened("(" + from_offset("queries") + ")"));
        }
        add(uses("p"), "p = " + widened("(" + from_offset("positions") + ")[:, None]"));
        add(uses("i"), "i = " + range("0", "pairs"));
        return text;
    }

    std::string pairs_text() const {
        return function_.by_head.empty() ? "(width + 1) // 2" : "int(" + function_.width + ") // 2";
    }

    /// Lets and steps; a let that depends on p is written again where p has changed.
    std::string value_lines() {
        std::string text;
        std::vector<std::string> done;
        for (const Step& step : function_.steps) {
            if (!step.before.empty()) {
                text += "    " + step.before + "\n";
                std::erase_if(done, [&](const std::string& name) { return depends_on_position(name); });
            }
            for (const Let& let : needed_lets(scheme_, {step.formula})) {
                if (among(done, let.name)) continue;
                done.push_back(let.name);
                text += "    " + prologue_.names()[let.name] + " = " + array_text(let.formula) + "\n";
            }
            text += "    " + step.name + " = " + array_text(step.formula) + "\n";
        }
        return text;
    }

    bool depends_on_position(const std::string& let) const {
        return among(used_names(scheme_, {formula::make_name(let)}), "p");
    }

    std::string array_text(const Node& tree) {
        const Expression expression = prologue_.writer().write(with_finite_gradients(scheme_, language_, tree));
        return expression.is_number ? std::string(language_.lift) + "(" + expression.text + ")" : expression.text;
    }

    const scheme::Scheme& scheme_;
    const Language& language_;
    const Function& function_;
    Prologue prologue_;
};

}  // namespace

std::string set_up(const Language& language, const std::string& body) {
    if (language.set_up.empty()) return "";
    const std::string lift = std::string(language.lift) + "(";
    const std::string number = body.find(lift) != std::string::npos ? "    " + std::string(language.set_up) + "\n" : "";
    const bool is_wide =
        (number + body).find("wide)") != std::string::npos || (number + body).find("=wide") != std::string::npos;
    return (is_wide ? "    " + std::string(language.arithmetic) + "\n" : "") + number;
}

std::string learned_shape(const scheme::Learned& learned) {
    std::vector<std::string> axes;
    if (learned.per_layer) axes.emplace_back("layers");
    if (learned.per_head) axes.emplace_back("heads");
    if (learned.size > 0) axes.push_back(std::to_string(learned.size));
    return "(" + joined(axes) + (axes.size() == 1 ? ",)" : ")");
}

std::vector<const scheme::Learned*> learned_in(const scheme::Scheme& scheme, const Function& function) {
    const std::vector<std::string> used = used_names(scheme, trees_of(function));
    std::vector<const scheme::Learned*> learned;
    for (const scheme::Learned& each : scheme.learn)
        if (among(used, each.name)) learned.push_back(&each);
    return learned;
}

std::string function_text(const scheme::Scheme& scheme, const Language& language, const Function& function) {
    return FunctionWriter(scheme, language, function).text();
}

}  // namespace farfield::exporting
