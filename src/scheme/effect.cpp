#include "scheme/effect.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <farfield/formula/derivative.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/recipe.hpp>

#include "formula/bounds.hpp"
#include "formula/form.hpp"
#include "formula/ranges.hpp"

namespace farfield::scheme {
namespace {

/// What is true of pairs, heads, layers and lengths. p is a position, unless it counts from another place than the
/// start.
formula::Facts facts_of_positions(bool is_causal, bool has_origin) {
    formula::Facts facts = formula::facts_of_pairs(is_causal);
    const formula::Facts others = formula::read_facts(
        "i >= 0 and h >= 1 and H >= h and d >= 2*i + 1 and layer >= 1 and R >= layer and Ltr >= 1 and "
        "i == floor(i) and h == floor(h) and layer == floor(layer)");
    const formula::Facts of_position = formula::read_facts("p >= 0 and p < L");
    facts.insert(facts.end(), others.begin(), others.end());
    if (!has_origin) facts.insert(facts.end(), of_position.begin(), of_position.end());
    return facts;
}

using formula::Node;

bool depends_on_one_of(const Node& tree, std::initializer_list<std::string_view> names) {
    const std::vector<std::string> free = formula::free_names(tree);
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return std::find(free.begin(), free.end(), name) != free.end(); });
}

class EffectCheck {
public:
    EffectCheck(const core::Entries& own, const Scheme& scheme, const core::Place& place, const formula::Decide& decide,
                core::Problems& problems)
        : own_(own), scheme_(scheme), place_(place), decide_(decide), problems_(problems) {}

    void run() {
        check_parts();
        for (const NamedPiece& each : pieces_of(scheme_)) {
            if (each.piece->when) check_condition(each.name + ".when", each.piece->when, each.piece->when_source);
            if (is_own(each.name)) check_piece(each.name, *each.piece);
        }
        check_embedding();
        check_far();
        for (const Learned& each : scheme_.learn) each.size > 0 ? check_table(each) : check_learned(each);
    }

private:
    /// Whether the scheme's own settings have it. An inherited piece is the responsibility of the scheme that defines
    /// it.
    bool is_own(const std::string& name) const { return own_.find(name.substr(0, name.find('.'))) != nullptr; }

    void refuse(const core::Place& place, const std::string& found, const char* wanted) {
        problems_.add(place, found, wanted);
    }

    void check_parts() {
        // check_keys() checks the tables after inheritance.
        for (const core::Entry& each : own_.list)
            if (each.value.entries() && each.value.entries()->empty() && each.key != "relative")
                refuse(each.value.place, "'" + each.key + "' is empty", "at least one value, or no such key");
        const bool has_part = scheme_.embed || scheme_.rotate || scheme_.bias || scheme_.mask || scheme_.temperature ||
                              scheme_.relative || !scheme_.causal;
        if (!has_part)
            refuse(place_, "the scheme '" + scheme_.name + "' has no part",
                   "a bias, mask, rotation or embedding, or the scheme nope in its place");
    }

    /// For a condition that is not constant, checks its form; params and let names may have any value.
    void check_condition(const std::string& name, const Node& resolved, const formula::Source& source) {
        if (!is_own(name)) return;
        const bool is_of_pairs = name == "mask" || name == "rotate.far.where";
        if (is_of_pairs && !depends_on_one_of(resolved, {"q", "k", "n"}))
            return refuse(source.at, "'" + name + "' is the same for all queries and keys", "a condition of q, k or n");
        if (formula::free_names(resolved).empty())
            return refuse(source.at, "'" + name + "' is always the same",
                          "a condition of L, Ltr, q or another variable");
        const formula::Facts facts = facts_of(name);
        const Node written = formula::parse(source);
        const std::size_t before = problems_.size();
        formula::check_ranges(written, source, problems_);
        formula::check_choices(written, source, problems_);
        if (problems_.size() != before) return;
        if (const auto idle = formula::find_idle_of_pairs(written, facts, decide_))
            return problems_.add(formula::describe(*idle, source, "its variables"));
        const auto idle = formula::find_idle(resolved, facts, decide_);
        if (idle && idle->why == formula::Idle::Why::fails && idle->part == resolved)
            refuse(source.at, "'" + name + "' is false for these params, whatever its variables are",
                   "params for which it may be true");
    }

    /// Whether a comparison of the piece with 0 is known to be true, or false, for all values of its variables.
    bool is_known(formula::Idle::Why why, const std::string& name, const Node& formula, formula::Op op) const {
        const Node condition = formula::make(op, {formula, formula::make_number("0")});
        const auto idle = formula::find_idle(condition, facts_of(name), decide_);
        return idle && idle->why == why && idle->part == condition;
    }

