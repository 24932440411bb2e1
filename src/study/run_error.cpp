#include <fmt/format.h>

#include <farfield/study/study.hpp>

namespace farfield::study {

RunError::RunError(const core::UserError& error, const std::string& study) : UserError(error) {
    for (const core::Diagnostic& each : diagnostics()) text_ += core::format(each) + "\n";
    if (more() > 0) text_ += fmt::format("and {} more\n", more());
    const std::size_t count = diagnostics().size() + more();
    text_ += fmt::format("{} problem{}", count, count == 1 ? "" : "s") + "; no results of " + study + " were written.";
}

}  // namespace farfield::study
