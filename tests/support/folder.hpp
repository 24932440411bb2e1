// A temporary folder of a test's own.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace farfield::tests {

/// The bytes of a file; none if it cannot be read.
inline std::string content(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Removed with all that is in it.
class Folder {
public:
    Folder() : path_((std::filesystem::temp_directory_path() / "farfield-test-XXXXXX").string()) {
        if (!mkdtemp(path_.data())) throw std::runtime_error("no temporary folder");
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    /// Of a file in it, or its own.
    std::string path(const std::string& name = {}) const { return name.empty() ? path_ : path_ + "/" + name; }
    /// With the folders it stands in.
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name), std::ios::binary) << text;
    }
    std::string read(const std::string& name) const { return content(path(name)); }

private:
    std::string path_;
};

}  // namespace farfield::tests