    formula::Facts facts_of(const std::string& name) const {
        const bool has_origin = name.starts_with("rotate.scale") && scheme_.rotate->origin != Origin::start;
        return facts_of_positions(scheme_.causal, has_origin);
    }

    /// Checks the conditions inside a formula.
    void check_choices(const std::string& name, const Node& tree, const formula::Source& source) {
        if (tree->op == formula::Op::select && tree->kind == formula::Kind::operation)
            if (const auto idle = formula::find_idle(tree->children[0], facts_of(name), decide_))
                problems_.add(formula::describe(*idle, source, "its variables"));
        for (const Node& child : tree->children) check_choices(name, child, source);
    }

    /// A typed index must be one of the table's.
    void check_indexes(const Node& tree, const formula::Source& source) {
        for (const Node& child : tree->children) check_indexes(child, source);
        if (tree->kind != formula::Kind::index) return;
        const auto index = formula::number_in(formula::sum_of(tree->children[0]));
        const auto table = std::find_if(scheme_.learn.begin(), scheme_.learn.end(),
                                        [&](const Learned& each) { return each.name == tree->text; });
        if (!index || table == scheme_.learn.end() || table->size == 0) return;
        if (numerics::is_integer(*index) && *index >= 0 && *index < table->size) return;
        problems_.add(formula::place_of(source, tree->span),
                      "the index of '" + tree->text + "' is " + numerics::rational_text(*index),
                      "an integer from 0 to " + std::to_string(table->size - 1));
    }

    void check_piece(const std::string& name, const Piece& piece) {
        const core::Place& at = piece.source.at;
        const Node written = formula::parse(piece.source);
        check_indexes(written, piece.source);
        check_choices(name, written, piece.source);
        const bool is_condition = name == "mask" || name == "rotate.far.where";
        if (!is_condition) formula::check_ranges(written, piece.source, problems_);
        if (!is_condition) formula::check_choices(written, piece.source, problems_);
        if (is_condition) return check_condition(name, piece.formula, piece.source);
        const Node distance = formula::parse("q - k");
        const std::optional<numerics::Rational> number =
            formula::number_in(formula::sum_of(formula::substitute(formula::parse(piece.source), {{"n", distance}})));
        // Params may make a bias 0, for a baseline.
        const bool is_zero =
            number ? *number == 0
                   : is_known(formula::Idle::Why::holds, name, formula::parse(piece.source), formula::Op::equals);
        if (name == "bias" && is_zero) return refuse(at, "'bias' is 0 everywhere", "a formula that is not, or no bias");
        const std::string simplified = formula::print(formula::simplify(formula::parse(piece.source)));
        if (name == "bias" && simplified == "-inf")
            return refuse(at, "'bias' is -inf everywhere, which masks all keys", "a formula that may be finite");
        if (name == "bias" && simplified == "inf")
            return refuse(at, "'bias' is inf everywhere, and the softmax has no value", "a formula that may be finite");
        // A bias that is one number may be compared with a number of an implementation.
        const bool is_number = formula::free_names(piece.formula).empty();
        if (name == "bias" && !is_number && !depends_on_one_of(piece.formula, {"k", "n"}))
            return refuse(at, "'bias' is the same for all keys of a query, which the softmax cancels",
                          "a formula of k or n");
        if (name == "temperature" && number && (*number == 1 || *number <= 0))
            refuse(at,
                   *number == 1   ? "'temperature' is 1, which changes nothing"
                   : *number == 0 ? "'temperature' is 0: all logits are 0"
                                  : "'temperature' is below 0: it reverses the order of the logits",
                   "a factor above 0 other than 1, or no temperature");
        if (name == "temperature" && !number &&
            is_known(formula::Idle::Why::fails, name, piece.formula, formula::Op::greater))
            return refuse(at, "'temperature' is 0 or below for all values of its variables",
                          "a factor that may be above 0");
        if (const auto cancelled = formula::cancelled_name(formula::parse(piece.source)))
            return refuse(at, "'" + *cancelled + "' cancels out of '" + name + "'", "a formula without it");
        if (name == "rotate.angle" && !scheme_.rotate->scale && !depends_on_one_of(piece.formula, {"p"}))
            refuse(at, "'angle' is the same at all positions, which attention does not see", "a formula of p");
        if (name == "rotate.scale" && !depends_on_one_of(piece.formula, {"p"}))
            refuse(at, "'scale' is the same at all positions: queries are multiplied by it and keys divided",
                   "a formula of p, or no scale");
    }

