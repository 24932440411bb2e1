// Studies written as text, read and run.
#pragma once

#include <stdlib.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/study.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace study_support {

using namespace farfield;

/// A temporary folder, removed with all in it.
class Folder {
public:
    Folder() : path_((std::filesystem::temp_directory_path() / "farfield-study-XXXXXX").string()) {
        if (!mkdtemp(path_.data())) throw std::runtime_error("no temporary folder");
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string path(const std::string& name = {}) const { return name.empty() ? path_ : path_ + "/" + name; }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << text;
    }
    std::string read(const std::string& name) const {
        std::ifstream stream(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    }

private:
    std::string path_;
};

inline study::Study read(const Folder& folder, const std::string& text, const study::Options& options = {}) {
    folder.write("s.toml", text);
    return study::read({folder.path("s.toml"), "s", true}, options);
}

inline core::StudyRecord run(const std::string& text, const study::Options& options = {}) {
    const Folder folder;
    return study::run(read(folder, text, options), options);
}

/// What is found wrong with the text, each as "line: found".
inline std::vector<std::string> problems_of(const std::string& text, const study::Options& options = {}) {
    const Folder folder;
    std::vector<std::string> messages;
    try {
        read(folder, text, options);
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics())
            messages.push_back(std::to_string(each.place.line) + ": " + each.found);
    }
    return messages;
}

inline const core::Result* find(const core::StudyRecord& record, const std::string& name) {
    for (const core::Result& result : record.quantities) {
        if (result.name == name) return &result;
    }
    return nullptr;
}

inline std::vector<std::string> names_of(const core::StudyRecord& record) {
    std::vector<std::string> names;
    for (const core::Result& result : record.quantities) names.push_back(result.name);
    return names;
}

}  // namespace study_support
