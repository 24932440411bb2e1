#include "quantity/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/quantity/scheme_values.hpp>
#include <farfield/scheme/pieces.hpp>

#include "formula/form.hpp"
#include "formula/ranges.hpp"
#include "quantity/grid.hpp"
#include "scheme/requirements.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 12> selection_keys = {
    Key{.name = "scheme", .type = KeyType::text, .meaning = "name of a scheme, built in or of this file"},
    Key{.name = "formula", .type = KeyType::formula, .meaning = "a formula in place of a scheme"},
    Key{.name = "let",
        .type = KeyType::table,
        .meaning = "names for the formula, each a number or a formula; with a scheme, "
                   "values of its params and learned names"},
    Key{.name = "params", .type = KeyType::table, .meaning = "values of the scheme's params, or names for the formula"},
    Key{.name = "head", .type = KeyType::integer, .unit = "1..heads", .meaning = "h, the head", .least = 1},
    Key{.name = "heads", .type = KeyType::integer, .meaning = "H, the number of heads", .least = 1, .most = 1e6},
    Key{.name = "head_dim", .type = KeyType::integer, .meaning = "d, the width of a head", .least = 1},
    Key{.name = "width", .type = KeyType::integer, .meaning = "the width of the model: d of embed", .least = 1},
    Key{.name = "length",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "largest position + 1",
        .meaning = "L, the length",
        .least = 1},
    Key{.name = "train_length",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "length",
        .meaning = "Ltr, the training length",
        .least = 1},
    Key{.name = "layer", .type = KeyType::integer, .unit = "1..layers", .meaning = "layer of the formulas", .least = 1},
    Key{.name = "layers", .type = KeyType::integer, .meaning = "R, the number of layers", .least = 1, .most = 1e6},
};

