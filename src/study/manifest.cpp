#include "study/manifest.hpp"

#include <fmt/format.h>

#include <farfield/study/version.hpp>
#include <fstream>

#include "study/commit_of_build.hpp"
#include "study/store.hpp"
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

}  // namespace

std::string_view version() {
    return FARFIELD_VERSION_TEXT;
}

const std::string& program_identity() {
    static const std::string identity = std::string(version()) + " " FARFIELD_COMMIT + build_identity();
    return identity;
}

std::vector<std::pair<std::string, std::string>> manifest_of(const Study::Body& body,
                                                             const std::vector<std::string>& only,
                                                             std::set<std::string> processors_of_store) {
    std::vector<std::pair<std::string, std::string>> manifest = {
        {"version", std::string(version())}, {"commit", FARFIELD_COMMIT}, {"compiler", compiler()},
        {"processor", processor()},          {"study_sha256", body.hash},
    };
    for (const auto& [path, value] : body.set) manifest.emplace_back("set " + path, value);
    if (!only.empty()) manifest.emplace_back("only", fmt::format("{}", fmt::join(only, ", ")));
    processors_of_store.erase(processor_kind());
    if (!processors_of_store.empty())
        manifest.emplace_back("processors of the store", fmt::format("{}", fmt::join(processors_of_store, "; ")));
    return manifest;
}

}  // namespace farfield::study
