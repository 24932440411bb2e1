#include "evaluate/cuda/kernel_store.hpp"

#include <filesystem>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/write_file.hpp>

#include "evaluate/cuda/language_text.hpp"

namespace farfield::evaluate::cuda {

namespace {

/// The file of a kernel that was compiled before; empty if there is none that can be read.
std::string content(const std::string& path) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) return "";
    try {
        return core::read_file(path);
    } catch (const core::MissingError&) {
        return "";
    } catch (const core::UserError&) {
        return "";
    }
}

}  // namespace

Driver::Kernel KernelStore::find(const std::string& text, const std::string& name) {
    std::string identity = compiler_.identity() + "\n";
    for (const Header& header : language_headers()) identity += std::string(header.text) + "\n";
    const std::string key = core::sha256(identity + name + "\n" + text);
    const auto known = loaded_.find(key);
    if (known != loaded_.end()) return known->second;
    const Driver::Kernel kernel = load_or_compile(key, text, name);
    loaded_.emplace(key, kernel);
    return kernel;
}

std::string KernelStore::path_of(const std::string& key) const {
    return (std::filesystem::path(folder_) / "kernels" / key.substr(0, 2) / key).string();
}

Driver::Kernel KernelStore::load_or_compile(const std::string& key, const std::string& text, const std::string& name) {
    const std::string kept = folder_.empty() ? std::string() : content(path_of(key));
    if (!kept.empty()) {
        try {
            return driver_.load(kept, name);
        } catch (const MachineError& error) {
            // The file is broken or belongs to another driver; the next write replaces it.
            if (error.kind() != MachineError::Kind::image) throw;
        }
    }
    const std::string image = compiler_.compile(text);
    const Driver::Kernel kernel = driver_.load(image, name);
    if (folder_.empty()) return kernel;
    try {
        core::write_file(path_of(key), image, "--cache");
    } catch (const core::MissingError&) {
        // If the folder cannot be written, the program is only slower.
    }
    return kernel;
}

}  // namespace farfield::evaluate::cuda