bool holds(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<formula::Node> parse_value(const core::Value& value, formula::Source& source, core::Problems& problems) {
    if (value.is_number()) {
        if (std::isnan(value.number())) {
            problems.add(value.place, "the formula is nan", "a formula, or a number other than nan");
            return std::nullopt;
        }
        source = {value.text, value.place};
        return literal(value);
    }
    if (!value.string()) {
        problems.add(value.place, "found " + std::string(value.type_name()), "a formula, as a text or a number");
        return std::nullopt;
    }
    source = {*value.string(), value.place};
    try {
        return formula::parse(source);
    } catch (const core::UserError& error) {
        problems.add(error);
        return std::nullopt;
    }
}

/// Names with what stands for them, in the order in which they may use each other.
class Bindings {
public:
    Bindings(const Declaration& declaration, const Formula& wanted, core::Problems& problems)
        : names_(wanted.variables), variables_(wanted.variables), any_name_(wanted.any_name) {
        bind_context(declaration);
        bind_table(declaration, "params", problems);
        bind_table(declaration, "let", problems);
    }

    /// Nothing, and a problem, where that makes the tree too large.
    std::optional<formula::Node> put_in(const formula::Node& tree, const core::Place& place,
                                        core::Problems& problems) const {
        formula::Node whole = formula::substitute(tree, replacements_);
        if (!formula::is_too_large(whole)) return whole;
        problems.add(place, "the formula is too large once its let names are put in", "fewer or shorter ones");
        return std::nullopt;
    }

    /// The names with a value that the tree depends on, through others too.
    std::set<std::string> behind(const formula::Node& tree) const {
        std::set<std::string> found;
        for (const std::string& name : formula::free_names(tree)) {
            const auto known = behind_.find(name);
            if (known == behind_.end()) continue;
            found.insert(name);
            found.insert(known->second.begin(), known->second.end());
        }
        return found;
    }

    /// The names the tree may use: all of its own if any will do.
    formula::Scope scope_of(const formula::Node& tree) const {
        std::vector<std::string> names = names_;
        if (any_name_) {
            for (const std::string& name : formula::free_names(tree))
                if (!holds(names, name)) names.push_back(name);
        }
        return formula::Scope(std::move(names));
    }

private:
    void bind_context(const Declaration& declaration) {
        for (const scheme::ContextKey& row : scheme::context_keys()) {
            const core::Entry* entry = declaration.settings.find(row.key);
            const bool is_free = holds(variables_, row.variable);
            if (!entry || !entry->value.is_number() || is_free) continue;
            const formula::Node number = literal(entry->value);
            bind(std::string(row.variable), number, number);
        }
    }

    void bind_table(const Declaration& declaration, std::string_view key, core::Problems& problems) {
        const core::Entry* entry = declaration.settings.find(key);
        if (!entry || !entry->value.entries()) return;
        for (const core::Entry& item : entry->value.entries()->list) {
            const bool is_variable = holds(variables_, item.key);
            if (is_variable || holds(names_, item.key)) {
                problems.add(item.key_place,
                             "'" + item.key + "' " + (is_variable ? "is a variable here" : "has a value already"),
                             "another name");
                continue;
            }
            formula::Source source;
            const std::optional<formula::Node> tree = parse_value(item.value, source, problems);
            const bool is_good = tree && formula::check(*tree, scope_of(*tree), source, problems);
            // A name with a problem is known all the same: its uses have no second problem.
            const auto whole = is_good ? put_in(*tree, source.at, problems) : std::nullopt;
            const formula::Node zero = formula::make_number("0");
            bind(item.key, is_good ? *tree : zero, whole.value_or(zero));
        }
    }

    /// A name's formula, and the same with the names it uses put in.
    void bind(std::string name, const formula::Node& tree, formula::Node whole) {
        std::erase_if(replacements_, [&](const formula::Replacement& old) { return old.name == name; });
        if (!holds(names_, name)) names_.push_back(name);
        behind_[name] = behind(tree);
        replacements_.push_back({std::move(name), std::move(whole)});
    }

    std::vector<std::string> names_;
    std::vector<std::string> variables_;
    bool any_name_ = false;
    std::vector<formula::Replacement> replacements_;
    std::map<std::string, std::set<std::string>> behind_;
};

void set_learned(const core::Entry& item, const scheme::Learned& learned, scheme::Context& context,
                 core::Problems& problems) {
    if (learned.size == 0 && item.value.is_number()) {
        scheme::require_double(item.value, problems);
        if (!std::isfinite(item.value.number()) || (learned.positive && !(item.value.number() > 0)))
            problems.add(item.value.place, "'" + item.key + "' is " + item.value.text,
                         learned.positive ? "a number above zero" : "a finite number");
        context.learned.emplace_back(item.key, item.value.number());
        return;
    }
    const core::List* list = item.value.list();
    const bool is_numbers =
        list && std::all_of(list->begin(), list->end(), [](const auto& v) { return v.is_number(); });
    if (learned.size == 0 || !is_numbers || list->size() != static_cast<std::size_t>(learned.size)) {
        const std::string wanted =
            learned.size == 0 ? "a number" : "a list of " + std::to_string(learned.size) + " numbers";
        problems.add(item.value.place, "'" + item.key + "' is learned and is " + std::string(item.value.type_name()),
                     wanted);
        return;
    }
    std::vector<double> entries;
    for (const core::Value& value : *list) {
        scheme::require_double(value, problems);
        entries.push_back(value.number());
    }
    context.tables.emplace_back(item.key, std::move(entries));
}

/// Checks the conditions of the scheme for the learned numbers among `items`.
void check_learned(const Selection& selection, const std::vector<core::Entry>& items, core::Problems& problems) {
    scheme::Scheme changed = selection.scheme;
    bool is_changed = false;
    for (const core::Entry& item : items) {
        const bool is_learned = std::any_of(changed.learn.begin(), changed.learn.end(),
                                            [&](const auto& each) { return each.name == item.key && each.size == 0; });
        if (is_learned) scheme::start_at(changed, item);
        is_changed = is_changed || is_learned;
    }
    if (is_changed) scheme::check_requirements(changed, scheme::read_requirements(changed, problems), problems);
}

/// Puts `let` and `params` into the scheme and the context. False if there was a problem, perhaps reported before.
bool apply_settings(const Declaration& declaration, std::string_view key, Selection& selection,
                    core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry || !entry->value.entries()) return true;
    core::Problems own;
    std::vector<std::string> known;
    for (const auto& param : selection.scheme.params) known.push_back(param.first);
    for (const auto& learned : selection.scheme.learn) known.push_back(learned.name);
    const std::vector<std::string> used = scheme::names_in_use(selection.scheme);
    for (const core::Entry& item : entry->value.entries()->list) {
        const auto learned = std::find_if(selection.scheme.learn.begin(), selection.scheme.learn.end(),
                                          [&](const auto& candidate) { return candidate.name == item.key; });
        if (learned != selection.scheme.learn.end()) {
            set_learned(item, *learned, selection.context, own);
        } else if (!holds(known, item.key)) {
            own.add(item.key_place, "unknown parameter '" + item.key + "' of scheme '" + selection.scheme.name + "'",
                    {}, core::known_here(item.key, known));
        } else if (!holds(used, item.key)) {
            own.add(item.key_place,
                    "the parameter '" + item.key + "' of scheme '" + selection.scheme.name + "' is unused",
                    "a name that a formula of the scheme depends on", core::suggestion(item.key, used));
        } else if (!item.value.is_number()) {
            own.add(item.value.place, "found " + std::string(item.value.type_name()), "a number");
        }
    }
    if (own.empty()) check_learned(selection, entry->value.entries()->list, own);
    for (const core::Diagnostic& each : own.list()) problems.add(each);
    return own.empty();
}

