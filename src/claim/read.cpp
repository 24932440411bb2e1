#include <map>
#include <set>

#include <farfield/claim/claim.hpp>
#include <farfield/formula/checker.hpp>

#include "claim/expand.hpp"
#include "claim/reference.hpp"

namespace farfield::claim {

using core::Entries;
using core::Problems;
using core::Value;
using formula::Node;

namespace {

using Given = std::map<std::string, Node>;

/// What a reading inherits from its claim.
struct Inherited {
    Given given;
    std::string because;
};

void read_given(const Entries& entries, Given& given, Problems& problems) {
    const core::Entry* entry = entries.find("given");
    const Entries* table = entry ? entry->value.entries() : nullptr;
    if (!table) return;
    for (const core::Entry& threshold : table->list) {
        const Value& value = threshold.value;
        if (!value.is_number() || !is_decimal(value.text)) {
            problems.add(value.place, "threshold '" + threshold.key + "' is " + std::string(value.type_name()),
                         "a decimal number");
            continue;
        }
        given[threshold.key] = decimal_tree(value.text);
    }
}

/// The names a condition may use: whatever it mentions, since results are not known yet; this leaves types and
/// functions to be checked.
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
    return scope;
}

std::optional<Condition> read_condition(const Value& value, formula::Type wanted, const Given& given,
                                        Problems& problems) {
    const std::string* text = value.string();
    if (!text) return std::nullopt;
    Condition condition{{*text, value.place}, nullptr};
    try {
        const Node parsed = formula::parse(condition.source);
        std::vector<formula::Replacement> replacements;
        for (const auto& [name, tree] : given) replacements.push_back({name, tree});
        const std::size_t before = problems.size();
        condition.tree = expand(formula::substitute(parsed, replacements), condition.source, problems);
        if (problems.size() > before) return std::nullopt;
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

std::vector<Condition> read_shows(const Entries& entries, const Given& given, Problems& problems) {
    std::vector<Condition> shows;
    const core::Entry* entry = entries.find("shows");
    if (!entry) return shows;
    const core::List alone = {entry->value};
    for (const Value& value : entry->value.list() ? *entry->value.list() : alone) {
        if (!value.string()) {
            problems.add(value.place, "'shows' has " + std::string(value.type_name()),
                         "a formula, or a list of formulas");
        } else if (auto shown = read_condition(value, formula::Type::real, given, problems)) {
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

Reading read_reading(const Entries& entries, const core::Place& owner, const Inherited& inherited, Problems& problems) {
    Reading reading;
    Given given = inherited.given;
    read_given(entries, given, problems);
    reading.name = core::read_text(entries, "name").value_or("as printed");
    reading.because = core::read_text(entries, "because").value_or(inherited.because);
    reading.extra = core::read_boolean(entries, "extra").value_or(false);
    reading.expected = read_expect(entries, reading.expect_place);
    if (!given.empty() && reading.because.empty()) {
        problems.add(owner, "a threshold in 'given' has no reason", "because = \"...\" beside it");
    }
    const core::Entry* holds = entries.find("holds");
    if (holds) reading.holds = read_condition(holds->value, formula::Type::boolean, given, problems);
    reading.shows = read_shows(entries, given, problems);
    if (!holds && reading.shows.empty() && !entries.find("shows")) {
        problems.add(owner, "a reading has neither 'holds' nor 'shows'",
                     "holds = \"a condition\", or shows = \"a number\" where nothing can decide it");
    }
    return reading;
}

void read_readings(const Entries& entries, const Value& claim, const Inherited& inherited,
                   std::vector<Reading>& readings, Problems& problems) {
    const core::Entry* entry = entries.find("reading");
    const core::List* list = entry ? entry->value.list() : nullptr;
    if (entries.find("holds") || (entries.find("shows") && !list)) {
        Entries alone;
        for (const core::Entry& own : entries.list) {
            if (own.key == "holds" || own.key == "shows") alone.list.push_back(own);
        }
        readings.push_back(read_reading(alone, claim.place, inherited, problems));
    } else if (!list || list->empty()) {
        problems.add(claim.place, "the claim has no reading", "[[claim.reading]] with a name and a condition 'holds'");
    }
    if (!list) return;
    std::set<std::string> names;
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
                         "a name of its own for each");
        }
    }
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
    claim.source = core::read_text(*entries, "source").value_or("");
    claim.comment = core::read_text(*entries, "comment").value_or("");
    claim.expected = read_expect(*entries, claim.expect_place);
    Inherited inherited;
    inherited.because = core::read_text(*entries, "because").value_or("");
    read_given(*entries, inherited.given, problems);
    read_readings(*entries, value, inherited, claim.readings, problems);
    return claim;
}

}  // namespace farfield::claim
