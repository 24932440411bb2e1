// The reader of FPBench's format on any bytes: it may refuse them with a UserError, and nothing else may happen.
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/study/fpcore.hpp>
#include <string>

using namespace farfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const bool skips : {false, true}) {
        try {
            study::import_fpcore(text, "a.fpcore", skips);
        } catch (const core::UserError& error) {
            core::format(error.diagnostics());
        }
    }
    return 0;
}
