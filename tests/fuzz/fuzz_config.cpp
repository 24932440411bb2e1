// The readers of configurations on any bytes: they may refuse them with a UserError, and nothing else may happen. The
// first byte chooses JSON or GGUF.
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
    doctor::Options options;
    options.served = 4096;
    options.safe_length = false;
    options.engines = doctor::engine_names();
    try {
        if (data[0] % 2 == 0) {
            doctor::json_of(doctor::diagnose_text(text, "config.json", options));
        } else {
            folder.write("model.gguf", text);
            doctor::sarif_of(doctor::diagnose(folder.path("model.gguf"), options));
        }
    } catch (const core::UserError& error) {
        core::format(error.diagnostics());
    }
    return 0;
}
