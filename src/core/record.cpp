#include <algorithm>
#include <array>
#include <farfield/core/record.hpp>

namespace farfield::core {
namespace {

constexpr std::array<std::string_view, 6> names = {"confirmed", "refuted", "undecided",
                                                   "depends",   "missing", "skipped"};

bool agrees(const std::optional<Verdict>& expected, Verdict found) {
    const bool is_verdict = found != Verdict::missing && found != Verdict::skipped;
    return !expected || !is_verdict || *expected == found;
}

}  // namespace

bool ReadingRecord::as_expected() const {
    return agrees(expected, verdict);
}

bool ClaimRecord::as_expected() const {
    return agrees(expected, verdict) && std::all_of(readings.begin(), readings.end(),
                                                    [](const ReadingRecord& reading) { return reading.as_expected(); });
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
