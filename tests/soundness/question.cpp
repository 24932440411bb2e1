// A question as the text of a study.
#include <cctype>

#include "soundness/generator.hpp"

namespace farfield::soundness {
namespace {

std::string key(const std::string& name, const std::string& text) {
    return text.empty() ? "" : name + " = \"" + text + "\"\n";
}

std::string sides_of(const std::vector<Side>& over) {
    std::string sides;
    for (const Side& side : over) {
        sides += (sides.empty() ? " " : ", ") + side.name + " = ";
        if (side.is_grid())
            sides += "{ from = " + side.from + ", to = " + side.to + ", step = " + side.step + " }";
        else
            sides += "[" + side.from + ", " + side.to + "]";
    }
    return "{" + sides + " }\n";
}

std::string grid_of(const Side& side) {
    return "{ from = " + side.from + ", to = " + side.to + ", step = " + side.step + " }\n";
}

std::string list_of(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "\"" : ", \"") + text + "\"";
    return "[" + list + "]\n";
}

}  // namespace

std::string with_name(std::string text, const std::string& name, const std::string& formula) {
    const auto is_letter = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    };
    for (std::size_t at = text.find(name); at != std::string::npos;) {
        const bool is_part = (at > 0 && is_letter(text[at - 1])) ||
                             (at + name.size() < text.size() && is_letter(text[at + name.size()]));
        const std::string put = is_part ? name : "(" + formula + ")";
        text.replace(at, name.size(), put);
        at = text.find(name, at + put.size());
    }
    return text;
}

std::string without_rounding(std::string text) {
    for (const std::string name : {"fp32(", "fp16(", "bf16(", "e4m3(", "e5m2("})
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
            text.replace(at, name.size(), "(");
    return text;
}

std::string Question::scheme() const {
    const auto shown = [&](const std::string& name, const std::string& formula) {
        const auto when = pieces.find(name + ".when");
        if (when == pieces.end()) return "\"" + formula + "\"";
        return "{ formula = \"" + formula + "\", when = \"" + when->second + "\" }";
    };
    const auto joined = [](std::string& list, const std::string& name, const std::string& value) {
        list += (list.empty() ? "" : ", ") + name + " = " + value;
    };
    std::string text, rotation, far, lets;
    for (const auto& [name, piece] : pieces) {
        const bool is_of_rotation = name == "angle" || name == "scale" || name == "origin" || name == "values";
        if (name.ends_with(".when")) continue;
        if (name.starts_with("let."))
            joined(lets, name.substr(4), "\"" + piece + "\"");
        else if (name == "far.where")
            joined(far, "where", "\"" + piece + "\"");
        else if (name.starts_with("far."))
            joined(far, name.substr(4), "\"(" + piece + ")*(" + pieces.at("frequency") + ")\"");
        else if (name == "frequency")
            joined(rotation, "angle", shown("angle", "p*(" + piece + ")"));
        else if (name == "fraction")
            joined(rotation, name, piece);
        else if (is_of_rotation)
            joined(rotation, name, shown(name, piece));
        else
            text += name + " = " + shown(name, piece) + "\n";
    }
    if (!far.empty()) joined(rotation, "far", "{ " + far + " }");
    if (!is_causal) text += "causal = false\n";
    if (!lets.empty()) text += "let = { " + lets + " }\n";
    return text + (rotation.empty() ? "" : "rotate = { " + rotation + " }\n");
}

std::string Question::curve() const {
    if (curve_kind.empty()) return key("formula", formula) + "over = " + sides_of(over);
    std::string text = key("scheme", "own") + "distances = " + grid_of(over.front());
    for (const auto& [name, number] : curve_numbers) text += name + " = " + std::to_string(number) + "\n";
    return text;
}

