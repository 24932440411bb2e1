// The steps that all kinds have in common, before and after they read their own keys.
#include <algorithm>
#include <cmath>

#include <farfield/formula/names.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/scheme/context.hpp>

#include "formula/form.hpp"
#include "quantity/grid.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Entry;

/// The entries of the table under the key; none if there is no table.
const std::vector<Entry>& entries_under(const Declaration& declaration, std::string_view key) {
    static const std::vector<Entry> none;
    const Entry* entry = declaration.settings.find(key);
    const core::Entries* table = entry ? entry->value.entries() : nullptr;
    return table ? table->list : none;
}

void check_name(const Entry& name, core::Problems& problems) {
    const std::string_view meaning = formula::reserved(name.key);
    if (!meaning.empty())
        problems.add(name.key_place, "'" + name.key + "' is " + std::string(meaning), "another name");
    else if (!formula::is_name(name.key))
        problems.add(name.key_place, "'" + name.key + "' cannot be used in a formula",
                     "letters, digits and underscores, no digit first");
}

/// Variables of `over` and names of `let` and `params` must not hide other names or each other.
void check_names(const Declaration& declaration, core::Problems& problems) {
    for (const std::string_view key : {"over", "params", "let"})
        for (const Entry& name : entries_under(declaration, key)) check_name(name, problems);
    for (const Entry& name : entries_under(declaration, "let")) {
        const auto& params = entries_under(declaration, "params");
        const bool is_twice =
            std::any_of(params.begin(), params.end(), [&](const Entry& each) { return each.key == name.key; });
        if (is_twice) problems.add(name.key_place, "'" + name.key + "' has a value already", "another name");
    }
    for (const Entry& name : entries_under(declaration, "over")) {
        for (const scheme::ContextKey& row : scheme::context_keys()) {
            if (row.variable != name.key || !declaration.settings.find(row.key)) continue;
            problems.add(
                name.key_place,
                "'" + name.key + "' is a variable, and the key '" + std::string(row.key) + "' gives it a value",
                "one of them");
        }
    }
}

void check_selection(const Declaration& declaration, core::Problems& problems) {
    const Entry* entry = declaration.settings.find("scheme");
    const std::string* name = entry ? entry->value.string() : nullptr;
    scheme::Context context;
    for (const scheme::ContextKey& row : scheme::context_keys())
        if (const auto number = core::read_number(declaration.settings, row.key)) context.*row.member = *number;
    const auto is_given = [&](std::string_view key) {
        return core::read_number(declaration.settings, key).has_value();
    };
    for (const scheme::ContextProblem& each :
         scheme::check_context(name ? declaration.schemes.find(*name) : nullptr, context, is_given))
        problems.add(place_of_key(declaration, each.key), "'" + std::string(each.key) + "' is " + each.value,
                     each.wanted);
}

/// A distance is between two positions, which are integers below the length. It is not negative if the scheme
/// is causal.
void check_distances(const Declaration& declaration, core::Problems& problems) {
    const Entry* scheme = declaration.settings.find("scheme");
    const std::string* name = scheme ? scheme->value.string() : nullptr;
    const scheme::Scheme* found = name ? declaration.schemes.find(*name) : nullptr;
    for (const Entry& end : entries_under(declaration, "distances")) {
        const double number = end.value.is_number() ? end.value.number() : 0;
        if (std::isfinite(number) && number != std::floor(number))
            problems.add(end.value.place, "'" + end.key + "' of distances is " + end.value.text,
                         "a whole number: positions are whole numbers");
        if (end.key == "from" && number < 0 && found && found->causal)
            problems.add(end.value.place, "'from' of distances is " + end.value.text,
                         "at least 0: '" + *name + "' is causal, so no key is after its query");
        const std::optional<double> length = core::read_number(declaration.settings, "length");
        if (end.key != "step" && length && std::abs(number) >= *length)
            problems.add(end.value.place, "'" + end.key + "' of distances is " + end.value.text,
                         "less than 'length', " + text_of(*length));
    }
}

void check_unused(const Declaration& declaration, core::Problems& problems) {
    const auto& used = declaration.uses->names;
    for (const std::string_view key : {"params", "let"}) {
        std::vector<std::string> known;
        for (const Entry& name : entries_under(declaration, key))
            if (used.contains(name.key)) known.push_back(name.key);
        for (const Entry& name : entries_under(declaration, key)) {
            if (used.contains(name.key)) continue;
            problems.add(name.key_place,
                         "'" + name.key + "' is unused: nothing that this quantity evaluates depends on it",
                         "a name that its formulas depend on", core::known_here(name.key, known));
        }
    }
}

/// Reports variables on which no formula depends.
void check_variables(const Kind& kind, const Declaration& declaration, core::Problems& problems) {
    const auto& variables = entries_under(declaration, "over");
    if ((variables.size() < 2 && kind.search < SearchRule::used) || declaration.settings.find("quantities")) return;
    for (const Entry& variable : variables)
        if (!declaration.uses->names.contains(variable.key))
            problems.add(
                variable.key_place,
                "the variable '" + variable.key + "' is unused: nothing that this quantity evaluates depends on it",
                "the variables of its formulas");
}

