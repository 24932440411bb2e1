// Checkpoints of any bytes: they may be refused with a UserError or for want of memory, and nothing else may happen.
#include <cstdint>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/model/check.hpp>
#include <string>
#include <vector>

#include "support/folder.hpp"

using namespace farfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const tests::Folder folder;
    folder.write("model.gguf", {reinterpret_cast<const char*>(data), size});
    try {
        const checkpoint::Checkpoint file(folder.path("model.gguf"));
        const scheme::Scheme scheme = file.scheme(scheme::Registry::builtin(), {}, {});
        const checkpoint::Forward model(file, 1);
        const std::vector<model::Token> tokens = {0, 1, 0};
        model.logits(scheme, tokens, [](std::span<const float>) {});
    } catch (const core::UserError& error) {
        core::format(error.diagnostics());
    } catch (const core::MissingError&) {
    } catch (const model::PieceError&) {
    }
    return 0;
}
