#include "report/summary.hpp"

namespace farfield::report {

Summary summarise(std::span<const core::ClaimRecord> claims) {
    Summary summary;
    for (const core::ClaimRecord& claim : claims) {
        ++summary.claims;
        switch (claim.verdict) {
            case core::Verdict::missing: ++summary.missing; break;
            case core::Verdict::skipped: ++summary.skipped; break;
            default: ++(claim.as_expected() ? summary.as_expected : summary.unexpected);
        }
    }
    return summary;
}

std::vector<std::string> figure_series(const core::FigureRecord& figure) {
    core::Problems already_reported;
    return core::read_texts(figure.settings, "series", already_reported);
}

}  // namespace farfield::report
