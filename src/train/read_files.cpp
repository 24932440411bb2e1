#include "train/read_files.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <farfield/core/error.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace farfield::train {

namespace {

namespace fs = std::filesystem;

/// What the shell would make of the pattern; folders become the files under them.
std::vector<fs::path> matches(const fs::path& pattern) {
    glob_t found{};
    const int status = ::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found);
    std::vector<fs::path> paths;
    if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        if (!fs::is_directory(path)) {
            files.push_back(path);
            continue;
        }
        std::vector<fs::path> under;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
            if (entry.is_regular_file()) under.push_back(entry.path());
        }
        std::sort(under.begin(), under.end());
        files.insert(files.end(), under.begin(), under.end());
    }
    return files;
}

std::string content(const fs::path& path, const std::string& advice) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw core::MissingError("opening '" + path.string() + "'", std::strerror(errno), advice);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<std::string> read_files(const std::vector<std::string>& patterns, const std::string& folder,
                                    const std::string& advice) {
    std::vector<std::string> documents;
    for (const std::string& pattern : patterns) {
        const fs::path path = fs::path(folder) / pattern;
        const std::vector<fs::path> files = matches(path);
        if (files.empty())
            throw core::MissingError("looking for '" + path.string() + "'", "there is no such file", advice);
        for (const fs::path& file : files) documents.push_back(content(file, advice));
    }
    return documents;
}

}  // namespace farfield::train
