#include <algorithm>
#include <array>
#include <farfield/core/record.hpp>

namespace farfield::core {
namespace {

constexpr std::array<std::string_view, 6> names = {"confirmed", "refuted", "undecided",
                                                   "depends",   "missing", "skipped"};

bool is_verdict(Verdict found) {
    return found != Verdict::missing && found != Verdict::skipped;
}

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
    return !as_expected() || (is_unstated() && verdict != Verdict::confirmed);
}

std::string FailureRecord::text() const {
    std::string text;
    for (const Diagnostic& each : diagnostics) text += (text.empty() ? "" : "\n") + format(each);
    return text;
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
