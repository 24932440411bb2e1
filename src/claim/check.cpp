#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/claim/claim.hpp>
#include <farfield/evaluate/enclose.hpp>

#include "claim/bind.hpp"
#include "claim/find.hpp"
#include "claim/reference.hpp"
#include "claim/scale.hpp"
#include "formula/comparison.hpp"
#include "formula/form.hpp"

namespace farfield::claim {

namespace {

/// Visits every mention in the claim, with the text that contains it.
void for_each_mention(const Claim& claim, const std::function<void(const Mention&, const formula::Source&)>& use) {
    const auto visit = [&use](const Condition& condition) {
        for (const Mention& mention : mentions(condition.tree)) use(mention, condition.source);
    };
    for (const Reading& reading : claim.readings) {
        if (reading.holds) visit(*reading.holds);
        for (const Condition& shown : reading.shows) visit(shown);
    }
}

/// Whether a quantity has the name, or the sweep that it is an item of.
bool is_quantity(const std::vector<std::string>& quantities, const std::string& name) {
    return std::any_of(quantities.begin(), quantities.end(), [&](const std::string& each) {
        return each == name || (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '[');
    });
}

void check_variables(const formula::Node& tree, const formula::Source& source,
                     const std::vector<std::string>& quantities, core::Problems& problems) {
    if (tree->kind == formula::Kind::reduction && is_quantity(quantities, tree->text))
        problems.add(formula::place_of(source, tree->span), "the variable '" + tree->text + "' hides a quantity",
                     "a name not yet in use");
    for (const formula::Node& child : tree->children) check_variables(child, source, quantities, problems);
}

/// Thresholds and variables of reductions must not hide quantities.
void check_hidden(const Claim& claim, const std::vector<std::string>& quantities, core::Problems& problems) {
    const auto check_given = [&](const std::vector<Declared>& given) {
        for (const Declared& each : given) {
            if (is_quantity(quantities, each.name))
                problems.add(each.place, "the threshold '" + each.name + "' hides a quantity", "another name");
        }
    };
    check_given(claim.thresholds);
    for (const Reading& reading : claim.readings) {
        check_given(reading.thresholds);
        if (reading.holds) check_variables(reading.holds->tree, reading.holds->source, quantities, problems);
        for (const Condition& shown : reading.shows) check_variables(shown.tree, shown.source, quantities, problems);
    }
}

/// Checks a mention whose indexes are numbers that do not depend on the variables of enclosing reductions.
std::optional<NameProblem> problem_of_mention(const Mention& mention, const core::Series& series,
                                              const std::vector<const core::Result*>& results) {
    std::vector<std::optional<numerics::Rational>> coordinates;
    for (const formula::Node& index : mention.node->children) {
        if (!formula::free_names(index).empty()) return std::nullopt;
        coordinates.push_back(Binding(index, results, nullptr).exact());
    }
    return problem_of_row(mention.node->text, series, coordinates);
}

/// Visits the mentions whose values a tree always needs: not those in branches, operands of `and` and `or`, or bodies
/// of reductions, which may be guarded.
void for_each_needed(const formula::Node& tree, const std::function<void(const Mention&)>& use) {
    const bool is_guarded = tree->kind != formula::Kind::operation || tree->op == formula::Op::select ||
                            formula::row(tree->op).result == formula::Type::boolean;
    if (tree->kind == formula::Kind::index)
        for (const Mention& mention : mentions(tree)) use(mention);
    else if (!is_guarded)
        for (const formula::Node& child : tree->children) for_each_needed(child, use);
}

/// Reports rows that a series lacks at the ends of the range of an all() or exists() over a comparison.
void check_ends(const formula::Node& tree, const formula::Source& source,
                const std::vector<const core::Result*>& results, core::Problems& problems) {
    for (const formula::Node& child : tree->children) check_ends(child, source, results, problems);
    if (tree->kind != formula::Kind::reduction || !formula::is_comparison(tree->children[2])) return;
    const auto check = [&](const Mention& mention, const formula::Node& end) {
        const core::Result* result = find_result(results, mention.reference.quantity);
        std::optional<NameProblem> problem;
        const Target target = result ? find_target(mention, *result, problem) : Target{};
        if (!target.column) return;
        const formula::Node at_end = formula::substitute(mention.node, {{tree->text, end}});
        problem = problem_of_mention({at_end, mention.reference}, *target.series, results);
        if (problem)
            problems.add(formula::place_of(source, mention.node->span), problem->found, problem->wanted, problem->hint);
    };
    for (const formula::Node& end : {tree->children[0], tree->children[1]})
        for (const formula::Node& side : tree->children[2]->children)
            for_each_needed(side, [&](const Mention& mention) { check(mention, end); });
}

/// A field without the brackets after it, and the brackets.
std::pair<std::string, std::string> parts_of_field(const std::string& field) {
    const std::size_t bracket = std::min(field.find('['), field.size());
    return {field.substr(0, bracket), field.substr(bracket)};
}

/// A fact with each field replaced by its name in the condition, and each row by the row with these indexes, if there
/// are any.
formula::Node renamed(const formula::Node& fact, const std::function<formula::Node(const std::string& field)>& named,
                      const std::string& quantity, const std::vector<formula::Node>& indexes) {
    const bool is_of_another = !split(fact->text).field.empty() || fact->text.find('[') != std::string::npos;
    if (fact->kind == formula::Kind::name) return is_of_another || is_constant(fact->text) ? fact : named(fact->text);
    if (fact->kind == formula::Kind::index && !is_of_another && !indexes.empty())
        return formula::make_index(quantity + "." + fact->text, indexes);
    std::vector<formula::Node> children;
    for (const formula::Node& child : fact->children) children.push_back(renamed(child, named, quantity, indexes));
    if (fact->kind == formula::Kind::index)
        return formula::make_index(is_of_another ? fact->text : quantity + "." + fact->text, std::move(children));
    return with_children(fact, std::move(children));
}

/// Collects what is stated of the quantities that a condition mentions.
class Stated {
public:
    explicit Stated(const FactsOf& facts_of) : facts_of_(facts_of) {}