/// Whether `[a, b]` or `{ from, to }` has one value.
bool has_one_value(const Entry& variable) {
    const auto exact = [](const core::Value& number) {
        return number.is_number() ? exact_number(number) : std::nullopt;
    };
    std::optional<numerics::Rational> first, last;
    if (const core::List* ends = variable.value.list(); ends && ends->size() == 2) {
        first = exact(ends->front());
        last = exact(ends->back());
    } else if (const core::Entries* range = variable.value.entries()) {
        const Entry* from = range->find("from");
        const Entry* to = range->find("to");
        first = from ? exact(from->value) : numerics::Rational(0);
        last = to ? exact(to->value) : std::nullopt;
    }
    return first && last && *first == *last;
}

void check_domain(const Kind& kind, const Declaration& declaration, core::Problems& problems) {
    if (kind.search < SearchRule::range) return;
    const auto& variables = entries_under(declaration, "over");
    const Entry* one = declaration.settings.find("distances");
    if (!one && !variables.empty() && std::all_of(variables.begin(), variables.end(), has_one_value))
        one = &variables.front();
    const Entry* part = declaration.settings.find("range");
    const core::Entries* ends = part ? part->value.entries() : nullptr;
    if (ends && ends->find("from") && ends->find("to")) one = part;
    if (one && has_one_value(*one))
        problems.add(one->value.place, "'" + one->key + "' has one value", "a range with a larger end");
}

/// Reports a formula whose variables cancel.
void check_varies(const Kind& kind, const Declaration& declaration, core::Problems& problems) {
    const Entry* entry = declaration.settings.find("formula");
    if (kind.search < SearchRule::varied || !entry) return;
    const std::string* text = entry->value.string();
    if (!entry->value.is_number() && (!text || !formula::number_in(formula::sum_of(formula::parse(*text))))) return;
    problems.add(entry->value.place, "the formula is the same whatever its variables are", "a formula that varies");
}

/// Reports a scheme or formula that the kind does not read and, for a formula, values such as heads on which it does
/// not depend. A scheme's heads and lengths are those of the model, so they need not be used.
void check_unused_keys(const Kind& kind, const Declaration& declaration, core::Problems& problems) {
    const Uses& uses = *declaration.uses;
    const auto refuse = [&](const core::Place& place, const std::string& what, const char* wanted) {
        problems.add(place, what + " is unused: nothing that this quantity evaluates depends on it", wanted);
    };
    for (const char* key : {"scheme", "formula"})
        if (const Entry* entry = declaration.settings.find(key); entry && !uses.keys.contains(key))
            refuse(entry->key_place, "'" + std::string(key) + "'", "the keys of its kind alone");
    if (declaration.settings.find("scheme")) return;
    for (const scheme::ContextKey& row : scheme::context_keys()) {
        const Entry* entry = declaration.settings.find(row.key);
        // These are the limits of the keys head and layer.
        const auto is_limit_of = [&](std::string_view limit, std::string_view key, const char* name) {
            return row.key == limit && declaration.settings.find(key) && uses.names.contains(name);
        };
        const bool is_limit = is_limit_of("heads", "head", "h") || is_limit_of("layers", "layer", "layer");
        const bool is_own =
            std::any_of(kind.keys.begin(), kind.keys.end(), [&](const core::Key& key) { return key.name == row.key; });
        if (!entry || is_limit || is_own || depends_on(declaration, row.key)) continue;
        refuse(entry->key_place, "'" + std::string(row.key) + "'", "a key that gives a name of its formulas a value");
    }
}

}  // namespace

std::unique_ptr<Prepared> prepare(const Kind& kind, const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    check_names(declaration, problems);
    if (kind.takes_scheme) check_selection(declaration, problems);
    check_distances(declaration, problems);
    std::unique_ptr<Prepared> prepared = kind.prepare(declaration, problems);
    if (prepared && problems.reports() == before) {
        check_unused(declaration, problems);
        check_variables(kind, declaration, problems);
        check_domain(kind, declaration, problems);
        if (problems.reports() == before) check_varies(kind, declaration, problems);
        if (kind.takes_scheme) check_unused_keys(kind, declaration, problems);
    }
    return problems.reports() == before ? std::move(prepared) : nullptr;
}

bool depends_on(const Declaration& declaration, std::string_view key) {
    const Uses& uses = *declaration.uses;
    if (uses.keys.contains(key)) return true;
    // Ltr is L if it has no own value.
    if (key == "length" && !declaration.settings.find("train_length") && uses.names.contains("Ltr")) return true;
    const auto keys = scheme::context_keys();
    return std::any_of(keys.begin(), keys.end(), [&](const scheme::ContextKey& row) {
        return row.key == key && uses.names.contains(row.variable);
    });
}

}  // namespace farfield::quantity
