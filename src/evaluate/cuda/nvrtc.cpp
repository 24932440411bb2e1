// NVRTC, opened at run time: compiles CUDA C++ to machine code without a device.
#include <nvrtc.h>

#include <algorithm>
#include <vector>

#include "evaluate/cuda/cuda_driver.hpp"
#include "evaluate/cuda/language_text.hpp"
#include "evaluate/cuda/shared_library.hpp"

namespace farfield::evaluate::cuda {

namespace {

struct Functions {
    decltype(&::nvrtcVersion) version = nullptr;
    decltype(&::nvrtcGetErrorString) error_string = nullptr;
    decltype(&::nvrtcGetNumSupportedArchs) count_architectures = nullptr;
    decltype(&::nvrtcGetSupportedArchs) architectures = nullptr;
    decltype(&::nvrtcCreateProgram) create = nullptr;
    decltype(&::nvrtcDestroyProgram) destroy = nullptr;
    decltype(&::nvrtcCompileProgram) compile = nullptr;
    decltype(&::nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&::nvrtcGetProgramLog) log = nullptr;
    decltype(&::nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&::nvrtcGetCUBIN) cubin = nullptr;
    decltype(&::nvrtcGetPTXSize) ptx_size = nullptr;
    decltype(&::nvrtcGetPTX) ptx = nullptr;

    bool bind(const SharedLibrary& library) {
        const auto one = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(library.find(name));
            return function != nullptr;
        };
        return one(version, "nvrtcVersion") && one(error_string, "nvrtcGetErrorString") &&
               one(count_architectures, "nvrtcGetNumSupportedArchs") && one(architectures, "nvrtcGetSupportedArchs") &&
               one(create, "nvrtcCreateProgram") && one(destroy, "nvrtcDestroyProgram") &&
               one(compile, "nvrtcCompileProgram") && one(log_size, "nvrtcGetProgramLogSize") &&
               one(log, "nvrtcGetProgramLog") && one(cubin_size, "nvrtcGetCUBINSize") && one(cubin, "nvrtcGetCUBIN") &&
               one(ptx_size, "nvrtcGetPTXSize") && one(ptx, "nvrtcGetPTX");
    }
};

class Nvrtc : public Compiler {
public:
    Nvrtc(const Functions& functions, int capability) : nvrtc_(functions) {
        int major = 0;
        int minor = 0;
        nvrtc_.version(&major, &minor);
        int count = 0;
        nvrtc_.count_architectures(&count);
        std::vector<int> known(static_cast<std::size_t>(std::max(count, 0)));
        if (!known.empty()) nvrtc_.architectures(known.data());
        is_machine_code_ = std::find(known.begin(), known.end(), capability) != known.end();
        int newest = 0;
        for (const int each : known) newest = each <= capability ? std::max(newest, each) : newest;
        architecture_ = (is_machine_code_ ? "sm_" : "compute_") + std::to_string(newest);
        identity_ =
            "nvrtc " + std::to_string(major) + "." + std::to_string(minor) + " " + architecture_ + " " + options;
    }

    const std::string& identity() const override { return identity_; }

    std::string compile(const std::string& text) override {
        nvrtcProgram program = nullptr;
        std::vector<const char*> texts;
        std::vector<const char*> names;
        for (const Header& header : language_headers()) {
            texts.push_back(header.text);
            names.push_back(header.name);
        }
        const auto count = static_cast<int>(texts.size());
        check(nvrtc_.create(&program, text.c_str(), "formula.cu", count, texts.data(), names.data()),
              "nvrtcCreateProgram", "");
        const std::string architecture = "--gpu-architecture=" + architecture_;
        // `options` must contain each of these too.
        const char* arguments[] = {architecture.c_str(), "--std=c++20", "--fmad=false", "--ptxas-options=-v"};
        const nvrtcResult status = nvrtc_.compile(program, static_cast<int>(std::size(arguments)), arguments);
        log_ = read(program, nvrtc_.log_size, nvrtc_.log);
        std::string image;
        if (status == NVRTC_SUCCESS) {
            image = is_machine_code_ ? read(program, nvrtc_.cubin_size, nvrtc_.cubin)
                                     : read(program, nvrtc_.ptx_size, nvrtc_.ptx);
        }
        nvrtc_.destroy(&program);
        check(status, "nvrtcCompileProgram for " + architecture_, log_);
        return image;
    }

    const std::string& log() const override { return log_; }

private:
    static constexpr const char* options = "--std=c++20 --fmad=false";

    template <class Size, class Get>
    static std::string read(nvrtcProgram program, Size size_of, Get get) {
        std::size_t size = 0;
        if (size_of(program, &size) != NVRTC_SUCCESS) return {};
        std::string text(size, '\0');
        if (size > 0) get(program, text.data());
        return text;
    }

    void check(nvrtcResult status, const std::string& call, const std::string& log) const {
        if (status == NVRTC_SUCCESS) return;
        throw MachineError(MachineError::Kind::other, call,
                           nvrtc_.error_string(status) + (log.empty() ? std::string() : "\n" + log));
    }

    Functions nvrtc_;
    std::string architecture_;
    std::string identity_;
    std::string log_;
    bool is_machine_code_ = false;
};

}  // namespace

std::unique_ptr<Compiler> open_compiler(int capability) {
    const SharedLibrary library(in_toolkits({"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}));
    Functions functions;
    if (!library.is_open() || !functions.bind(library)) return nullptr;
    return std::make_unique<Nvrtc>(functions, capability);
}

}  // namespace farfield::evaluate::cuda
