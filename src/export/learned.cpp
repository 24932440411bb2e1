#include "export/learned.hpp"

#include <algorithm>

#include "export/prologue.hpp"

namespace farfield::exporting {

namespace {

constexpr std::string_view keyword = "dtype=torch.float32, device=None";

/// A double in Python's notation, with its sign.
std::string start_of(const scheme::Learned& learned) {
    const formula::Node magnitude = formula::make_number(learned.init < 0 ? -learned.init : learned.init);
    const std::string number = (learned.init < 0 ? "-" : "") + python_number(magnitude->text);
    return learned.positive ? "_inverse_softplus(" + number + ")" : number;
}

bool has_positions(const scheme::Scheme& scheme) {
    return scheme.embed && scheme.embed->learned;
}

std::string classes_of(const scheme::Scheme& scheme) {
    const long long clip = scheme.relative->clip;
    return std::to_string(scheme.causal ? clip + 1 : 2 * clip + 1);
}

bool any_learned(const scheme::Scheme& scheme, bool scheme::Learned::*per) {
    return std::any_of(scheme.learn.begin(), scheme.learn.end(),
                       [&](const scheme::Learned& each) { return each.*per; });
}

}  // namespace

bool needs_heads(const scheme::Scheme& scheme) {
    return any_learned(scheme, &scheme::Learned::per_head) || (scheme.bias && !scheme.learn.empty());
}

namespace {

/// The sizes that the shapes of all learned values need.
std::vector<std::string> sizes(const scheme::Scheme& scheme) {
    std::vector<std::string> names;
    if (needs_heads(scheme)) names.emplace_back("heads");
    if (any_learned(scheme, &scheme::Learned::per_layer)) names.emplace_back("layers");
    if (has_positions(scheme)) names.emplace_back("width");
    if (scheme.relative) names.emplace_back("head_dim");
    return names;
}

/// Vectors without a formula: name, rows, columns, and the deviation with which they are drawn, as in farfield's own
/// models.
struct Vectors {
    std::string name;
    std::string rows;
    std::string columns;
    std::string deviation;
};

std::vector<Vectors> vectors_of(const scheme::Scheme& scheme) {
    std::vector<Vectors> list;
    if (has_positions(scheme)) list.push_back({"positions", std::to_string(scheme.embed->max_length), "width", "0.25"});
    if (!scheme.relative) return list;
    const std::string rows = classes_of(scheme);
    if (scheme.relative->keys) list.push_back({"relative_keys", rows, "head_dim", "0.5 / math.sqrt(head_dim)"});
    if (scheme.relative->values) list.push_back({"relative_values", rows, "head_dim", "0.5 / math.sqrt(head_dim)"});
    return list;
}

/// The attribute whose type and device are the defaults of all calls.
std::string first_attribute(const scheme::Scheme& scheme) {
    return "self." + attribute(scheme.learn.front());
}

}  // namespace

std::string method(const scheme::Scheme& scheme, const Function& function) {
    std::vector<std::string> own = {"self"};
    std::vector<std::string> passed;
    for (const std::string& name : function.positional) {
        passed.push_back(name == "heads" ? "self.heads" : name);
        if (name != "heads") own.push_back(name);
    }
    own.emplace_back("**settings");
    passed.push_back(handed_on(scheme, function));
    passed.emplace_back("**settings");
    const std::string first = first_attribute(scheme);
    return "\n    def " + function.name + "(" + joined(own) + "):\n        settings = {\"dtype\": " + first +
           ".dtype, \"device\": " + first + ".device} | settings\n        return " + function.name + "(" +
           joined(passed) + ")\n";
}

std::string attribute(const scheme::Learned& learned) {
    return (learned.positive ? "raw_" : "learned_") + learned.name;
}

std::string vector_methods(const scheme::Scheme& scheme, bool is_flex) {
    std::string text;
    if (has_positions(scheme))
        text +=
            "\n    def embedding(self, positions, *, offset=0):\n        return embedding(self.positions, positions, "
            "offset=offset)\n";
    if (!scheme.relative || is_flex) return text;
    if (scheme.relative->keys)
        text +=
            "\n    def relative_scores(self, q, keys, *, offset=None):\n        return relative_scores(q, "
            "self.relative_keys, "
            "keys, offset=offset)\n";
    if (scheme.relative->values)
        text +=
            "\n    def weighted_values(self, weights, *, offset=None):\n        return relative_values(weights, "
            "self.relative_values, offset=offset)\n";
    return text;
}

bool learns(const scheme::Scheme& scheme) {
    return !scheme.learn.empty() || !vectors_of(scheme).empty();
}

std::string handed_on(const scheme::Scheme& scheme, const Function& function) {
    Identifiers names = identifiers_of(scheme);
    std::vector<std::string> texts;
    for (const scheme::Learned* each : learned_in(scheme, function)) {
        const std::string value = "self." + attribute(*each);
        texts.push_back(names[each->name] + "=" + (each->positive ? "_softplus(_wide(" + value + "))" : value));
    }
    const std::vector<const scheme::Learned*> used = learned_in(scheme, function);
    if (std::any_of(used.begin(), used.end(), [](const auto* each) { return each->per_layer; }))
        texts.emplace_back("layers=self.layers");
    return joined(texts);
}

std::string module_head(const scheme::Scheme& scheme) {
    std::vector<std::string> arguments = sizes(scheme);
    std::string text = "class " + class_name(scheme.name) + "(torch.nn.Module):\n    \"\"\"What is learned.\"\"\"\n\n" +
                       "    def __init__(self, " + joined(arguments) + (arguments.empty() ? "*, " : ", *, ") +
                       std::string(keyword) + "):\n        super().__init__()\n";
    for (const std::string& name : {std::string("heads"), std::string("layers")})
        if (std::find(arguments.begin(), arguments.end(), name) != arguments.end())
            text.append("        self.").append(name).append(" = ").append(name).append("\n");
    for (const scheme::Learned& each : scheme.learn)
        text += "        self." + attribute(each) + " = torch.nn.Parameter(torch.full(" + learned_shape(each) + ", " +
                start_of(each) + ", dtype=dtype, device=device))\n";
    for (const Vectors& each : vectors_of(scheme))
        text += "        self." + each.name + " = torch.nn.Parameter(" + each.deviation + " * torch.randn(" +
                each.rows + ", " + each.columns + ", dtype=dtype, device=device))\n";
    return text;
}

std::string module_class(const scheme::Scheme& scheme, const std::vector<Function>& functions) {
    if (!learns(scheme)) return "";
    std::string text = module_head(scheme);
    for (const Function& function : functions)
        if (!learned_in(scheme, function).empty()) text += method(scheme, function);
    return text + vector_methods(scheme, false);
}

std::string module_note(const scheme::Scheme& scheme) {
    if (!learns(scheme)) return "";
    std::string text = class_name(scheme.name) + " holds what is learned and hands it to the functions.\n";
    if (std::any_of(scheme.learn.begin(), scheme.learn.end(), [](const auto& each) { return each.positive; }))
        text += "A parameter raw_NAME is the value before softplus.\n";
    return text;
}

std::string initial_parameters(const scheme::Scheme& scheme) {
    if (!learns(scheme)) return "";
    std::vector<std::string> arguments = sizes(scheme);
    const std::vector<Vectors> vectors = vectors_of(scheme);
    if (!vectors.empty()) arguments.emplace_back("key");
    arguments.emplace_back("*");
    arguments.emplace_back("dtype=jnp.float32");
    std::string text =
        "def initial_parameters(" + joined(arguments) + "):\n    \"\"\"What training starts from.\"\"\"\n";
    if (vectors.size() > 1) text += "    key, other_key = jax.random.split(key)\n";
    text += "    return {\n";
    for (const scheme::Learned& each : scheme.learn)
        text +=
            "        \"" + each.name + "\": jnp.full(" + learned_shape(each) + ", " + start_of(each) + ", dtype),\n";
    for (std::size_t at = 0; at < vectors.size(); ++at)
        text += "        \"" + vectors[at].name + "\": " + vectors[at].deviation + " * jax.random.normal(" +
                (at == 0 ? "key" : "other_key") + ", (" + vectors[at].rows + ", " + vectors[at].columns +
                "), dtype),\n";
    return text + "    }\n\n\n";
}

std::string parameters_note(const scheme::Scheme& scheme) {
    std::string text = "Under jax.jit, heads, queries, keys, positions and widths are static.\n";
    if (!learns(scheme)) return text;
    if (!scheme.learn.empty())
        text += "Functions of learned names take the dictionary `parameters`, which initial_parameters makes.\n";
    if (std::any_of(scheme.learn.begin(), scheme.learn.end(), [](const auto& each) { return each.positive; }))
        text += "Positive names stand in it as what they are before softplus.\n";
    return text;
}

}  // namespace farfield::exporting
