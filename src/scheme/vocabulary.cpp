#include "scheme/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <farfield/core/keys.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/scheme/registry.hpp>
#include <set>
#include <span>

#include "scheme/requirements.hpp"

namespace farfield::scheme {
namespace {

/// The largest size of a learned table.
long long most_entries() {
    const std::span<const core::Key> keys = learn_keys();
    const auto size = std::find_if(keys.begin(), keys.end(), [](const core::Key& each) { return each.name == "size"; });
    return static_cast<long long>(size->most);
}

const std::vector<std::string>& variables(Role role) {
    static const std::vector<std::string> pair = {"q", "k", "n", "h", "H", "d", "L", "Ltr", "layer", "R"};
    static const std::vector<std::string> query = {"q", "h", "H", "d", "L", "Ltr", "layer", "R"};
    static const std::vector<std::string> position = {"p", "i", "d", "h", "H", "L", "Ltr", "layer", "R"};
    static const std::vector<std::string> token = {"p", "i", "d", "L", "Ltr"};
    switch (role) {
        case Role::bias:
        case Role::mask:
        case Role::far: return pair;
        case Role::temperature: return query;
        case Role::rotate: return position;
        case Role::embed: return token;
    }
    return pair;
}

std::string_view role_name(Role role) {
    constexpr std::array<std::string_view, 6> names = {"bias",   "mask",  "temperature",
                                                       "rotate", "embed", "rotate.far.where"};
    return names[static_cast<std::size_t>(role)];
}

const std::vector<std::string>& all_variables() {
    static const std::vector<std::string> names = {"q", "k", "n", "p", "i", "h", "H", "d", "L", "Ltr", "layer", "R"};
    return names;
}

bool among(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view taken_by(std::string_view name) {
    return among(all_variables(), name) ? "a variable of every scheme" : formula::reserved(name);
}

std::string chain_text(const std::vector<std::string>& chain, const std::string& last) {
    std::string text;
    const auto start = std::find(chain.begin(), chain.end(), last);
    for (auto name = start; name != chain.end(); ++name) text += *name + " -> ";
    return text + last;
}

formula::Symbol symbol_of(const Learned& learned) {
    formula::Symbol symbol{learned.name, formula::Type::real, {}};
    if (learned.size > 0) symbol.indexes = {formula::Type::real};
    return symbol;
}

void read_per(const core::Entries& settings, Learned& learned, core::Problems& problems) {
    static const std::vector<std::string> known = {"head", "layer", "model"};
    const std::vector<std::string> parts = core::read_texts(settings, "per", problems);
    const core::Entry* entry = settings.find("per");
    const std::set<std::string> different(parts.begin(), parts.end());
    const bool is_list = entry && entry->value.list() && parts.size() == entry->value.list()->size();
    if (is_list &&
        (parts.empty() || different.size() != parts.size() || (different.contains("model") && parts.size() > 1)))
        problems.add(entry->value.place, "'per' is not a list of different parts of a model",
                     "\"model\", or head and layer once each");
    for (const std::string& part : parts) {
        if (part == "head")
            learned.per_head = true;
        else if (part == "layer")
            learned.per_layer = true;
        else if (part != "model")
            problems.add(settings.find("per")->value.place, "'per' cannot be '" + part + "'", "",
                         core::known_here(part, known));
    }
}

/// Whether a sum or the like runs over a variable of the name of a param: the two would be kept apart by another name
/// of the variable, but for the numbers.
bool runs_over_param(const formula::Node& tree, const Scheme& scheme) {
    const auto is_its = [&](const auto& param) { return param.first == tree->text; };
    if (tree->kind == formula::Kind::reduction && std::any_of(scheme.params.begin(), scheme.params.end(), is_its))
        return true;
    return std::any_of(tree->children.begin(), tree->children.end(),
                       [&](const formula::Node& child) { return runs_over_param(child, scheme); });
}

/// Whether a number in place of each name may be too much: a negative one is two nodes, one above the other.
bool may_become_too_large(const formula::Node& tree) {
    return 2 * tree->nodes > formula::largest_tree || tree->depth + 1 > formula::deepest_tree;
}

}  // namespace

formula::Node literal(const std::string& decimal) {
    const bool negative = decimal.starts_with('-');
    const std::string magnitude = decimal.substr(negative ? 1 : 0);
    formula::Node node;
    if (magnitude == "inf") {
        node = formula::make_name("inf");
    } else if (!magnitude.empty() && (std::isdigit(static_cast<unsigned char>(magnitude[0])) || magnitude[0] == '.')) {
        try {
            node = formula::parse(magnitude);
        } catch (const core::UserError&) {
            return nullptr;
        }
        if (node->kind != formula::Kind::number) return nullptr;
    }
    if (!node || !negative) return node;
    return formula::make(formula::Op::negate, {node});
}

std::optional<formula::Source> source_of(const core::Value& value) {
    if (const std::string* text = value.string()) return formula::Source{*text, value.place};
    if (value.is_number()) return formula::Source{value.text, value.place};
    return std::nullopt;
}

Vocabulary::Vocabulary(const core::Entries& settings, Scheme& scheme, core::Problems& problems, ParamsAs params_as)
    : scheme_(scheme), problems_(problems), params_as_(params_as) {
    const auto read_part = [&](std::string_view key, auto read) {
        const core::Entry* entry = settings.find(key);
        if (entry && entry->value.entries()) (this->*read)(*entry->value.entries());
    };
    read_part("params", &Vocabulary::read_params);
    read_part("learn", &Vocabulary::read_learn);
    read_part("let", &Vocabulary::read_let);
}

bool Vocabulary::accept_name(const core::Entry& entry) {
    if (!formula::is_name(entry.key)) {
        problems_.add(entry.key_place, "'" + entry.key + "' cannot be used in a formula",
                      "letters, digits and underscores, no digit first");
        return false;
    }
    if (const std::string_view owner = taken_by(entry.key); !owner.empty()) {
        problems_.add(entry.key_place, "'" + entry.key + "' is " + std::string(owner), "another name");
        return false;
    }
    if (among(names_, entry.key)) {
        problems_.add(entry.key_place, "'" + entry.key + "' is defined twice", "one of params, let and learn");
        return false;
    }
    names_.push_back(entry.key);
    return true;
}

void Vocabulary::read_params(const core::Entries& params) {
    for (const core::Entry& entry : params.list) {
        if (!accept_name(entry)) continue;
        const formula::Node node = entry.value.is_number() ? literal(entry.value.text) : nullptr;
        if (!node) {
            const bool is_nan = entry.value.is_number();
            problems_.add(entry.value.place,
                          "the param '" + entry.key + "' is " +
                              (is_nan ? entry.value.text : std::string(entry.value.type_name())),
                          is_nan ? "a number other than nan" : "a number",
                          entry.value.string() ? "Formulas belong to 'let'." : "");
        }
        // A wrong param is known all the same, so that its uses are not reported too.
        scheme_.params.emplace_back(entry.key, node ? entry.value.text : "0");
        if (params_as_ == ParamsAs::numbers)
            replacements_.push_back({entry.key, node ? node : formula::make_number(0.0)});
    }
}

void Vocabulary::read_learn(const core::Entries& learn) {
    for (const core::Entry& entry : learn.list) {
        if (!accept_name(entry)) continue;
        Learned learned;
        learned.name = entry.key;
        const core::Entries* settings = entry.value.entries();
        if (!settings) {
            problems_.add(entry.value.place, "'" + entry.key + "' is " + std::string(entry.value.type_name()),
                          "a table such as { init = 1.0, per = \"head\" }");
            scheme_.learn.push_back(learned);
            continue;
        }
        core::check_keys(*settings, {learn_keys()}, entry.value.place, problems_);
        // Values that check_keys has reported are replaced by ones that can be used.
        const double init_value = core::read_number(*settings, "init").value_or(0);
        learned.init = std::isfinite(init_value) ? init_value : 0;
        learned.positive = core::read_boolean(*settings, "positive").value_or(false);
        learned.size = std::clamp(core::read_integer(*settings, "size").value_or(0), 0LL, most_entries());
        read_per(*settings, learned, problems_);
        const core::Entry* init = settings->find("init");
        if (init && init->value.is_number()) require_double(init->value, problems_);
        if (learned.positive && learned.init <= 0 && std::isfinite(init_value))
            problems_.add(init ? init->value.place : entry.key_place, "'" + entry.key + "' cannot start there",
                          "an init above zero, since it is positive");
        scheme_.learn.push_back(learned);
    }
}

void Vocabulary::read_let(const core::Entries& let) {
    for (const core::Entry& entry : let.list) {
        if (!accept_name(entry)) continue;
        const std::optional<formula::Source> source = source_of(entry.value);
        if (!source) {
            problems_.add(entry.value.place, "'" + entry.key + "' is " + std::string(entry.value.type_name()),
                          "a formula");
        }
        sources_[entry.key] = source.value_or(formula::Source{"0", entry.value.place});
        if (source) scheme_.let.emplace_back(entry.key, *source);
    }
    std::vector<std::string> chain;
    for (const core::Entry& entry : let.list) define(entry.key, chain);
}

/// A syntax error is one diagnostic; here it is gathered with the others.
formula::Node Vocabulary::parse(const formula::Source& source, core::Problems& problems) const {
    const auto known = parsed_.find(source.text);
    if (known != parsed_.end()) return known->second;
    try {
        return parsed_[source.text] = formula::parse(source);
    } catch (const core::UserError& error) {
        problems.add(error);
        return nullptr;
    }
}

void Vocabulary::define(const std::string& name, std::vector<std::string>& chain) {
    const auto known = sources_.find(name);
    if (known == sources_.end() || definitions_.contains(name)) return;
    const formula::Source& source = known->second;
    const formula::Node tree = parse(source, problems_);
    if (!tree) {
        definitions_[name];
        return;
    }
    chain.push_back(name);
    for (const std::string& used : formula::free_names(tree)) {
        if (among(chain, used)) {
            problems_.add(source.at, "let '" + name + "' refers to itself: " + chain_text(chain, used));
            definitions_[name];
        } else {
            define(used, chain);
        }
    }
    chain.pop_back();
    if (definitions_.contains(name)) return;
    definitions_[name];
    formula::Scope scope(all_variables());
    for (const auto& [param, text] : scheme_.params) scope.add(param);
    for (const Learned& learned : scheme_.learn) scope.add(symbol_of(learned));
    for (const auto& [other, definition] : definitions_) {
        if (other != name) scope.add(formula::Symbol{other, definition.type, {}});
    }
    const std::optional<formula::Type> type = formula::check(tree, scope, source, problems_);
    const formula::Node resolved = type ? resolve(tree, source) : nullptr;
    if (!resolved) return;
    Definition definition{resolved, *type, {}};
    for (const std::string& used : formula::free_names(resolved)) {
        if (among(all_variables(), used)) definition.uses.push_back(used);
    }
    definitions_[name] = definition;
    replacements_.push_back({name, resolved});
}

std::vector<std::string> Vocabulary::behind(const formula::Source& source) const {
    core::Problems reported;
    std::vector<std::string> found;
    std::vector<formula::Source> open = {source};
    while (!open.empty()) {
        const formula::Node tree = parse(open.back(), reported);
        open.pop_back();
        if (!tree) continue;
        std::vector<std::string> names = formula::free_names(tree);
        const std::vector<std::string> tables = formula::indexed_names(tree);
        names.insert(names.end(), tables.begin(), tables.end());
        for (const std::string& name : names) {
            if (!among(names_, name) || among(found, name)) continue;
            found.push_back(name);
            if (const auto definition = sources_.find(name); definition != sources_.end())
                open.push_back(definition->second);
        }
    }
    return found;
}

formula::Node Vocabulary::resolve(const formula::Node& tree, const formula::Source& source) const {
    for (const std::string& used : formula::free_names(tree)) {
        const auto definition = definitions_.find(used);
        if (definition != definitions_.end() && !definition->second.tree) return nullptr;
    }
    formula::Node resolved = formula::substitute(tree, replacements_);
    const bool waits = params_as_ == ParamsAs::names;
    if (waits && runs_over_param(tree, scheme_)) {
        problems_.add(source.at, "a variable of the formula has the name of a param", "another name");
        return nullptr;
    }
    if (formula::is_too_large(resolved) || (waits && may_become_too_large(resolved))) {
        problems_.add(source.at, "the formula is too large once its let names are put in", "fewer or shorter ones");
        return nullptr;
    }
    return resolved;
}

formula::Node Vocabulary::formula(const formula::Source& source, Role role, formula::Type wanted) const {
    const formula::Node tree = parse(source, problems_);
    if (!tree) return nullptr;
    formula::Scope scope(variables(role));
    for (const auto& [param, text] : scheme_.params) scope.add(param);
    for (const Learned& learned : scheme_.learn) scope.add(symbol_of(learned));
    for (const auto& [name, definition] : definitions_) scope.add(formula::Symbol{name, definition.type, {}});
    const std::optional<formula::Type> type = formula::check(tree, scope, source, problems_);
    if (!type) return nullptr;
    if (*type != wanted) {
        const bool real = wanted == formula::Type::real;
        problems_.add(source.at, real ? "the formula is a condition" : "the formula is a number",
                      real ? "a number" : "a condition, such as n < 100");
        return nullptr;
    }
    bool fits = true;
    for (const std::string& used : formula::free_names(tree)) {
        const auto definition = definitions_.find(used);
        if (definition == definitions_.end()) continue;
        for (const std::string& variable : definition->second.uses) {
            if (among(variables(role), variable)) continue;
            problems_.add(source.at, "let '" + used + "' uses '" + variable + "', which " +
                                         std::string(role_name(role)) + " does not have");
            fits = false;
        }
    }
    return fits ? resolve(tree, source) : nullptr;
}

}  // namespace farfield::scheme
