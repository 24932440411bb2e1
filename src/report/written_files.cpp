#include "report/written_files.hpp"

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/record.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "report/text.hpp"

namespace farfield::report {
namespace {

namespace fs = std::filesystem;

/// Sorted keys, unlike in the rest of report, because an ordered object searches all its keys for each new one.
using Parsed = nlohmann::json;

std::string text_at(const Parsed& object, const char* key) {
    if (!object.is_object()) return "";
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

WrittenFiles files_of(const Parsed& json) {
    WrittenFiles written{text_at(json, "study"), text_at(json, "file"), {}, {}};
    const Parsed quantities = json.value("quantities", Parsed::object());
    const Parsed figures = json.value("figures", Parsed::object());
    for (const auto& [name, quantity] : quantities.items()) {
        written.computed.insert(name);
        for (const char* key : {"series", "thinned"}) written.names.push_back(text_at(quantity, key));
    }
    for (const Parsed& claim : json.value("claims", Parsed::array())) {
        const std::optional<core::Verdict> verdict = core::find_verdict(text_at(claim, "verdict"));
        if (verdict && core::is_verdict(*verdict)) written.computed.insert("claim " + text_at(claim, "id"));
    }
    for (const auto& [name, figure] : figures.items()) {
        for (const char* ending : {".svg", ".png"}) written.names.push_back(file_stem(name) + ending);
        written.computed.insert("figure " + name);
    }
    return written;
}

/// A name that does not lead out of the folder, like all names that this program writes.
bool is_plain(const std::string& name) {
    return !name.empty() && name == file_stem(name) && name != "results.json";
}

}  // namespace

std::string content_of(const std::string& path) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
    std::error_code failure;
    return std::filesystem::exists(path, failure) ? core::read_file(path, most_bytes) : "";
}

std::optional<WrittenFiles> read_written_files(const std::string& folder) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
    const std::string path = folder + "/results.json";
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) return std::nullopt;
    const std::string content = core::read_file(path, most_bytes);
    try {
        const Parsed json = Parsed::parse(content);
        if (json.is_object() && json.contains("study")) return files_of(json);
    } catch (const Parsed::exception&) {
    }
    core::Place place;
    place.file = path;
    throw core::UserError({core::Diagnostic{place, "not a results.json of farfield, and it would be replaced",
                                            "another folder: -o DIR", ""}});
}

void remove_left_over(const std::string& folder, const WrittenFiles& before, const std::vector<std::string>& now) {
    const std::set<std::string> written(now.begin(), now.end());
    for (const std::string& name : before.names) {
        if (!is_plain(name) || written.contains(name)) continue;
        std::error_code failure;
        const fs::path path = fs::path(folder) / name;
        if (fs::symlink_status(path, failure).type() == fs::file_type::regular) fs::remove(path, failure);
    }
}

}  // namespace farfield::report