    /// Adds upper bounds of the table's indexes in the formula; nothing for an index whose bound is not known.
    void add_bounds(const Node& tree, const std::string& table, const formula::Facts& facts,
                    std::vector<std::optional<numerics::Rational>>& bounds) const {
        for (const Node& child : tree->children) add_bounds(child, table, facts, bounds);
        if (tree->kind != formula::Kind::index || tree->text != table) return;
        formula::Bounds known(facts);
        known.learn(tree->children[0]);
        const auto greatest = known.of(formula::sum_of(tree->children[0])).greatest;
        bounds.push_back(greatest ? std::optional(greatest->at) : std::nullopt);
    }

    /// Params must not leave entries of an inherited table without use. A table that the scheme itself declares may
    /// have the size of an implementation's table.
    void check_table(const Learned& table) {
        const core::Entry* params = own_.find("params");
        if (!params || own_.find("learn")) return;
        std::vector<std::optional<numerics::Rational>> bounds;
        for (const NamedFormula& each : formulas_of(scheme_))
            add_bounds(each.formula, table.name, facts_of(each.name), bounds);
        const auto is_known = [](const auto& each) { return each.has_value(); };
        if (bounds.empty() || !std::all_of(bounds.begin(), bounds.end(), is_known)) return;
        const numerics::Rational greatest = **std::max_element(bounds.begin(), bounds.end());
        if (greatest < 0 || greatest >= table.size - 1) return;
        const std::string used = numerics::rational_text(numerics::Rational(numerics::floor_of(greatest) + 1));
        problems_.add(params->value.place,
                      "the table '" + table.name + "' has " + std::to_string(table.size) +
                          " entries, but its index is below " + used,
                      "the size " + used + ", or params with larger indexes");
    }

    /// Whether attention changes with a name of the piece: its slope is not 0, and not a term that all keys of a query
    /// share.
    bool has_effect(const NamedPiece& each, const std::string& name) const {
        const Node slope = formula::derivative(each.piece->formula, name);
        if (formula::print(slope) == "0") return false;
        if (each.name == "bias") return depends_on_one_of(slope, {"k", "n"});
        if (each.name == "rotate.angle" && !scheme_.rotate->scale && !scheme_.rotate->far)
            return depends_on_one_of(slope, {"p"});
        return true;
    }

    /// Training must be able to learn the number.
    void check_learned(const Learned& learned) {
        const core::Entry* own = own_.find("learn");
        const core::Entry* entry = own && own->value.entries() ? own->value.entries()->find(learned.name) : nullptr;
        if (!entry) return;
        std::vector<std::string> without;
        for (const NamedPiece& each : pieces_of(scheme_)) {
            const bool is_condition = each.name == "mask" || each.name == "rotate.far.where";
            if (is_condition || !depends_on_one_of(each.piece->formula, {learned.name})) continue;
            if ((learned.per_head || learned.per_layer) && each.name.starts_with("embed"))
                return refuse(entry->key_place,
                              "'" + learned.name + "' is learned per head or layer, and 'embed' has neither",
                              "one number for the model");
            if (has_effect(each, learned.name)) return;
            without.push_back(each.name);
        }
        if (!without.empty())
            refuse(entry->key_place,
                   "'" + learned.name + "' cannot be learned: attention does not change with it in '" +
                       without.front() + "'",
                   "a formula whose derivative by it is not the same for all keys");
    }

    void check_embedding() {
        if (!scheme_.embed || scheme_.embed->learned) return;
        const core::Place* at = nullptr;
        for (const std::optional<Piece>* piece : {&scheme_.embed->even, &scheme_.embed->odd}) {
            if (!*piece) continue;
            if (depends_on_one_of((*piece)->formula, {"p"})) return;
            at = &(*piece)->source.at;
        }
        if (at && is_own("embed")) refuse(*at, "'embed' is the same at all positions", "a formula of p");
    }

    void check_far() {
        if (!scheme_.rotate || !scheme_.rotate->far) return;
        const FarRotation& far = *scheme_.rotate->far;
        const Piece& angle = scheme_.rotate->angle;
        const auto is_angle = [&](const Piece& piece) {
            return !piece.when && !angle.when && formula::equal(piece.formula, angle.formula);
        };
        if (is_own("rotate") && is_angle(far.query) && (!far.key || is_angle(*far.key)))
            refuse(far.query.source.at, "'far' rotates by the same angle as 'angle'", "another angle, or no 'far'");
    }

    const core::Entries& own_;
    const Scheme& scheme_;
    const core::Place& place_;
    const formula::Decide& decide_;
    core::Problems& problems_;
};

}  // namespace

void check_effect(const core::Entries& own, const Scheme& scheme, const core::Place& place,
                  const formula::Decide& decide, core::Problems& problems) {
    EffectCheck(own, without_recipe(scheme), place, decide, problems).run();
}

}  // namespace farfield::scheme