std::string Question::settings() const {
    std::string text;
    for (const auto& [name, number] : numbers) text += name + " = " + std::to_string(number) + "\n";
    for (const auto& [name, is_set] : flags) text += name + " = " + (is_set ? "true" : "false") + "\n";
    for (const auto& [name, value] : values) text += key(name, value);
    if (has_scheme() && curve_kind.empty()) text += key("scheme", "own");
    if (!rounded.empty()) text += "rounded = " + list_of(rounded);
    if (!masks.empty()) text += masks.size() == 1 ? key("mask", masks.front()) : "masks = " + list_of(masks);
    if (!masks.empty() && !is_causal) text += "causal = false\n";
    if (range) text += "range = { from = " + range->first + ", to = " + range->second + " }\n";
    if (is_of_curve) {
        return text + "of = \"c\"\n" + key("model", model) + key("weights", other) + key("direction", direction);
    }
    const bool is_pair = kind == "rounding-error" && !other.empty();
    if (is_pair) {
        text += key("computed", formula) + key("exact", other);
    } else if (kind == "identity") {
        text += key("left", formula) + key("right", other) + "boxes = 400\n";
    } else {
        text += key(kind == "feasible" ? "condition" : "formula", formula);
        if (kind == "optimum") text += key("where", other) + key("goal", goal);
    }
    if (kind == "monotone") text += key("in", over.front().name);
    const bool is_subdivided = kind == "extremum" ? !over.front().is_grid() : kind == "collision" || kind == "range";
    if (kind == "monotone" || kind == "crossing" || kind == "feasible" || kind == "optimum" ||
        (is_subdivided && !is_stepwise))
        text += "boxes = 1000\n";
    text += key("direction", direction) + key("format", format);
    if (kind == "rounding-error") text += "boxes = 300\n" + key("inputs", is_pair || are_inputs_numbers ? "" : "real");
    if (!tolerance.empty()) text += "tolerance = " + tolerance + "\n";
    if (is_stepwise) text += "stepwise = true\n";
    if (over.empty()) return text;
    if (kind == "logit-error") return text + "positions = " + grid_of(over.front());
    if (kind == "expectation" || kind == "profile") return text + "distances = " + grid_of(over.front());
    return text + "over = " + sides_of(over);
}

std::string Question::claim_study() const {
    std::string text = "[quantity.c]\nkind = \"curve\"\n" + curve();
    std::string values_of_w;
    for (const std::string& value : sweep) values_of_w += (values_of_w.empty() ? "" : ", ") + value;
    if (!sweep.empty()) text += "sweep = { w = [" + values_of_w + "] }\n";
    if (claim.study.find("t['") != std::string::npos) {
        const auto row = [&](const std::string& name) {
            return "[\"" + cells.at(name + "u") + "\", \"" + cells.at(name + "v") + "\"]";
        };
        text += "\n[quantity.t]\nkind = \"table\"\nrows = [\"a\", \"b\"]\ncolumns = [\"u\", \"v\"]\ncells = [" +
                row("a") + ", " + row("b") + "]\n";
    }
    text += "\n[[claim]]\nid = \"F-1\"\nsays = \"It holds.\"\nsource = \"fuzzer\"\n";
    if (claim.study.find("snug") != std::string::npos)
        text += "given = { snug = " + threshold + " }\nbecause = \"a reason\"\n";
    return text + "[[claim.reading]]\nname = \"r\"\nholds = \"" + claim.study + "\"\n";
}

std::string Question::study(const std::string& holds) const {
    std::string text = "[study]\ntitle = \"A certified verdict that is wrong\"\n\n";
    if (has_scheme()) text += "[scheme.own]\n" + scheme() + "\n";
    if (kind == "safe-length")
        return text + "# farfield safe-length own --from FILE --in " + format +
               (recipes.empty() ? "" : " --recipe " + recipes.front()) + " --heads " +
               std::to_string(numbers.at("heads")) + " --head-dim " + std::to_string(numbers.at("head_dim")) +
               " --longest " + std::to_string(numbers.at("longest")) + " --bound " + tolerance +
               (is_stepwise ? " --exact-positions" : "") + "\n# " + holds + "\n";
    if (is_of_curve)
        text += "[quantity.c]\nkind = \"" + (curve_kind.empty() ? "curve" : curve_kind) + "\"\n" + curve() + "\n";
    if (kind == "study") return text + claim_study();
    if (kind != "condition") text += "[quantity.q]\nkind = \"" + kind + "\"\n" + settings() + "\n";
    return text +
           "[[claim]]\nid = \"F-1\"\nsays = \"It holds.\"\nsource = \"fuzzer\"\n[[claim.reading]]\nname = \"r\"\n" +
           "holds = \"" + holds + "\"\n";
}

}  // namespace farfield::soundness
