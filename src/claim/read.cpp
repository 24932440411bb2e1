#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>

#include <farfield/claim/claim.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/names.hpp>

#include "claim/expand.hpp"
#include "claim/reference.hpp"
#include "formula/ranges.hpp"

namespace farfield::claim {

using core::Entries;
using core::Problems;
using core::Value;
using formula::Node;

namespace {

/// A name of `given`: its value, and whether a condition uses it.
struct Threshold {
    std::string decimal;
    core::Place place;
    bool is_used = false;
};
using Given = std::map<std::string, std::shared_ptr<Threshold>>;

/// What a reading inherits from its claim.
struct Inherited {
    Given given;
    std::string because;
};

/// Adds the thresholds that the table declares to those in `given`, which they override; their names are added to
/// `declared`.
Given read_given(const Entries& entries, Given given, std::vector<Declared>& declared, Problems& problems) {
    const core::Entry* entry = entries.find("given");
    const Entries* table = entry ? entry->value.entries() : nullptr;
    if (!table) return given;
    for (const core::Entry& threshold : table->list) {
        const Value& value = threshold.value;
        if (const std::string_view meaning = formula::reserved(threshold.key); !meaning.empty()) {
            problems.add(threshold.key_place, "'" + threshold.key + "' is " + std::string(meaning), "another name");
        } else if (!formula::is_name(threshold.key)) {
            problems.add(threshold.key_place, "'" + threshold.key + "' cannot be used in a formula",
                         "letters, digits and underscores, no digit first");
        }
        const bool is_good = value.is_number() && is_decimal(value.text);
        if (!is_good) {
            const std::string found = value.text.empty() ? std::string(value.type_name()) : value.text;
            problems.add(value.place, "threshold '" + threshold.key + "' is " + found, "a decimal number");
        }
        // A name with a problem is still known, so that its uses cause no second problem.
        given[threshold.key] = std::make_shared<Threshold>(Threshold{is_good ? value.text : "0", threshold.key_place});
        declared.push_back({threshold.key, threshold.key_place});
    }
    return given;
}

/// Reports the thresholds that no condition has used.
void check_used(const Given& given, const std::vector<Declared>& declared, Problems& problems) {
    std::vector<std::string> used;
    for (const auto& [name, threshold] : given)
        if (threshold->is_used) used.push_back(name);
    for (const Declared& own : declared) {
        const auto found = given.find(own.name);
        const bool is_known = found != given.end() && found->second->place.line == own.place.line &&
                              found->second->place.column == own.place.column;
        if (!is_known || found->second->is_used) continue;
        problems.add(own.place, "the threshold '" + own.name + "' is unused", "a name that a condition uses",
                     core::known_here(own.name, used));
    }
}

/// The names that a condition may use are all those it mentions, since results are not known yet. Only types and
/// functions are checked here.
formula::Scope scope_of(const Node& tree) {
    formula::Scope scope;
    std::set<std::pair<std::string, std::size_t>> added;
    for (const Mention& mention : mentions(tree)) {
        const auto& indexes = mention.node->children;
        if (!added.insert({mention.node->text, indexes.size()}).second) continue;
        formula::Symbol symbol{mention.node->text, formula::Type::real, {}};
        for (const Node& index : indexes) {
            symbol.indexes.push_back(index->kind == formula::Kind::text ? formula::Type::text : formula::Type::real);
        }
        scope.add(std::move(symbol));
    }
    scope.call_hint = "A row of a series is written in brackets: row[3].";
    return scope;
}

/// A variable of all(), sum() and so on must not hide a threshold.
void check_variables(const Node& tree, const formula::Source& source, const Given& given, Problems& problems) {
    if (tree->kind == formula::Kind::reduction && given.contains(tree->text))
        problems.add(formula::place_of(source, tree->span), "the variable '" + tree->text + "' hides a threshold",
                     "a name not yet in use");
    for (const Node& child : tree->children) check_variables(child, source, given, problems);
}

std::optional<Condition> read_condition(const Value& value, formula::Type wanted, const Given& given,
                                        Problems& problems) {
    if (!value.string() && !value.is_number()) return std::nullopt;  // check_keys reports it
    Condition condition{{value.string() ? *value.string() : value.text, value.place}, nullptr};
    try {
        const Node parsed = formula::parse(condition.source);
        std::vector<formula::Replacement> replacements;
        const std::vector<std::string> used = formula::free_names(parsed);
        for (const auto& [name, threshold] : given) {
            const bool is_in = std::find(used.begin(), used.end(), name) != used.end();
            // A number that is shown decides nothing.
            threshold->is_used |= is_in && wanted == formula::Type::boolean;
            replacements.push_back({name, decimal_tree(threshold->decimal)});
        }
        const std::size_t before = problems.reports();
        check_variables(parsed, condition.source, given, problems);
        const Node whole = formula::substitute(parsed, replacements);
        formula::check_ranges(whole, condition.source, problems);
        condition.tree = expand(whole, condition.source, problems);
        if (problems.reports() > before) return std::nullopt;
    } catch (const core::UserError& error) {
        problems.add(error);
        return std::nullopt;
    }
    const Node plain = without_printed(condition.tree);
    const auto type = formula::check(plain, scope_of(plain), condition.source, problems);
    if (!type) return std::nullopt;
    if (*type != wanted) {
        const bool condition_wanted = wanted == formula::Type::boolean;
        problems.add(value.place, condition_wanted ? "the condition is a number" : "the formula is a condition",
                     condition_wanted ? "a condition: a comparison, rounds(), about(), all(), exists()" : "a number");
        return std::nullopt;
    }
    return condition;
}

/// The condition as in read_condition(), but with the names of `given` not replaced by numbers.
Node open_tree(const Condition& condition) {
    core::Problems already_reported;
    return expand(formula::parse(condition.source), condition.source, already_reported);
}

std::vector<Condition> read_shows(const Entries& entries, const Given& given, Problems& problems) {
    std::vector<Condition> shows;
    const core::Entry* entry = entries.find("shows");
    if (!entry) return shows;
    if (entry->value.list() && entry->value.list()->empty() && entries.find("holds"))
        problems.add(entry->value.place, "'shows' is empty", "a formula, or no 'shows'");
    const core::List alone = {entry->value};
    for (const Value& value : entry->value.list() ? *entry->value.list() : alone) {
        if (!value.string()) {
            problems.add(value.place, "'shows' has " + std::string(value.type_name()),
                         "a formula, or a list of formulas");
        } else if (auto shown = read_condition(value, formula::Type::real, given, problems)) {
            const bool is_twice = std::any_of(shows.begin(), shows.end(), [&](const Condition& each) {
                return formula::equal(each.tree, shown->tree);
            });
            if (is_twice)
                problems.add(value.place, "'" + *value.string() + "' is listed twice in 'shows'", "each formula once");
            shows.push_back(std::move(*shown));
        }
    }
    return shows;
}

std::optional<core::Verdict> read_expect(const Entries& entries, core::Place& place) {
    const core::Entry* entry = entries.find("expect");
    if (!entry) return std::nullopt;
    place = entry->value.place;
    const auto name = core::read_text(entries, "expect");
    return name ? core::find_verdict(*name) : std::nullopt;
}

/// Reports an expected verdict of a reading that its `covers` excludes.
void check_covered(const Reading& reading, Problems& problems) {
    if (!reading.expected) return;
    const core::Verdict expected = core::without_scale(*reading.expected);
    const std::string never = " is never '" + std::string(core::verdict_name(*reading.expected)) + "'";
    if (reading.covers_part && expected == core::Verdict::confirmed)
        problems.add(reading.expect_place, "a reading that covers a part of the claim" + never,
                     "expect = \"consistent\"");
    if (!reading.covers_part && expected == core::Verdict::consistent)
        problems.add(reading.expect_place, "a reading that covers the whole claim" + never,
                     "expect = \"confirmed\", or covers = \"part\"");
}

/// Reports a reason that is given without thresholds.
void refuse_reason(const Entries& entries, Problems& problems) {
    if (const core::Entry* because = entries.find("because"))
        problems.add(because->key_place, "'because' gives the reason of thresholds, and there are none",
                     "thresholds in 'given', or the text in 'comment'");
}

Reading read_reading(const Entries& entries, const core::Place& owner, const Inherited& inherited, Problems& problems) {
    Reading reading;
    const std::size_t before = problems.reports();
    const Given given = read_given(entries, inherited.given, reading.thresholds, problems);
    reading.name = core::read_text(entries, "name").value_or("as printed");
    reading.because = core::read_text(entries, "because").value_or(inherited.because);
    reading.extra = core::Settings(entries, reading_keys()).boolean("extra");
    reading.covers_part = core::Settings(entries, reading_keys()).text("covers") == "part";
    reading.expected = read_expect(entries, reading.expect_place);
    if (!given.empty() && reading.because.empty()) {
        problems.add(owner, "a threshold in 'given' has no reason", "because = \"...\" next to it");
    }
    for (const auto& [name, threshold] : given) reading.given.emplace_back(name, threshold->decimal);
    if (given.empty()) refuse_reason(entries, problems);
    const core::Entry* holds = entries.find("holds");
    if (holds) reading.holds = read_condition(holds->value, formula::Type::boolean, given, problems);
    if (reading.holds) reading.open = open_tree(*reading.holds);
    reading.shows = read_shows(entries, given, problems);
    check_covered(reading, problems);
    if (const core::Entry* covers = entries.find("covers"); covers && !holds)
        problems.add(covers->key_place, "'covers' without 'holds': a reading without a condition covers nothing",
                     "'holds', or no 'covers'");
    if (!holds && reading.expected && core::without_scale(*reading.expected) != core::Verdict::undecided)
        problems.add(reading.expect_place, "a reading without 'holds' is undecided",
                     "expect = \"undecided\", or 'holds'");
    if (!holds && reading.shows.empty() && !entries.find("shows")) {
        problems.add(owner, "a reading has neither 'holds' nor 'shows'",
                     "holds = \"a condition\", or shows = \"a number\" where nothing can decide it");
    }
    if (problems.reports() == before) check_used(given, reading.thresholds, problems);
    return reading;
}

void read_readings(const Entries& entries, const Value& claim, const Inherited& inherited,
                   std::vector<Reading>& readings, Problems& problems) {
    const core::Entry* entry = entries.find("reading");
    const core::List* list = entry ? entry->value.list() : nullptr;
    std::set<std::string> names;
    if (list && list->empty() && entries.find("holds"))
        problems.add(entry->value.place, "'reading' is empty", "readings, or no 'reading'");
    if (const core::Entry* holds = entries.find("holds"); holds && list && !list->empty())
        problems.add(holds->key_place, "the claim has 'holds' and readings", "'holds' in each reading");
    if (entries.find("holds") || (entries.find("shows") && !list)) {
        Entries alone;
        for (const core::Entry& own : entries.list) {
            if (own.key == "holds" || own.key == "shows") alone.list.push_back(own);
        }
        readings.push_back(read_reading(alone, claim.place, inherited, problems));
        names.insert(readings.back().name);
    } else if (!list || list->empty()) {
        problems.add(claim.place, "the claim has no reading", "[[claim.reading]] with a name and a condition 'holds'");
    }
    if (!list) return;
    for (const Value& value : *list) {
        const Entries* own = value.entries();
        if (!own) {
            problems.add(value.place, "a reading is " + std::string(value.type_name()), "a table: [[claim.reading]]");
            continue;
        }
        core::check_keys(*own, {reading_keys()}, value.place, problems);
        readings.push_back(read_reading(*own, value.place, inherited, problems));
        if (!names.insert(readings.back().name).second) {
            problems.add(value.place, "two readings of the claim are named '" + readings.back().name + "'",
                         "a different name for each");
        }
    }
}

/// Whether the reading can have the verdict: the one that it expects, if it expects one.
bool may_be(const Reading& reading, core::Verdict verdict) {
    if (reading.expected) return core::without_scale(*reading.expected) == verdict;
    if (verdict == core::Verdict::undecided) return true;
    const core::Verdict good = reading.covers_part ? core::Verdict::consistent : core::Verdict::confirmed;
    return reading.holds && (verdict == core::Verdict::refuted || verdict == good);
}

/// Whether the claim has the verdict if its readings have verdicts that they can have (docs/verdicts.md).
bool follows(core::Verdict verdict, const Claim& claim) {
    using enum core::Verdict;
    const auto count = [&](std::initializer_list<core::Verdict> verdicts) {
        return std::count_if(claim.readings.begin(), claim.readings.end(), [&](const Reading& reading) {
            return !reading.extra && std::any_of(verdicts.begin(), verdicts.end(),
                                                 [&](core::Verdict each) { return may_be(reading, each); });
        });
    };
    const auto counted = count({confirmed, consistent, refuted, undecided});
    const auto good = count({confirmed, consistent}), bad = count({refuted});
    switch (verdict) {
        case confirmed: return count({confirmed}) == counted;
        case refuted: return bad == counted;
        case consistent: return good == counted && count({consistent}) > 0;
        case depends: return good > 0 && bad > 0 && count({confirmed, consistent, refuted}) > 1;
        default: break;
    }
    const bool has_no_refuted = count({undecided, confirmed, consistent}) == counted;
    return count({undecided}) > 0 && (has_no_refuted || count({undecided, refuted}) == counted);
}

/// Reports an expected verdict that no results could give.
void check_expected(const Claim& claim, Problems& problems) {
    const auto count = [&](const auto& condition) {
        return std::count_if(claim.readings.begin(), claim.readings.end(),
                             [&](const Reading& reading) { return !reading.extra && condition(reading); });
    };
    const auto decidable = count([](const Reading& reading) { return reading.holds.has_value(); });
    const auto counted = count([](const Reading&) { return true; });
    if (!claim.expected || counted == 0) return;
    const core::Verdict expected = core::without_scale(*claim.expected);
    const auto parts = count([](const Reading& reading) { return reading.covers_part; });
    const auto refuse = [&](const char* wanted) {
        problems.add(claim.expect_place,
                     "the claim can never be '" + std::string(core::verdict_name(*claim.expected)) + "'", wanted);
    };
    const bool is_undecided = expected == core::Verdict::undecided;
    if (expected == core::Verdict::depends && decidable < 2) return refuse("two counted readings with 'holds'");
    if (!is_undecided && expected != core::Verdict::depends && decidable < counted)
        return refuse("'holds' in every counted reading");
    if (expected == core::Verdict::confirmed && parts > 0)
        return refuse("expect = \"consistent\", since a reading covers a part of the claim");
    if (expected == core::Verdict::consistent && parts == 0) return refuse("covers = \"part\" in a counted reading");
    if (!follows(expected, claim)) refuse("a verdict that follows from those that its readings expect");
}

}  // namespace

Claim read_claim(const Value& value, Problems& problems) {
    Claim claim;
    claim.place = value.place;
    const Entries* entries = value.entries();
    if (!entries) {
        problems.add(value.place, "a claim is " + std::string(value.type_name()), "a table: [[claim]]");
        return claim;
    }
    core::check_keys(*entries, {claim_keys()}, value.place, problems);
    claim.id = core::read_text(*entries, "id").value_or("");
    claim.says = core::read_text(*entries, "says").value_or("");
    // --only separates ids by commas.
    if (std::any_of(claim.id.begin(), claim.id.end(), [](unsigned char c) { return c < 0x20 || c == ','; }))
        problems.add(entries->find("id")->value.place, "the id '" + claim.id + "' cannot be named",
                     "an id without commas and line breaks");
    claim.source = core::read_text(*entries, "source").value_or("");
    claim.comment = core::read_text(*entries, "comment").value_or("");
    claim.expected = read_expect(*entries, claim.expect_place);
    Inherited inherited;
    inherited.because = core::read_text(*entries, "because").value_or("");
    const std::size_t before = problems.reports();
    inherited.given = read_given(*entries, {}, claim.thresholds, problems);
    read_readings(*entries, value, inherited, claim.readings, problems);
    if (problems.reports() == before) check_used(inherited.given, claim.thresholds, problems);
    const bool has_thresholds =
        !claim.thresholds.empty() || std::any_of(claim.readings.begin(), claim.readings.end(),
                                                 [](const auto& each) { return !each.thresholds.empty(); });
    if (!has_thresholds) refuse_reason(*entries, problems);
    if (problems.reports() == before) check_expected(claim, problems);
    const bool is_counted = std::any_of(claim.readings.begin(), claim.readings.end(),
                                        [](const Reading& reading) { return !reading.extra; });
    if (!claim.readings.empty() && !is_counted)
        problems.add(value.place, "every reading of the claim is extra", "a reading that counts");
    return claim;
}

}  // namespace farfield::claim
