#include "train/read_files.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <filesystem>
#include <set>

namespace farfield::train {

namespace {

namespace fs = std::filesystem;

#if !defined(GLOB_BRACE)  // musl's glob has no {a,b}
constexpr int GLOB_BRACE = 0;
#endif

/// Expands the pattern like the shell; folders are replaced by the files in them.
std::vector<fs::path> matches(const fs::path& pattern) {
    glob_t found{};
    const int status = ::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found);
    std::vector<fs::path> paths;
    if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        std::error_code failure;
        if (!fs::is_directory(path, failure)) {
            files.push_back(path);
            continue;
        }
        std::vector<fs::path> under;
        fs::recursive_directory_iterator each(path, failure);
        for (const fs::recursive_directory_iterator end; !failure && each != end; each.increment(failure)) {
            if (each->is_regular_file(failure)) under.push_back(each->path());
        }
        if (failure) throw core::MissingError("reading '" + path.string() + "'", failure.message(), "");
        std::sort(under.begin(), under.end());
        files.insert(files.end(), under.begin(), under.end());
    }
    return files;
}

/// The largest size of a whole corpus.
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

}  // namespace

std::vector<std::string> read_files(const std::vector<std::string>& patterns, const std::string& folder,
                                    const std::string& advice, const core::Place& place) {
    std::vector<std::string> documents;
    std::set<fs::path> read;
    std::uintmax_t bytes = 0;
    for (const std::string& pattern : patterns) {
        const fs::path path = fs::path(folder) / pattern;
        const std::vector<fs::path> files = matches(path);
        if (files.empty())
            throw core::MissingError("looking for '" + path.string() + "'", "there is no such file", advice);
        for (const fs::path& file : files) {
            std::error_code failure;
            if (!read.insert(fs::weakly_canonical(file, failure)).second)
                throw core::UserError({core::Diagnostic{place,
                                                        "'files' names '" + file.string() + "' twice",
                                                        "each file once: its text would be trained and held out",
                                                        {}}});
            documents.push_back(core::read_file(file.string(), most_bytes));
            bytes += documents.back().size();
            if (bytes > most_bytes) core::refuse_size(path.string(), most_bytes);
        }
    }
    return documents;
}

}  // namespace farfield::train
