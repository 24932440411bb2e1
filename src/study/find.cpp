#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/study.hpp>

namespace farfield::study {

namespace fs = std::filesystem;

namespace {

bool starts_study(std::string line) {
    line.erase(0, line.find_first_not_of(" \t"));
    return line.starts_with("[study]") || line.starts_with("[quantity.") || line.starts_with("[[claim]]");
}

/// A file of data beside the studies has none of their headings.
bool is_study(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (starts_study(line)) return true;
    }
    return false;
}

std::string folder_name(const fs::path& file) {
    std::error_code failure;
    const fs::path whole = fs::weakly_canonical(file, failure);
    return (failure ? file : whole).parent_path().filename().string();
}

std::vector<fs::path> studies_under(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code failure;
    for (fs::recursive_directory_iterator each(folder, fs::directory_options::skip_permission_denied, failure), end;
         each != end; each.increment(failure)) {
        if (failure) break;
        if (each->is_regular_file() && each->path().extension() == ".toml" && is_study(each->path()))
            files.push_back(each->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

core::Diagnostic at_file(const std::string& file, std::string found, std::string wanted = {}, std::string hint = {}) {
    core::Place place;
    place.file = file;
    return {place, std::move(found), std::move(wanted), std::move(hint)};
}

/// The name of a path that is nearly the one asked for.
std::string near(const fs::path& path) {
    std::vector<std::string> names;
    std::error_code failure;
    const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    for (const auto& each : fs::directory_iterator(folder, failure)) names.push_back(each.path().filename().string());
    std::sort(names.begin(), names.end());
    return core::suggestion(path.filename().string(), names);
}

}  // namespace

std::vector<Found> find_studies(const std::vector<std::string>& paths) {
    std::vector<Found> found;
    core::Problems problems;
    std::set<std::string> seen;
    std::map<std::string, std::string> names;
    const auto add = [&](const fs::path& file, std::string name, bool named) {
        std::error_code failure;
        if (!seen.insert(fs::weakly_canonical(file, failure).string()).second) return;
        const auto [other, is_new] = names.emplace(name, file.string());
        if (!is_new) {
            problems.add(at_file(file.string(), "a second study named '" + name + "'", "one study a name",
                                 "The first is " + other->second + "; run them apart, with a folder each (-o)."));
        }
        found.push_back({file.string(), std::move(name), named});
    };
    for (const std::string& path : paths) {
        if (fs::is_directory(path)) {
            const std::vector<fs::path> files = studies_under(path);
            if (files.empty())
                problems.add(at_file(path, "the folder has no study", "a .toml file with [study] in it"));
            for (const fs::path& file : files) add(file, folder_name(file) + "/" + file.stem().string(), false);
        } else if (!fs::exists(path)) {
            problems.add(at_file(path, "there is no such file or folder", "", near(path)));
        } else {
            add(path, fs::path(path).stem().string(), true);
        }
    }
    problems.raise();
    return found;
}

}  // namespace farfield::study
