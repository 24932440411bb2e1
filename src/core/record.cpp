#include <algorithm>
#include <array>
#include <farfield/core/record.hpp>
#include <utility>

namespace farfield::core {
namespace {

constexpr std::array<std::string_view, verdict_count> names = {
    "confirmed",      "refuted",      "undecided", "depends", "consistent", "reproduced",
    "not reproduced", "inconclusive", "mixed",     "missing", "skipped"};

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

std::optional<Verdict> find_verdict(std::string_view name) {
    for (std::size_t index = 0; index < names.size(); ++index) {
        if (names[index] == name) return static_cast<Verdict>(index);
    }
    return std::nullopt;
}

}  // namespace farfield::core