    /// Adds the facts about the mentioned field or row, and once those about all single fields of its quantity.
    void add(const Mention& mention) {
        const std::string& quantity = mention.reference.quantity;
        const std::string stem = parts_of_field(mention.reference.field).first;
        const std::string brackets = parts_of_field(mention.reference.field).second;
        const bool is_indexed = mention.node->kind == formula::Kind::index;
        const bool is_new = !facts_.contains(quantity);
        formula::Facts& known = facts_[quantity];
        if (is_new)
            for (const std::string& text : facts_of_(quantity))
                for (const formula::Node& fact : formula::read_facts(text)) known.push_back(fact);
        const auto plain = [&](const std::string& name) { return formula::make_name(quantity + "." + name); };
        const auto bracketed = [&](const std::string& name) {
            const std::string all = quantity + "." + name + brackets;
            return is_indexed ? formula::make_index(all, mention.node->children) : formula::make_name(all);
        };
        for (const formula::Node& fact : known) {
            const formula::Node& about = fact->children[0];
            const bool is_of_rows = about->kind == formula::Kind::index;
            if (is_new && !is_of_rows) keep(renamed(fact, plain, quantity, {}));
            if (about->text != (stem.empty() ? "value" : stem)) continue;
            if (is_of_rows && is_indexed) keep(renamed(fact, plain, quantity, mention.node->children));
            if (!is_of_rows && (is_indexed || !brackets.empty())) keep(renamed(fact, bracketed, quantity, {}));
        }
    }

    formula::Facts all() && { return std::move(all_); }

private:
    void keep(const formula::Node& fact) { all_.push_back(with_short_names(fact)); }

