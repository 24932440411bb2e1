#include "study/manifest.hpp"

#include <dlfcn.h>

#include <farfield/study/version.hpp>
#include <filesystem>
#include <fstream>

#include "study/commit_of_build.hpp"
#include "study/version_of_build.hpp"

namespace farfield::study {

namespace {

std::string processor() {
    std::ifstream stream("/proc/cpuinfo");
    std::string line;
    while (std::getline(stream, line)) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

/// The file that holds this code: the program, or a module that another program has loaded.
std::filesystem::path own_file(std::error_code& failure) {
    Dl_info found = {};
    const bool is_known = dladdr(reinterpret_cast<const void*>(&compiler), &found) != 0 && found.dli_fname != nullptr;
    const std::string name = is_known ? found.dli_fname : "";
    if (name.find(".so") != std::string::npos) return name;
    return std::filesystem::read_symlink("/proc/self/exe", failure);
}

std::string identify() {
    std::error_code failure;
    const std::filesystem::path program = own_file(failure);
    std::string text = std::string(version()) + " " FARFIELD_COMMIT;
    if (failure) return text;
    const auto size = std::filesystem::file_size(program, failure);
    const auto time = std::filesystem::last_write_time(program, failure).time_since_epoch().count();
    return text + " " + std::to_string(size) + " " + std::to_string(time);
}

}  // namespace

std::string_view version() {
    return FARFIELD_VERSION_TEXT;
}

const std::string& program_identity() {
    static const std::string identity = identify();
    return identity;
}

std::vector<std::pair<std::string, std::string>> manifest_of(const Study::Body& body) {
    std::vector<std::pair<std::string, std::string>> manifest = {
        {"version", std::string(version())}, {"commit", FARFIELD_COMMIT}, {"compiler", compiler()},
        {"processor", processor()},          {"study_sha256", body.hash},
    };
    for (const auto& [path, value] : body.set) manifest.emplace_back("set " + path, value);
    return manifest;
}

}  // namespace farfield::study
