#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/study/study.hpp>

namespace farfield::study {
namespace {

using core::Verdict;

constexpr std::string_view heading = "## Verdicts changed";

/// The place after the heading's line; nothing if no line of the text is the heading. Lines in code blocks do not
/// count.
std::optional<std::size_t> after_heading(const std::string& text) {
    bool is_code = false;
    for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
        next = std::min(text.find('\n', at), text.size() - 1) + 1;
        std::string_view line(text.data() + at, next - at);
        line = line.substr(0, line.find_last_not_of("\r\n") + 1);
        if (line.starts_with("```")) is_code = !is_code;
        if (!is_code && line == heading) return next;
    }
    return std::nullopt;
}

/// Searches the study's folder and its parents, up to the repository's folder.
std::optional<std::filesystem::path> find_changelog(const std::string& file) {
    std::error_code unreadable;
    std::filesystem::path folder = std::filesystem::absolute(file, unreadable).lexically_normal().parent_path();
    while (!unreadable) {
        const std::filesystem::path path = folder / "CHANGELOG.md";
        if (std::filesystem::is_regular_file(path, unreadable) && after_heading(core::read_file(path))) return path;
        if (std::filesystem::exists(folder / ".git", unreadable) || folder == folder.parent_path()) break;
        folder = folder.parent_path();
    }
    return std::nullopt;
}

void add_line(std::string& lines, const std::string& what, const std::optional<Verdict>& before, Verdict now,
              const std::string& because) {
    if (!before || !core::is_verdict(now) || *before == now) return;
    lines += "- " + what + ": " + std::string(core::verdict_name(*before)) + ", now " +
             std::string(core::verdict_name(now)) + ". " + because + "\n";
}

std::string changes(const core::StudyRecord& found, std::string because) {
    std::replace_if(
        because.begin(), because.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    because = core::printable(because);
    std::string lines;
    for (const core::ClaimRecord& claim : found.claims) {
        const std::string name = found.study + ", " + claim.id;
        add_line(lines, name, claim.expected, claim.verdict, because);
        for (const core::ReadingRecord& reading : claim.readings)
            add_line(lines, name + ", reading '" + reading.name + "'", reading.expected, reading.verdict, because);
    }
    return lines;
}

}  // namespace

std::string note_changed_verdicts(const core::StudyRecord& found, const std::string& because) {
    const std::string lines = changes(found, because);
    const std::optional<std::filesystem::path> path = lines.empty() ? std::nullopt : find_changelog(found.file);
    if (!path) return "";
    std::string text = core::read_file(*path);
    const std::size_t start = *after_heading(text);
    std::size_t end = std::min(text.find("\n## ", start), text.size());
    while (end > start && text[end - 1] == '\n') --end;
    const bool goes_on = text.rfind("\n- ", end) != std::string::npos && text.rfind("\n- ", end) + 1 >= start;
    text.replace(end, std::min(text.find_first_not_of('\n', end), text.size()) - end,
                 (goes_on || end == start ? "\n" : "\n\n") + lines + (end + 1 < text.size() ? "\n" : ""));
    core::check_replaceable(path->string());
    core::write_file(path->string(), text);
    return path->string();
}

}  // namespace farfield::study