    const FactsOf& facts_of_;
    std::map<std::string, formula::Facts> facts_;
    formula::Facts all_;
};

/// What the kinds and declarations of the mentioned quantities state of their fields.
formula::Facts facts_about(const std::vector<Mention>& mentions, const FactsOf& facts_of) {
    Stated stated(facts_of);
    for (const Mention& mention : mentions) stated.add(mention);
    return std::move(stated).all();
}

/// For each quantity of a claim, the first one with the same settings, if that is another.
using Originals = std::map<std::string, std::string>;

Originals find_originals(const Claim& claim, const SettingsOf& settings_of) {
    Originals originals;
    std::map<std::string, std::string> first;
    for (const std::string& name : quantities_of(claim)) {
        const auto [known, is_new] = first.emplace(settings_of(name), name);
        if (!is_new) originals.emplace(name, known->second);
    }
    return originals;
}

/// The tree with each quantity under the name of its original.
formula::Node with_originals(const formula::Node& tree, const Originals& originals) {
    std::vector<formula::Node> children;
    for (const formula::Node& child : tree->children) children.push_back(with_originals(child, originals));
    const bool is_mention = tree->kind == formula::Kind::name || tree->kind == formula::Kind::index;
    const std::string quantity = is_mention ? split(tree->text).quantity : "";
    const auto original = originals.find(quantity);
    if (original == originals.end()) return with_children(tree, std::move(children));
    const std::string name = original->second + tree->text.substr(quantity.size());
    return tree->kind == formula::Kind::name ? formula::make_name(name, tree->span)
                                             : formula::make_index(name, std::move(children), tree->span);
}

/// Whether both conditions hold, or both fail, for all values of the quantities.
bool is_one_condition(const formula::Node& a, const formula::Node& b) {
    const auto fails = [](const formula::Node& first, const formula::Node& second) {
        const formula::Node both =
            formula::make(formula::Op::logical_and, {first, formula::make(formula::Op::logical_not, {second})});
        const auto idle = formula::find_idle(both);
        return idle && idle->why == formula::Idle::Why::fails && idle->part == both;
    };
    return formula::equal(a, b) || (fails(a, b) && fails(b, a));
}

formula::Node negation(const formula::Node& condition) {
    return formula::make(formula::Op::logical_not, {condition});
}

formula::Node content_of(const formula::Node& tree, const Originals& originals) {
    return with_short_names(with_originals(without_printed(tree), originals));
}

/// Reports readings whose condition is that of an earlier reading, or its negation.
void check_repeated_readings(const Claim& claim, const Originals& originals, core::Problems& problems) {
    for (std::size_t at = 0; at < claim.readings.size(); ++at) {
        const Reading& reading = claim.readings[at];
        if (!reading.holds) continue;
        const formula::Node own = with_short_names(with_originals(reading.holds->tree, originals));
        for (std::size_t earlier = 0; earlier < at; ++earlier) {
            const Reading& other = claim.readings[earlier];
            if (!other.holds) continue;
            const formula::Node before = with_short_names(with_originals(other.holds->tree, originals));
            const bool is_repeated = is_one_condition(own, before);
            if (!is_repeated && !is_one_condition(own, negation(before))) continue;
            const std::string what = is_repeated ? "the condition is that of the reading '"
                                                 : "the condition is the negation of the reading '";
            problems.add(formula::place_of(reading.holds->source, reading.holds->tree->span), what + other.name + "'",
                         "another condition, or one reading");
            break;
        }
    }
}

/// The range of a name in pieces. A quantity that is not bounded may be beyond the doubles, as 10^600 is.
std::vector<core::Enclosure> pieces_of(const core::Enclosure& range) {
    constexpr double largest = std::numeric_limits<double>::max();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<core::Enclosure> pieces = {range};
    if (range.hi == largest) pieces.push_back({largest, infinity});
    if (range.lo == -largest) pieces.push_back({-infinity, -largest});
    return pieces;
}

/// evaluate::decide_for_all over all real numbers: the truth value must be the same for all choices of pieces.
std::optional<bool> decide_for_all_reals(const formula::Node& condition, const formula::RangeOf& range_of) {
    constexpr std::size_t most_choices = 243;  // of five names without bounds
    std::map<std::string, std::vector<core::Enclosure>> pieces;
    const auto noted = [&](const formula::Node& name) {
        const core::Enclosure range = range_of(name);
        pieces[formula::print(name)] = pieces_of(range);
        return range;
    };
    const std::optional<bool> truth = evaluate::decide_for_all(condition, noted);
    std::size_t choices = 1;
    for (const auto& [name, each] : pieces) choices *= std::min(each.size(), most_choices + 1);
    if (!truth || choices > most_choices) return std::nullopt;
    for (std::size_t choice = 1; choice < choices; ++choice) {
        std::map<std::string, core::Enclosure> chosen;
        std::size_t left = choice;
        for (const auto& [name, each] : pieces) {
            chosen[name] = each[left % each.size()];
            left /= each.size();
        }
        const auto range = [&](const formula::Node& name) { return chosen.at(formula::print(name)); };
        if (evaluate::decide_for_all(condition, range) != truth) return std::nullopt;
    }
    return truth;
}

/// The part that has no effect, or a threshold that cancels out.
std::optional<formula::Idle> find_idle_part(const Reading& reading, const FactsOf& facts_of,
                                            const Originals& originals) {
    const formula::Node condition = content_of(reading.holds->tree, originals);
    const formula::Facts facts = facts_about(mentions(condition), facts_of);
    auto idle = formula::find_idle(condition, facts, decide_for_all_reals);
    if (idle || reading.given.empty()) return idle;
    // Whether a part has another effect for other thresholds does not matter.
    const auto of_open = formula::find_idle(content_of(reading.open, originals), facts, decide_for_all_reals);
    return of_open && of_open->why == formula::Idle::Why::cancels ? of_open : std::nullopt;
}

/// Reports a formula of quantities that does not depend on them. A formula of typed numbers states a computation of the
/// source.
void check_shown(const Condition& shown, const Originals& originals, core::Problems& problems) {
    const formula::Node tree = content_of(shown.tree, originals);
    if (mentions(tree).empty()) return;
    const core::Place place = formula::place_of(shown.source, tree->span);
    const std::string text = "'" + formula::written(shown.source, tree) + "'";
    if (const auto number = formula::number_in(formula::sum_of(tree)))
        problems.add(place, text + " is " + numerics::rational_text(*number) + " whatever the quantities are",
                     "a formula that depends on them");
    else if (const auto name = formula::cancelled_name(tree))
        problems.add(place, "'" + *name + "' cancels out of " + text, "a formula without it");
}

bool are_equal(const Condition& a, const Condition& b) {
    return formula::equal(a.tree, b.tree);
}

bool have_equal_conditions(const Reading& a, const Reading& b) {
    if (a.holds && b.holds) return are_equal(*a.holds, *b.holds);
    return !a.holds && !b.holds &&
           std::equal(a.shows.begin(), a.shows.end(), b.shows.begin(), b.shows.end(), are_equal);
}

/// Reports an expected verdict that has the wrong form for what the condition is about.
void check_scale_of(const std::optional<core::Verdict>& expected, bool is_trained, const core::Place& place,
                    core::Problems& problems) {
    if (!expected) return;
    const core::Verdict fitting = is_trained ? core::at_scale(*expected) : core::without_scale(*expected);
    if (fitting == *expected) return;
    problems.add(place,
                 "the verdict of a condition " + std::string(is_trained ? "on" : "without") +
                     " results of trained models is never '" + std::string(core::verdict_name(*expected)) + "'",
                 "expect = \"" + std::string(core::verdict_name(fitting)) + "\"");
}

}  // namespace

void check_repeated(const Claim& claim, const std::vector<Claim>& earlier, core::Problems& problems) {
    const auto is_alike = [&](const Claim& other) {
        return claim.says == other.says && claim.source == other.source &&
               std::equal(claim.readings.begin(), claim.readings.end(), other.readings.begin(), other.readings.end(),
                          have_equal_conditions);
    };
    const auto found = std::find_if(earlier.begin(), earlier.end(), is_alike);
    if (found != earlier.end())
        problems.add(claim.place, "the claim '" + claim.id + "' repeats the claim '" + found->id + "'",
                     "another text, source or condition, or one claim");
}

std::vector<std::string> quantities_of(const Claim& claim) {
    std::vector<std::string> names;
    for_each_mention(claim, [&names](const Mention& mention, const formula::Source&) {
        const std::string& name = mention.reference.quantity;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    });
    return names;
}

void check_names(const Claim& claim, const std::vector<std::string>& quantities, core::Problems& problems) {
    check_hidden(claim, quantities, problems);
    for_each_mention(claim, [&](const Mention& mention, const formula::Source& source) {
        const std::string& name = mention.reference.quantity;
        if (std::find(quantities.begin(), quantities.end(), name) != quantities.end()) return;
        const core::Place place = formula::place_of(source, mention.node->span);
        const auto is_written_at = [&](const std::string& known, std::size_t part) {
            const std::size_t at = mention.node->span.offset;
            return part <= at && source.text.compare(at - part, known.size(), known) == 0;
        };
        for (const std::string& known : quantities) {
            // A name with a minus sign is read as a difference, of which each name is unknown; the first is reported.
            const std::size_t part = ("-" + known + "-").find("-" + name + "-");
            if (known.find('-') == std::string::npos || part == std::string::npos || !is_written_at(known, part))
                continue;
            if (part == 0)
                problems.add(place, "the name '" + known + "' is read as a difference", "the name in quotes",
                             "Write '" + known + "' with quotes of its own, such as '" + known + "'[3].");
            return;
        }
        const auto item = std::find_if(quantities.begin(), quantities.end(),
                                       [&](const std::string& known) { return known.starts_with(name + "["); });
        if (item != quantities.end())
            problems.add(place, "'" + name + "' is a sweep", "one of its items, in quotes: '" + *item + "'");
        else
            problems.add(place, "unknown quantity '" + name + "'",
                         quantities.empty() ? "a quantity of the study; it has none" : "",
                         quantities.empty() ? "" : core::known_here(name, quantities));
    });
}

void check_form(const Claim& claim, const FactsOf& facts_of, const SettingsOf& settings_of, core::Problems& problems) {
    const Originals originals = find_originals(claim, settings_of);
    check_repeated_readings(claim, originals, problems);
    for (const Reading& reading : claim.readings) {
        for (const Condition& shown : reading.shows) check_shown(shown, originals, problems);
        if (!reading.holds) continue;
        const auto idle = find_idle_part(reading, facts_of, originals);
        if (!idle) continue;
        core::Diagnostic problem = formula::describe(*idle, reading.holds->source, "the quantities");
        for (const auto& [name, original] : originals)
            problem.hint +=
                (problem.hint.empty() ? "" : " ") + ("'" + name + "' has the settings of '" + original +
                                                     "', apart from keys on which its result does not depend.");
        problems.add(std::move(problem));
    }
}

void check_scale(const Claim& claim, const std::function<bool(const std::string& quantity)>& is_trained,
                 core::Problems& problems) {
    const AtScale found = at_scale(claim, is_trained);
    for (std::size_t i = 0; i < claim.readings.size(); ++i)
        check_scale_of(claim.readings[i].expected, found.readings[i], claim.readings[i].expect_place, problems);
    check_scale_of(claim.expected, found.claim, claim.expect_place, problems);
}

void check_fields(const Claim& claim, const std::vector<const core::Result*>& results, core::Problems& problems) {
    for_each_mention(claim, [&](const Mention& mention, const formula::Source& source) {
        const core::Result* result = find_result(results, mention.reference.quantity);
        if (!result) return;
        std::optional<NameProblem> problem;
        const Target target = find_target(mention, *result, problem);
        if (target.column) problem = problem_of_mention(mention, *target.series, results);
        if (problem)
            problems.add(formula::place_of(source, mention.node->span), problem->found, problem->wanted, problem->hint);
    });
    for (const Reading& reading : claim.readings)
        if (reading.holds) check_ends(reading.holds->tree, reading.holds->source, results, problems);
}

}  // namespace farfield::claim
