#include "export/prologue.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "export/module.hpp"
#include "export/written.hpp"

namespace farfield::exporting {

namespace {

using formula::Node;

/// A variable of formulas as a plain number.
struct PlainVariable {
    std::string_view formula;
    std::string_view plain;
};

constexpr std::array<PlainVariable, 5> plain_variables = {
    {{"H", "heads"}, {"L", "length"}, {"Ltr", "train_length"}, {"layer", "layer"}, {"R", "layers"}}};

/// Whether the name stands in the text as a word.
bool has_word(const std::string& text, const std::string& name) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
        const bool starts = at == 0 || !is_word(text[at - 1]);
        const std::size_t end = at + name.size();
        if (starts && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

std::string number_of(double value) {
    const Node magnitude = formula::make_number(value < 0 ? -value : value);
    return (value < 0 ? "-" : "") + python_number(magnitude->text);
}

}  // namespace

bool among(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& each : texts)
        if (!each.empty()) text += (text.empty() ? "" : ", ") + each;
    return text;
}

Identifiers identifiers_of(const scheme::Scheme& scheme) {
    Identifiers names;
    for (const auto& [name, text] : scheme.params) names[name];
    for (const scheme::Learned& each : scheme.learn) names[each.name];
    for (const auto& [name, source] : scheme.let) names[name];
    return names;
}

Prologue::Prologue(const scheme::Scheme& scheme, const Language& language, PrologueNeeds needs)
    : scheme_(scheme),
      language_(language),
      needs_(std::move(needs)),
      used_(used_names(scheme, needs_.trees)),
      names_(identifiers_of(scheme)),
      writer_(language, names_, plain_names()) {
    for (const scheme::Learned& each : scheme.learn)
        if (among(used_, each.name)) learned_.push_back(&each);
    writer_.set_tables_by_head(tables_by_head());
    std::vector<formula::Replacement> lets;
    for (const Let& let : needed_lets(scheme, needs_.trees))
        lets.push_back({let.name, without_lets(scheme, let.formula)});
    writer_.set_lets(std::move(lets));
}

PythonWriter::Plain Prologue::plain_names() {
    PythonWriter::Plain plain;
    for (const PlainVariable& each : plain_variables) plain[std::string(each.formula)] = std::string(each.plain);
    if (!needs_.width.empty()) plain["d"] = needs_.width;
    for (const auto& [name, text] : scheme_.params) plain[name] = names_[name];
    return plain;
}

std::vector<std::string> Prologue::tables_by_head() const {
    std::vector<std::string> tables;
    for (const scheme::Learned* each : learned_)
        if (each->size > 0 && each->per_head) tables.push_back(each->name);
    return tables;
}

bool Prologue::any_learned(bool scheme::Learned::*per) const {
    return std::any_of(learned_.begin(), learned_.end(), [&](const scheme::Learned* each) { return each->*per; });
}

std::vector<std::string> Prologue::keywords() {
    std::vector<std::string> named;
    const auto require = [&](const std::string& name, bool is_used) {
        if (is_used && !among(needs_.positional, name)) named.push_back(name);
    };
    require("heads", uses("H") || uses("h") || any_learned(&scheme::Learned::per_head) ||
                         (needs_.is_captured && !learned_.empty()));
    require("head_dim", uses("d") && needs_.width.find("head_dim") != std::string::npos);
    require("layer", uses("layer") || any_learned(&scheme::Learned::per_layer));
    require("layers", uses("R") || any_learned(&scheme::Learned::per_layer));
    if (needs_length()) named.emplace_back(needs_.length.empty() ? "length" : "length=None");
    if (uses("Ltr")) named.emplace_back("train_length=None");
    for (const auto& [name, text] : scheme_.params)
        if (uses(name)) named.push_back(names_[name] + "=" + python_number(text));
    if (language_.has_parameters) return named;
    for (const scheme::Learned* each : learned_) named.push_back(names_[each->name] + "=" + number_of(each->init));
    return named;
}

std::string Prologue::lines(const std::string& values) {
    std::string text;
    const auto add = [&](const std::string& line) { text += "    " + line + "\n"; };
    const std::string lift(language_.lift);
    if (needs_length() && !needs_.length.empty()) add("length = " + needs_.length + " if length is None else length");
    if (uses("Ltr")) add("train_length = length if train_length is None else train_length");
    for (const Hoisted& each : writer_.hoisted()) add(each.name + " = " + each.text);
    for (const scheme::Learned* each : learned_) add(learned_line(*each));
    const auto add_array = [&](const std::string& formula_name, const std::string& name, std::string_view plain) {
        if (uses(formula_name) && has_word(values, name)) add(name + filled(" = #1(#2)", {lift, std::string(plain)}));
    };
    for (const PlainVariable& each : plain_variables)
        add_array(std::string(each.formula), std::string(each.formula), each.plain);
    add_array("d", "d", needs_.width);
    for (const auto& [name, value] : scheme_.params) add_array(name, names_[name], names_[name]);
    return text;
}

std::string Prologue::learned_line(const scheme::Learned& learned) {
    const std::string name = names_[learned.name];
    const std::string given = language_.has_parameters ? "parameters[\"" + learned.name + "\"]" : name;
    std::string value = filled(language_.learned, {given});
    if (learned.positive) value = filled(language_.positive, {value});
    std::string axes = learned.per_layer ? "[layer - 1]" : "";
    if (learned.per_head && learned.size == 0) axes += needs_.by_head;
    const std::string module(language_.module);
    value = module + ".broadcast_to(" + value + ", " + learned_shape(learned) + ")" + axes;
    const bool is_spread = needs_.is_captured && !learned.per_head && learned.size == 0;
    if (is_spread) value = module + ".broadcast_to(" + value + ", (heads,))";
    return name + " = " + value + (needs_.is_captured ? ".contiguous()" : "");
}

}  // namespace farfield::exporting
