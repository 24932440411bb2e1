#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>

#include "study/study_support.hpp"
#include "support/trials.hpp"

using namespace study_support;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

/// What a line `key = value` may become by a slip: nothing, or its value one of another type or out of all ranges.
std::vector<std::string> slips_of(const std::string& line) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) return {""};
    std::vector<std::string> slips = {""};
    for (const char* value : {"-1", "0", "1e300", "''", "'x'", "[]", "{}", "true"}) {
        slips.push_back(line.substr(0, equals + 3) + value);
    }
    return slips;
}

/// The lines worth a slip: each key once for each kind of table that has it, whatever the study.
std::vector<std::size_t> telling_lines(const std::vector<std::string>& lines, std::set<std::string>& seen) {
    std::string table;
    std::vector<std::size_t> telling;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        const std::size_t start = lines[at].find_first_not_of(' ');
        if (start == std::string::npos || lines[at][start] == '#') continue;
        const std::string key = lines[at].substr(start, lines[at].find_first_of(" .", start) - start);
        if (lines[at][start] == '[') table = key;
        if (key == "kind") table = lines[at];
        if (seen.insert(table + key).second) telling.push_back(at);
    }
    return telling;
}

/// Reads the study with one line slipped. What cannot be read is refused with a message, and nothing else happens.
void read_or_refuse(const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    try {
        study::read({file, "slipped", true}, {});
    } catch (const core::UserError& error) {
        CHECK(!error.diagnostics().empty());
    }
}

}  // namespace

TEST_CASE("a study with any one line slipped is read or refused") {
    const Folder folder;
    fs::copy(FARFIELD_SOURCE "/studies", folder.path("studies"), fs::copy_options::recursive);
    std::vector<std::string> unreadable;
    std::set<std::string> seen;
    const std::size_t step = farfield::tests::every * (farfield::tests::is_long_run() ? 1 : 4);
    std::size_t count = 0;
    for (const study::Found& found : study::find_studies({folder.path("studies")}, unreadable)) {
        const std::string original = folder.read(fs::relative(found.file, folder.path()).string());
        const std::vector<std::string> lines = lines_of(original);
        const std::string file = fs::path(found.file).replace_filename("slipped.toml").string();
        const std::vector<std::size_t> telling = telling_lines(lines, seen);
        for (const std::size_t at : telling) {
            if (count++ % step != 0) continue;
            for (const std::string& slip : slips_of(lines[at])) {
                INFO(found.name << ":" << at + 1 << ": " << lines[at] << " became " << slip);
                std::vector<std::string> slipped = lines;
                slipped[at] = slip;
                read_or_refuse(file, joined(slipped));
            }
        }
        fs::remove(file);
    }
}
