#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <farfield/claim/claim.hpp>
#include <farfield/formula/printer.hpp>

#include "claim/break_even.hpp"
#include "claim/definition.hpp"
#include "claim/examine.hpp"
#include "claim/find.hpp"
#include "claim/scale.hpp"

namespace farfield::claim {

using core::Verdict;
using Results = std::vector<const core::Result*>;

namespace {

void append(std::string& text, const std::string& part) {
    if (part.empty()) return;
    text += (text.empty() ? "" : "; ") + part;
}

Verdict verdict_of(evaluate::Truth truth) {
    if (truth == evaluate::Truth::unknown) return Verdict::undecided;
    return truth == evaluate::Truth::yes ? Verdict::confirmed : Verdict::refuted;
}

/// The tree with the upper ends of single values in place of their names.
formula::Node valued(const formula::Node& tree, const Results& results) {
    std::vector<formula::Replacement> values;
    for (const Mention& mention : mentions(tree)) {
        const core::Result* result =
            mention.node->kind == formula::Kind::name ? find_result(results, mention.reference.quantity) : nullptr;
        std::optional<NameProblem> problem;
        const core::Cell* cell = result ? find_target(mention, *result, problem).cell : nullptr;
        if (!cell || !cell->number || !std::isfinite(*cell->number)) continue;
        const bool is_bounded = cell->enclosure && std::isfinite(cell->enclosure->hi);
        values.push_back({mention.node->text, formula::make_number(is_bounded ? cell->enclosure->hi : *cell->number)});
    }
    return formula::substitute(tree, values);
}

std::string explain_shown(const Condition& shown, const Results& results) {
    const Binding binding(shown.tree, results, nullptr);
    const std::string text = formula::print(shown.tree);
    const bool alone = binding.used().size() == 1 && binding.used().front().label == text;
    return alone ? describe(binding.used().front()) : text + " = " + describe(binding.enclose().front());
}

/// What the study declares about the reading.
core::ReadingRecord declared(const Reading& reading) {
    core::ReadingRecord record;
    record.name = reading.name;
    record.holds = reading.holds ? reading.holds->source.text : "";
    record.given = reading.given;
    record.because = reading.because;
    record.extra = reading.extra;
    record.covers_part = reading.covers_part;
    record.expected = reading.expected;
    return record;
}

/// An all() or exists() whose range, by the results, has no integer: it says nothing about them. In words; empty if
/// there is none. Ranges that depend on the variable of another reduction may be empty for some of its values.
std::string empty_range(const formula::Node& tree, const Results& results) {
    if (tree->kind == formula::Kind::reduction) {
        const bool is_quantifier = tree->op == formula::Op::for_all || tree->op == formula::Op::for_some;
        const bool is_of_results = !mentions(tree->children[0]).empty() || !mentions(tree->children[1]).empty();
        if (!is_quantifier || !is_of_results) return {};
        const core::Enclosure from = Binding(tree->children[0], results, nullptr).enclose().front();
        const core::Enclosure to = Binding(tree->children[1], results, nullptr).enclose().front();
        if (!(std::ceil(from.lo) > std::floor(to.hi))) return {};
        return fmt::format("{}() is over no integer: {} from {} to {}",
                           tree->op == formula::Op::for_all ? "all" : "exists", tree->text, from.lo, to.hi);
    }
    for (const formula::Node& child : tree->children)
        if (std::string found = empty_range(child, results); !found.empty()) return found;
    return {};
}

core::ReadingRecord judge_reading(const Reading& reading, const Results& results) {
    core::ReadingRecord record = declared(reading);
    if (const std::string found = reading.holds ? empty_range(reading.holds->tree, results) : ""; !found.empty()) {
        record.verdict = Verdict::undecided;
        append(record.explain, found);
    } else if (reading.holds) {
        const Finding finding = examine(reading.holds->tree, results);
        record.verdict = verdict_of(finding.truth);
        if (reading.covers_part && record.verdict == Verdict::confirmed) record.verdict = Verdict::consistent;
        const bool is_decided = finding.truth != evaluate::Truth::unknown;
        record.by_definition = is_decided && is_by_definition(reading.holds->tree, results);
        record.certified = finding.is_certain && !record.by_definition;
        record.break_even = break_even(reading, finding.truth, results);
        for (const Used& used : finding.used) append(record.explain, describe(used));
        for (const std::string& step : finding.steps) append(record.explain, step);
    }
    for (const Condition& shown : reading.shows) append(record.explain, explain_shown(shown, results));
    return record;
}

/// The record of a reading if the claim cannot be judged.
core::ReadingRecord unjudged_reading(const Reading& reading, Verdict verdict, const std::string& reason) {
    core::ReadingRecord record = declared(reading);
    record.verdict = verdict;
    record.explain = reason;
    return record;
}

/// What replaces a claim's verdict, and why.
struct Unjudged {
    Verdict verdict;
    std::string reason;
};

std::optional<Unjudged> why_unjudged(const Claim& claim) {
    if (!claim.lacks.empty()) return Unjudged{Verdict::missing, "needs " + claim.lacks};
    if (!claim.waits_for.empty()) return Unjudged{Verdict::skipped, "waits for " + claim.waits_for};
    if (!claim.failure.empty()) return Unjudged{Verdict::undecided, claim.failure};
    return std::nullopt;
}

Verdict combine(const std::vector<core::ReadingRecord>& readings) {
    std::size_t counted = 0, confirmed = 0, consistent = 0, refuted = 0;
    for (const core::ReadingRecord& reading : readings) {
        if (reading.extra) continue;
        ++counted;
        confirmed += reading.verdict == Verdict::confirmed;
        consistent += reading.verdict == Verdict::consistent;
        refuted += reading.verdict == Verdict::refuted;
    }
    if (counted > 0 && confirmed == counted) return Verdict::confirmed;
    if (counted > 0 && confirmed + consistent == counted) return Verdict::consistent;
    if (counted > 0 && refuted == counted) return Verdict::refuted;
    return confirmed + consistent > 0 && refuted > 0 ? Verdict::depends : Verdict::undecided;
}

/// The scales of the trained models behind a reading; empty if there are none.
std::string scale_of(const Reading& reading, const Results& results) {
    if (!reading.holds) return {};
    std::vector<std::string> scales;
    for (const Mention& mention : mentions(reading.holds->tree)) {
        const core::Result* result = find_result(results, mention.reference.quantity);
        const bool is_new =
            result && !result->scale.empty() && std::find(scales.begin(), scales.end(), result->scale) == scales.end();
        if (is_new) scales.push_back(result->scale);
    }
    std::string text;
    for (const std::string& scale : scales) append(text, scale);
    return text;
}

/// A verdict on trained models is about their scale, and is never certified.
void put_at_scale(core::ClaimRecord& record, const Claim& claim, const Results& results) {
    const AtScale found = at_scale(claim, [&](const std::string& quantity) {
        const core::Result* const result = find_result(results, quantity);
        return result && !result->scale.empty();
    });
    for (std::size_t i = 0; i < claim.readings.size(); ++i) {
        if (!found.readings[i]) continue;
        const std::string scale = scale_of(claim.readings[i], results);
        core::ReadingRecord& reading = record.readings[i];
        reading.verdict = core::at_scale(reading.verdict);
        reading.certified = false;
        for (core::BreakEven& threshold : reading.break_even) {
            threshold.verdict_below = core::at_scale(threshold.verdict_below);
            threshold.verdict_above = core::at_scale(threshold.verdict_above);
        }
        if (record.scale.find(scale) == std::string::npos) append(record.scale, scale);
    }
    if (!found.claim) return;
    record.verdict = core::at_scale(record.verdict);
    record.certified = false;
}

bool all_certified(const std::vector<core::ReadingRecord>& readings) {
    bool counted = false;
    for (const core::ReadingRecord& reading : readings) {
        if (reading.extra) continue;
        if (!reading.certified) return false;
        counted = true;
    }
    return counted;
}

}  // namespace

std::vector<formula::Node> valued_conditions(const Claim& claim, const Results& results) {
    std::vector<formula::Node> trees;
    for (const Reading& reading : claim.readings) {
        if (reading.holds) trees.push_back(valued(reading.holds->tree, results));
        for (const Condition& shown : reading.shows) trees.push_back(valued(shown.tree, results));
    }
    return trees;
}

core::ClaimRecord judge(const Claim& claim, const Results& results) {
    core::ClaimRecord record;
    record.id = claim.id;
    record.says = claim.says;
    record.source = claim.source;
    record.comment = claim.comment;
    record.place = claim.expect_place.known() ? claim.expect_place : claim.place;
    record.expected = claim.expected;
    record.uses = quantities_of(claim);
    const std::optional<Unjudged> unjudged = why_unjudged(claim);
    for (const Reading& reading : claim.readings) {
        record.readings.push_back(unjudged ? unjudged_reading(reading, unjudged->verdict, unjudged->reason)
                                           : judge_reading(reading, results));
    }
    record.verdict = unjudged ? unjudged->verdict : combine(record.readings);
    record.certified = !unjudged && all_certified(record.readings);
    if (!unjudged) put_at_scale(record, claim, results);
    return record;
}

}  // namespace farfield::claim
