// The study reader on any bytes: it may refuse them with a UserError, and nothing else may happen.
#include <unistd.h>

#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/study/study.hpp>
#include <fstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string path = "/tmp/farfield-fuzz-study-" + std::to_string(getpid()) + ".toml";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    try {
        const farfield::study::Study study = farfield::study::read({path, "fuzz", true}, {});
        farfield::study::describe(study);
    } catch (const farfield::core::UserError& error) {
        farfield::core::format(error.diagnostics());
    }
    return 0;
}
