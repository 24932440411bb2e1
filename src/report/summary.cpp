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
        else if (claim.is_unstated())
            ++summary.unstated;
        else
            ++summary.as_expected;
    }
    return summary;
}

Summary operator+(const Summary& a, const Summary& b) {
    return {a.claims + b.claims,     a.as_expected + b.as_expected, a.unexpected + b.unexpected,
            a.unstated + b.unstated, a.missing + b.missing,         a.skipped + b.skipped};
}

std::string text_of(const Summary& summary) {
    const auto part = [](std::size_t count, const char* what) { return ", " + std::to_string(count) + what; };
    const std::string unstated = summary.unstated > 0 ? part(summary.unstated, " without an expected verdict") : "";
    return std::to_string(summary.claims) + (summary.claims == 1 ? " claim: " : " claims: ") +
           std::to_string(summary.as_expected) + " as expected" + part(summary.unexpected, " unexpected") + unstated +
           part(summary.missing, " missing") + part(summary.skipped, " skipped");
}

std::vector<std::string> figure_series(const core::FigureRecord& figure) {
    core::Problems already_reported;
    return core::read_texts(figure.settings, "series", already_reported);
}

}  // namespace farfield::report
