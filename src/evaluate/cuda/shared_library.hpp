// A library opened at run time, so that the program runs where it is not.
#pragma once

#include <string>
#include <vector>

namespace farfield::evaluate::cuda {

/// Stays open until the program ends: what it gave may be in use anywhere.
class SharedLibrary {
public:
    /// The first of the files that opens; not open if none does.
    explicit SharedLibrary(const std::vector<std::string>& files);

    bool is_open() const { return handle_ != nullptr; }
    /// Why the last file did not open.
    const std::string& problem() const { return problem_; }
    /// A function of the library; null if it has none of that name.
    void* find(const char* name) const;

private:
    void* handle_ = nullptr;
    std::string problem_;
};

/// A library's names in the folders of CUDA toolkits: those of CUDA_PATH and CUDA_HOME, and the usual one; before them
/// the bare names, which the system's own search finds.
std::vector<std::string> in_toolkits(const std::vector<std::string>& names);

}  // namespace farfield::evaluate::cuda
