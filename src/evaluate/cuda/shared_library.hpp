// A library that is opened at run time, so that the program also runs if it is not installed.
#pragma once

#include <string>
#include <vector>

namespace farfield::evaluate::cuda {

/// The library stays open until the program ends, because its functions may be in use anywhere.
class SharedLibrary {
public:
    /// Opens the first of the files that can be opened; is not open if none can.
    explicit SharedLibrary(const std::vector<std::string>& files);

    bool is_open() const { return handle_ != nullptr; }
    /// Why the last file did not open.
    const std::string& problem() const { return problem_; }
    /// A function of the library; null if there is none with this name.
    void* find(const char* name) const;

private:
    void* handle_ = nullptr;
    std::string problem_;
};

/// The paths of a library: first the bare names, for the system's own search, and then the names in the folders of CUDA
/// toolkits, which are those of CUDA_PATH and CUDA_HOME and the usual one.
std::vector<std::string> in_toolkits(const std::vector<std::string>& names);

}  // namespace farfield::evaluate::cuda
