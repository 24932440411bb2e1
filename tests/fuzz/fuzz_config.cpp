// The readers of configurations on any bytes: they may refuse them with a UserError, and nothing else may happen. The
// first byte chooses: 0 JSON, 1 GGUF, 2 JSON with safe lengths, 3 a safetensors header beside a configuration.
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/doctor/doctor.hpp>
#include <string>

#include "support/folder.hpp"

using namespace farfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const tests::Folder folder;
    const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
    const int kind = data[0] % 4;
    doctor::Options options;
    options.safe_length = kind == 2;
    options.served = options.safe_length ? 256 : 4096;
    options.engines = doctor::engine_names();
    try {
        if (kind % 2 == 0) {
            const doctor::Diagnosis diagnosis = doctor::diagnose_text(text, "config.json", options);
            doctor::json_of(diagnosis);
            doctor::text_of(diagnosis);
            doctor::markdown_of(diagnosis);
        } else {
            const std::string name = kind == 1 ? "model.gguf" : "model.safetensors";
            folder.write(name, text);
            folder.write("config.json", "{\"model_type\": \"llama\", \"num_attention_heads\": 4, \"hidden_size\": 64}");
            doctor::markdown_of(doctor::diagnose(folder.path(name), options));
        }
    } catch (const core::UserError& error) {
        core::format(error.diagnostics());
    }
    return 0;
}
