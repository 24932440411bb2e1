#include "report/summary.hpp"

#include <algorithm>

namespace farfield::report {

bool is_as_expected(const core::ClaimRecord& claim) {
    if (claim.verdict == core::Verdict::missing || claim.verdict == core::Verdict::skipped) return true;
    return claim.as_expected() && std::all_of(claim.readings.begin(), claim.readings.end(), [](const auto& reading) {
               return !reading.expected || *reading.expected == reading.verdict;
           });
}

Summary summarise(std::span<const core::ClaimRecord> claims) {
    Summary summary;
    for (const core::ClaimRecord& claim : claims) {
        ++summary.claims;
        switch (claim.verdict) {
            case core::Verdict::missing: ++summary.missing; break;
            case core::Verdict::skipped: ++summary.skipped; break;
            default: ++(is_as_expected(claim) ? summary.as_expected : summary.unexpected);
        }
    }
    return summary;
}

std::vector<std::string> figure_series(const core::FigureRecord& figure) {
    core::Problems already_reported;
    return core::read_texts(figure.settings, "series", already_reported);
}

}  // namespace farfield::report
