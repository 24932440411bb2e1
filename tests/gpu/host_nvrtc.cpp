// The functions of NVRTC that farfield calls, on the host: "machine code" is the path of a shared library that the
// host's compiler makes. See host_driver.cpp.
#include <nvrtc.h>

#include <cstring>
#include <regex>
#include <string>

#include "support/host_kernels.hpp"

struct _nvrtcProgram {
    std::string text;
    std::string image;
    std::string log;
};

namespace {

// Compiled libraries must outlive the program that made them: their paths are kept by a cache.
std::string folder_of_libraries() {
    const char* named = std::getenv("FARFIELD_HOST_CUDA");
    return named != nullptr ? named : std::filesystem::temp_directory_path().string();
}

std::string with_entries(const std::string& text) {
    const std::size_t end_of_include = text.find('\n') + 1;
    std::string whole =
        text.substr(0, end_of_include) + farfield::tests::cuda_on_host_prologue + text.substr(end_of_include);
    static const std::regex kernel("__global__ void (\\w+)\\(");
    for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at)
        whole += farfield::tests::entry_of((*at)[1]);
    return whole;
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
    *major = *minor = 0;
    return NVRTC_SUCCESS;
}
const char* nvrtcGetErrorString(nvrtcResult) {
    return "the host's compiler failed";
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    *count = 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
    *architectures = 90;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char*, int, const char* const*,
                               const char* const*) {
    *program = new _nvrtcProgram{text, {}, {}};
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    delete *program;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int, const char* const*) {
    try {
        const farfield::tests::Folder folder;
        farfield::tests::compile_for_host(with_entries(program->text), folder);
        std::string library = folder_of_libraries() + "/kernels-XXXXXX";
        if (mkdtemp(library.data()) == nullptr) return NVRTC_ERROR_COMPILATION;
        program->image = library + "/kernels.so";
        std::filesystem::copy_file(folder.path("kernels.so"), program->image);
        program->image += '\0';
        return NVRTC_SUCCESS;
    } catch (const std::exception& error) {
        program->log = error.what();
        return NVRTC_ERROR_COMPILATION;
    }
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
    *size = program->log.size();
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    std::memcpy(log, program->log.data(), program->log.size());
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
    *size = program->image.size();
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
    std::memcpy(image, program->image.data(), program->image.size());
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* size) {
    return nvrtcGetCUBINSize(program, size);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* image) {
    return nvrtcGetCUBIN(program, image);
}
}
