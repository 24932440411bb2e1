// The study reader on any bytes: it may refuse them with a UserError, and nothing else may happen.
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/study/study.hpp>
#include <string>

#include "support/folder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const farfield::tests::Folder folder;
    folder.write("study.toml", {reinterpret_cast<const char*>(data), size});
    try {
        const farfield::study::Study study = farfield::study::read({folder.path("study.toml"), "fuzz", true}, {});
        farfield::study::describe(study);
    } catch (const farfield::core::UserError& error) {
        farfield::core::format(error.diagnostics());
    }
    return 0;
}