std::vector<std::pair<std::string, std::string>> param_texts(const Declaration& declaration,
                                                             const scheme::Scheme& scheme) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const std::string_view key : {"params", "let"}) {
        const core::Entry* entry = declaration.settings.find(key);
        if (!entry || !entry->value.entries()) continue;
        for (const core::Entry& item : entry->value.entries()->list) {
            const bool is_param = std::any_of(scheme.params.begin(), scheme.params.end(),
                                              [&](const auto& param) { return param.first == item.key; });
            if (is_param && item.value.is_number()) texts.emplace_back(item.key, formula::print(literal(item.value)));
        }
    }
    return texts;
}

core::Place place_of_param(const Declaration& declaration, std::string_view param) {
    for (const std::string_view key : {"params", "let"}) {
        const core::Entry* table = declaration.settings.find(key);
        const core::Entry* entry = table && table->value.entries() ? table->value.entries()->find(param) : nullptr;
        if (entry) return entry->value.place;
    }
    return declaration.place;
}

}  // namespace

std::span<const core::Key> scheme_selection_keys() {
    return selection_keys;
}

formula::Node literal(const core::Value& number) {
    std::string text = number.text;
    std::erase(text, '_');
    if (!text.empty() && text.front() == '+') text.erase(0, 1);
    const bool is_decimal = !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
    return is_decimal ? formula::parse(text) : formula::make_number(number.number());
}

core::Place place_of_key(const Declaration& declaration, std::string_view key) {
    const core::Entry* entry = declaration.settings.find(key);
    return entry ? entry->value.place : declaration.place;
}

std::optional<Checked> read_formula(const Declaration& declaration, const core::Value& value, const Formula& wanted,
                                    core::Problems& problems) {
    formula::Source source;
    const std::optional<formula::Node> tree = parse_value(value, source, problems);
    const Bindings bindings(declaration, wanted, problems);
    if (!tree) return std::nullopt;
    const std::optional<formula::Type> type = formula::check(*tree, bindings.scope_of(*tree), source, problems);
    if (!type) return std::nullopt;
    if (*type != wanted.type) {
        const bool wants_real = wanted.type == formula::Type::real;
        problems.add(formula::place_of(source, (*tree)->span),
                     wants_real ? "the formula is a condition" : "the formula is a number",
                     wants_real ? "a number" : "a condition, such as n < 100");
        return std::nullopt;
    }
    const std::size_t before = problems.reports();
    formula::check_ranges(*tree, source, problems);
    formula::check_choices(*tree, source, problems);
    if (problems.reports() != before) return std::nullopt;
    if (wanted.type == formula::Type::boolean) {
        if (const auto idle = formula::find_idle(*tree, {}, evaluate::decide_for_all)) {
            problems.add(formula::describe(*idle, source, "the variables"));
            return std::nullopt;
        }
    }
    declaration.uses->names.merge(bindings.behind(*tree));
    const std::optional<formula::Node> whole = bindings.put_in(*tree, source.at, problems);
    if (!whole) return std::nullopt;
    for (const std::string& name : formula::free_names(*whole)) declaration.uses->names.insert(name);
    return Checked{*whole, std::move(source)};
}

std::optional<Checked> read_formula(const Declaration& declaration, const Formula& wanted, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find(wanted.key);
    if (!entry) return std::nullopt;
    use_key(declaration, wanted.key);
    return read_formula(declaration, entry->value, wanted, problems);
}

