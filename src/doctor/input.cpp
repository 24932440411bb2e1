#include "doctor/input.hpp"

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/tensor/gguf.hpp>
#include <farfield/tensor/tensor.hpp>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "doctor/gguf.hpp"
#include "doctor/resolve.hpp"

namespace farfield::doctor {

namespace {

std::string standard_input() {
    std::string text;
    char room[65536];
    while (std::cin.read(room, sizeof room) || std::cin.gcount() > 0) {
        text.append(room, static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > most_config_bytes) break;
    }
    return text;
}

/// The configuration next to a safetensors file, and the width of a head from the shapes of tensors.
Document beside_tensors(const std::string& path) {
    const std::filesystem::path config = std::filesystem::path(path).parent_path() / "config.json";
    const std::vector<tensor::Description> tensors = tensor::list_tensors(path);
    Document document = read_json(core::read_file(config.string(), most_config_bytes), config.string());
    std::string prefix;
    const Value& root = text_part(document, prefix);
    const Member* heads = root.find("num_attention_heads");
    for (const tensor::Description& each : tensors) {
        const bool is_norm = each.name.ends_with("self_attn.q_norm.weight") && each.shape.size() == 1;
        const bool is_query = each.name.ends_with("self_attn.q_proj.weight") && each.shape.size() == 2;
        const bool divides = heads && heads->value.is(Value::Kind::number) && heads->value.number >= 1;
        if (is_norm) document.shape_width = static_cast<long long>(each.shape.front());
        if (is_query && divides && document.shape_width == 0)
            document.shape_width =
                static_cast<long long>(static_cast<double>(each.shape.front()) / heads->value.number);
        if (document.shape_width == 0) continue;
        document.shape_tensor = each.name;
        break;
    }
    return document;
}

/// The first part of a model in several files; empty if there is none.
std::filesystem::path first_part(const std::filesystem::path& folder) {
    std::error_code unused;
    for (const auto& each : std::filesystem::directory_iterator(folder, unused)) {
        const std::string name = each.path().filename().string();
        if (name.starts_with("model-00001-of-") && name.ends_with(".safetensors")) return each.path();
    }
    return {};
}

/// The configuration of a folder. A file of tensors that cannot be read, such as the pointer that git leaves without
/// LFS, says nothing about shapes.
Document read_folder(const std::string& path) {
    const std::filesystem::path folder = path;
    std::error_code unused;
    for (const std::filesystem::path& file : {folder / "model.safetensors", first_part(folder)}) {
        if (file.empty() || !std::filesystem::is_regular_file(file, unused)) continue;
        try {
            tensor::list_tensors(file.string());
        } catch (const core::UserError&) {
            continue;
        }
        return beside_tensors(file.string());
    }
    const std::string config = (folder / "config.json").string();
    return read_json(core::read_file(config, most_config_bytes), config);
}

}  // namespace

Document read_input(const std::string& path) {
    if (path == "-") return read_json(standard_input(), "standard input");
    std::error_code unused;
    if (std::filesystem::is_directory(path, unused)) return read_folder(path);
    if (path.ends_with(".safetensors")) return beside_tensors(path);
    if (path.ends_with(".gguf") || tensor::is_gguf(path)) return read_gguf(path);
    return read_json(core::read_file(path, most_config_bytes), path);
}

}  // namespace farfield::doctor
