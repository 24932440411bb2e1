#include "evaluate/cuda/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace farfield::evaluate::cuda {

SharedLibrary::SharedLibrary(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) return;
        const char* reason = dlerror();
        problem_ = reason != nullptr ? reason : "it does not open";
    }
}

void* SharedLibrary::find(const char* name) const {
    return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

std::vector<std::string> in_toolkits(const std::vector<std::string>& names) {
    std::vector<std::string> files = names;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
        const char* folder = std::getenv(variable);
        if (folder == nullptr || *folder == '\0') continue;
        for (const std::string& name : names) files.push_back(std::string(folder) + "/lib64/" + name);
    }
    for (const std::string& name : names) files.push_back("/usr/local/cuda/lib64/" + name);
    return files;
}

}  // namespace farfield::evaluate::cuda