std::optional<Selection> read_scheme(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("scheme");
    if (!entry || !entry->value.string()) return std::nullopt;
    use_key(declaration, "scheme");
    const std::string& name = *entry->value.string();
    const scheme::Scheme* found = declaration.schemes.find(name);
    if (!found) {
        problems.add(declaration.schemes.unknown(name, entry->value.place));
        return std::nullopt;
    }
    Selection selection{*found, {}, entry->value.place};
    const std::size_t problems_before = problems.reports();
    for (const scheme::ContextKey& row : scheme::context_keys()) {
        const core::Entry* given = declaration.settings.find(row.key);
        if (given && given->value.is_number()) scheme::require_double(given->value, problems);
    }
    const bool has_params = apply_settings(declaration, "params", selection, problems);
    const bool has_let = apply_settings(declaration, "let", selection, problems);
    if (!has_params || !has_let || problems.reports() != problems_before) return std::nullopt;
    const auto texts = param_texts(declaration, *found);
    if (!texts.empty())
        selection.scheme = declaration.schemes.with_placed_params(
            name, texts, [&](std::string_view param) { return place_of_param(declaration, param); }, problems);
    for (const scheme::ContextKey& row : scheme::context_keys())
        if (const auto number = core::read_number(declaration.settings, row.key))
            selection.context.*row.member = *number;
    return selection;
}

void require_keys(const scheme::Piece& piece, const std::function<bool(std::string_view)>& is_given,
                  const core::Place& place, core::Problems& problems, bool has_positions) {
    std::vector<std::string> used = formula::free_names(piece.formula);
    if (piece.when) {
        for (const std::string& name : formula::free_names(piece.when)) used.push_back(name);
    }
    for (const scheme::ContextKey& row : scheme::context_keys()) {
        // Ltr is L where it has no value of its own.
        const bool has_length = has_positions || (row.variable == "Ltr" && is_given("length"));
        const bool is_derived = ((row.variable == "L" || row.variable == "Ltr") && has_length) || row.key == "width";
        if (is_derived || !holds(used, row.variable) || is_given(row.key)) continue;
        problems.add(place, "the scheme's formula uses " + std::string(row.variable) + ", which has no value here",
                     "the key '" + std::string(row.key) + "'");
    }
}

void use_default_length(Selection& selection, const numerics::Rational& largest, const core::Place& place,
                        core::Problems& problems) {
    double& length = selection.context.length;
    if (length != 0) return;
    const numerics::Rational exact = std::max(numerics::Rational(largest + 1), numerics::Rational(1));
    length = numerics::nearest(exact);
    if (numerics::exactly(length) == exact) return;
    for (const scheme::NamedFormula& each : scheme::formulas_of(selection.scheme)) {
        const std::vector<std::string> names = formula::free_names(each.formula);
        if (!holds(names, "L") && !holds(names, "Ltr")) continue;
        problems.add(place,
                     "L, the largest position + 1, is " + numerics::rational_text(exact) + ", which no double equals",
                     "positions below 2^53: " + each.name + " depends on L");
        return;
    }
}

void require_context(const Declaration& declaration, const scheme::Piece& piece, core::Problems& problems) {
    const auto is_given = [&](std::string_view key) { return declaration.settings.find(key) != nullptr; };
    require_keys(piece, is_given, place_of_key(declaration, "scheme"), problems);
    use_piece(declaration, piece);
}

void use_piece(const Declaration& declaration, const scheme::Piece& piece) {
    declaration.uses->names.insert(piece.depends.begin(), piece.depends.end());
    for (const formula::Node& tree : {piece.formula, piece.when}) {
        if (!tree) continue;
        for (std::string& name : formula::free_names(tree)) declaration.uses->names.insert(std::move(name));
    }
}

void require_variable(const Declaration& declaration, std::string_view key, const Checked& condition,
                      const std::vector<std::string>& variables, core::Problems& problems) {
    const std::vector<std::string> used = formula::free_names(condition.tree);
    if (std::any_of(variables.begin(), variables.end(), [&](const std::string& name) { return holds(used, name); }))
        return;
    problems.add(place_of_key(declaration, key), "'" + std::string(key) + "' depends on no variable of 'over'",
                 "a condition that holds for some of its values");
}

void use_key(const Declaration& declaration, std::string_view key) {
    declaration.uses->keys.insert(std::string(key));
}

std::string_view one_of(const Declaration& declaration, std::initializer_list<std::string_view> keys,
                        core::Problems& problems) {
    std::vector<std::string_view> found;
    std::string list;
    for (const std::string_view key : keys) {
        if (declaration.settings.find(key)) found.push_back(key);
        list += (list.empty() ? "'" : " or '") + std::string(key) + "'";
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) {
        problems.add(declaration.place, "quantity '" + declaration.name + "' has nothing to compute from", list);
    } else {
        problems.add(place_of_key(declaration, found.back()),
                     "'" + std::string(found.back()) + "' and '" + std::string(found.front()) + "' are both given",
                     "one of them");
    }
    return {};
}

}  // namespace farfield::quantity
