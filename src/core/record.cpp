#include <algorithm>
#include <array>
#include <farfield/core/record.hpp>
#include <utility>

namespace farfield::core {
namespace {

constexpr std::array<std::string_view, verdict_count> names = {
    "confirmed",      "refuted",      "undecided", "depends", "consistent", "reproduced",
    "not reproduced", "inconclusive", "mixed",     "missing", "skipped"};

/// In the same order.
constexpr std::array<std::string_view, verdict_count> meanings = {
    "The condition holds under every reading that counts.",
    "The condition fails under every reading that counts.",
    "The numbers do not decide it.",
    "Some readings hold and others fail.",
    "A condition holds that covers a part of the claim.",
    "The small trained models show what the claim says.",
    "The small trained models do not show what the claim says.",
    "The trained models are too few or too noisy to tell.",
    "The small trained models show some readings and not others.",
    "Something that it needs is missing on this machine.",
    "It was not checked."};

constexpr std::array<std::pair<Verdict, Verdict>, 4> scaled = {{{Verdict::confirmed, Verdict::reproduced},
                                                                {Verdict::refuted, Verdict::not_reproduced},
                                                                {Verdict::undecided, Verdict::inconclusive},
                                                                {Verdict::depends, Verdict::mixed}}};

bool agrees(const std::optional<Verdict>& expected, Verdict found) {
    return !expected || !is_verdict(found) || *expected == found;
}

}  // namespace

bool ReadingRecord::as_expected() const {
    return agrees(expected, verdict);
}

bool ReadingRecord::is_sensitive() const {
    return std::any_of(break_even.begin(), break_even.end(), [](const BreakEven& each) { return each.sensitive; });
}

std::string ReadingRecord::text_of(const BreakEven& threshold) const {
    const std::string about = certified || by_definition ? "" : "about ";
    std::string text(verdict_name(verdict));
    if (threshold.is_least && threshold.is_most) return text + " for any " + threshold.name;
    text += " for " + (threshold.is_least || threshold.is_most ? "any " + threshold.name : threshold.name);
    if (!threshold.is_least) text += " from " + about + threshold.from + (threshold.is_most ? " on" : "");
    if (!threshold.is_most) text += (threshold.is_least ? " up to " : " to ") + about + threshold.to;
    const std::string below(verdict_name(threshold.verdict_below));
    const std::string above(verdict_name(threshold.verdict_above));
    if (!threshold.below.empty()) text += ", " + below + " at " + threshold.below;
    if (!threshold.above.empty())
        text += (threshold.below.empty() ? ", " + above
                 : above == below        ? " and"
                                         : ", " + above) +
                " at " + threshold.above;
    return text;
}

bool ClaimRecord::is_by_definition() const {
    bool is_any = false;
    for (const ReadingRecord& reading : readings) {
        if (reading.extra) continue;
        if (!reading.certified && !reading.by_definition) return false;
        is_any = is_any || reading.by_definition;
    }
    return is_any;
}

bool ClaimRecord::is_sensitive() const {
    return std::any_of(readings.begin(), readings.end(),
                       [](const ReadingRecord& reading) { return !reading.extra && reading.is_sensitive(); });
}

std::string ClaimRecord::would_change() const {
    std::string text;
    const auto say = [&text](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
    bool has_thresholds = false, is_open = false, is_part = false, lacks_condition = false;
    for (const ReadingRecord& reading : readings) {
        if (reading.extra) continue;
        has_thresholds = has_thresholds || !reading.break_even.empty();
        is_open = is_open || without_scale(reading.verdict) == Verdict::undecided;
        is_part = is_part || reading.verdict == Verdict::consistent;
        lacks_condition = lacks_condition || reading.holds.empty();
        for (const BreakEven& threshold : reading.break_even) {
            const std::string name = readings.size() > 1 ? " (" + reading.name + ")" : "";
            if (!threshold.below.empty())
                say(threshold.name + " = " + threshold.below + ": " +
                    std::string(verdict_name(threshold.verdict_below)) + name + ".");
            if (!threshold.above.empty())
                say(threshold.name + " = " + threshold.above + ": " +
                    std::string(verdict_name(threshold.verdict_above)) + name + ".");
        }
    }
    if (!is_verdict(verdict)) return "";
    const Verdict plain = without_scale(verdict);
    if (plain == Verdict::depends) say("The choice among its readings.");
    if (lacks_condition) say("A number that the source does not give.");
    if (is_open && !lacks_condition)
        say("Narrower values in the comparisons that are undecided, or values where there are none.");
    if (is_part) say("Evidence for the rest of the claim: the condition covers a part, and can refute alone.");
    if (!scale.empty()) say("Models of another scale, or other seeds.");
    if (is_by_definition()) say("Other numbers in the study: nothing was computed for what is decided by definition.");
    if (scale.empty() && !certified && !is_by_definition() && !is_open)
        say("A value without an error bound, if it is off by more than its distance to what it is compared with.");
    if (plain != Verdict::depends)
        say(certified && !has_thresholds
                ? "Only another reading of the sentence: the numbers are proven, and no threshold was chosen."
                : "Another reading of the sentence.");
    return text;
}

bool ClaimRecord::as_expected() const {
    return agrees(expected, verdict) && std::all_of(readings.begin(), readings.end(),
                                                    [](const ReadingRecord& reading) { return reading.as_expected(); });
}

bool ClaimRecord::is_unstated() const {
    return !expected && is_verdict(verdict);
}

bool ClaimRecord::fails() const {
    return !as_expected() || (is_unstated() && !is_favourable(verdict));
}

std::string FailureRecord::text() const {
    std::string text;
    for (const Diagnostic& each : diagnostics) text += (text.empty() ? "" : "\n") + format(each);
    return text;
}

bool is_verdict(Verdict verdict) {
    return verdict != Verdict::missing && verdict != Verdict::skipped;
}

bool is_favourable(Verdict verdict) {
    return verdict == Verdict::confirmed || verdict == Verdict::consistent || verdict == Verdict::reproduced;
}

Verdict at_scale(Verdict verdict) {
    for (const auto& [plain, named] : scaled)
        if (verdict == plain) return named;
    return verdict;
}

Verdict without_scale(Verdict verdict) {
    for (const auto& [plain, named] : scaled)
        if (verdict == named) return plain;
    return verdict;
}

std::string_view verdict_name(Verdict verdict) {
    return names[static_cast<std::size_t>(verdict)];
}

std::string_view verdict_meaning(Verdict verdict) {
    return meanings[static_cast<std::size_t>(verdict)];
}

std::optional<Verdict> find_verdict(std::string_view name) {
    for (std::size_t index = 0; index < names.size(); ++index) {
        if (names[index] == name) return static_cast<Verdict>(index);
    }
    return std::nullopt;
}

}  // namespace farfield::core
