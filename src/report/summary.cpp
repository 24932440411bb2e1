#include "report/summary.hpp"

namespace farfield::report {

Summary summarise(std::span<const core::ClaimRecord> claims) {
    Summary summary;
    for (const core::ClaimRecord& claim : claims) {
        ++summary.claims;
        if (!claim.as_expected())
            ++summary.unexpected;
        else if (claim.verdict == core::Verdict::missing)
            ++summary.missing;
        else if (claim.verdict == core::Verdict::skipped)
            ++summary.skipped;
        else
            ++summary.as_expected;
    }
    return summary;
}

std::vector<std::string> figure_series(const core::FigureRecord& figure) {
    core::Problems already_reported;
    return core::read_texts(figure.settings, "series", already_reported);
}

}  // namespace farfield::report
