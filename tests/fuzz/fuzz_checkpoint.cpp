// Checkpoints of any bytes: they may be refused with a UserError or for want of memory, and nothing else may happen.
// Bytes that begin as JSON are a folder's: config.json, and after a zero byte tokenizer.json, and after another
// model.safetensors.
#include <algorithm>
#include <cstdint>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/checkpoint/tokeniser.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/model/check.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/folder.hpp"

using namespace farfield;

namespace {

std::string write(const tests::Folder& folder, std::string_view bytes) {
    if (!bytes.starts_with("{")) {
        folder.write("model.gguf", std::string(bytes));
        return folder.path("model.gguf");
    }
    for (const char* name : {"config.json", "tokenizer.json", "model.safetensors"}) {
        const bool is_last = name == std::string_view("model.safetensors");
        const std::size_t end = is_last ? bytes.size() : std::min(bytes.find('\0'), bytes.size());
        folder.write(name, std::string(bytes.substr(0, end)));
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    return folder.path();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const tests::Folder folder;
    try {
        const checkpoint::Checkpoint file(write(folder, {reinterpret_cast<const char*>(data), size}));
        const scheme::Scheme scheme = file.scheme(scheme::Registry::builtin(), {}, {});
        const checkpoint::Forward model(file, 1);
        const std::vector<model::Token> tokens = {0, 1, 0};
        model.logits(scheme, tokens, [](std::span<const float>) {});
        checkpoint::Tokeniser(file).encode("The 12 heads\n");
    } catch (const core::UserError& error) {
        core::format(error.diagnostics());
    } catch (const core::MissingError&) {
    } catch (const model::PieceError&) {
    }
    return 0;
}
