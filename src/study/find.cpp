#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/study/study.hpp>

#include "core/paths.hpp"

namespace farfield::study {

namespace fs = std::filesystem;

namespace {

bool starts_study(std::string line) {
    line.erase(0, line.find_first_not_of(" \t"));
    return line.starts_with("[study]") || line.starts_with("[quantity.") || line.starts_with("[[claim]]");
}

/// A data file next to the studies has none of their headings. Files larger than the largest study are not searched.
bool is_study(const fs::path& file) {
    core::InputFile input(file.string());
    std::string piece(std::size_t{1} << 16, '\0');
    std::string line;
    for (std::uintmax_t seen = 0; seen < core::most_input_bytes;) {
        const std::size_t got = input.read(piece);
        seen += got;
        if (got == 0) return starts_study(line);
        for (const char c : std::string_view(piece).substr(0, got)) {
            constexpr std::size_t longest_heading = 256;
            if (c != '\n') {
                if (line.size() < longest_heading) line += c;
                continue;
            }
            if (starts_study(line)) return true;
            line.clear();
        }
    }
    return false;
}

std::string folder_name(const fs::path& file) {
    std::error_code failure;
    const fs::path whole = fs::weakly_canonical(file, failure);
    return (failure ? file : whole).parent_path().filename().string();
}

/// The studies under a folder, sorted, and what could not be read.
class Search {
public:
    explicit Search(std::vector<std::string>& unreadable) : unreadable_(unreadable) {}

    std::vector<fs::path> run(const fs::path& folder) {
        look_into(folder);
        std::sort(files_.begin(), files_.end());
        return std::move(files_);
    }

private:
    void look_into(const fs::path& folder) {
        std::error_code failure;
        fs::directory_iterator each(folder, failure);
        for (const fs::directory_iterator end; !failure && each != end; each.increment(failure)) look_at(*each);
        if (failure) miss(folder, failure.message());
    }

    /// Links to folders are not followed, because they may form cycles.
    void look_at(const fs::directory_entry& entry) {
        std::error_code failure;
        const fs::file_type type = entry.symlink_status(failure).type();
        if (failure) return miss(entry.path(), failure.message());
        if (type == fs::file_type::directory) return look_into(entry.path());
        if (entry.path().extension() != ".toml" || (type == fs::file_type::symlink && entry.is_directory(failure)))
            return;
        try {
            if (is_study(entry.path())) files_.push_back(entry.path());
        } catch (const core::MissingError& error) {
            unreadable_.emplace_back(error.what());
        } catch (const core::UserError& error) {
            miss(entry.path(), error.diagnostics().front().found);
        }
    }

    void miss(const fs::path& path, const std::string& reason) {
        unreadable_.push_back("reading '" + path.string() + "': " + reason);
    }

    std::vector<fs::path> files_;
    std::vector<std::string>& unreadable_;
};

core::Diagnostic at_file(const std::string& file, std::string found, std::string wanted = {}, std::string hint = {}) {
    core::Place place;
    place.file = file;
    return {place, std::move(found), std::move(wanted), std::move(hint)};
}

/// The name of an existing path that is similar to the requested one.
std::string near(const fs::path& path) {
    std::vector<std::string> names;
    std::error_code failure;
    const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    fs::directory_iterator each(folder, failure);
    for (const fs::directory_iterator end; !failure && each != end; each.increment(failure))
        names.push_back(each->path().filename().string());
    std::sort(names.begin(), names.end());
    return core::suggestion(path.filename().string(), names);
}

}  // namespace

std::vector<Found> find_studies(const std::vector<std::string>& paths, std::vector<std::string>& unreadable) {
    std::vector<Found> found;
    core::Problems problems;
    core::report_repeated_paths(paths, problems);
    std::set<std::string> seen;
    std::map<std::string, std::string> names;
    const auto add = [&](const fs::path& file, std::string name, bool named) {
        std::error_code failure;
        const fs::path whole = fs::weakly_canonical(file, failure);
        if (!seen.insert(failure ? file.string() : whole.string()).second) return;
        const auto [other, is_new] = names.emplace(name, file.string());
        if (!is_new) {
            problems.add(at_file(file.string(), "a second study named '" + name + "'", "one study a name",
                                 "The first is " + other->second + "; run them apart, with a folder each (-o)."));
        }
        found.push_back({file.string(), std::move(name), named});
    };
    for (const std::string& path : paths) {
        std::error_code failure;
        const fs::file_type type = fs::status(path, failure).type();
        if (path.empty()) {
            problems.add({}, "the path of a study is empty", "a study file or a folder");
        } else if (type == fs::file_type::directory) {
            const std::size_t before = unreadable.size();
            const std::vector<fs::path> files = Search(unreadable).run(path);
            if (files.empty() && unreadable.size() == before)
                problems.add(at_file(path, "the folder has no study", "a .toml file with [study] in it"));
            for (const fs::path& file : files) add(file, folder_name(file) + "/" + file.stem().string(), false);
        } else if (type == fs::file_type::not_found && fs::is_symlink(fs::symlink_status(path, failure))) {
            unreadable.push_back("reading '" + path + "': the link leads to no file");
        } else if (type == fs::file_type::not_found) {
            problems.add(at_file(path, "there is no such file or folder", "", near(path)));
        } else if (type == fs::file_type::none) {
            unreadable.push_back("reading '" + path + "': " + failure.message());
        } else {
            add(path, fs::path(path).stem().string(), true);
        }
    }
    problems.raise();
    return found;
}

}  // namespace farfield::study
