// Compiled kernels by content, in memory and on disk.
#pragma once

#include <map>
#include <string>

#include "evaluate/cuda/driver.hpp"

namespace farfield::evaluate::cuda {

/// Kernels of sources. A source is compiled once for each content of its text, the language's text and the compiler's
/// identity; with a folder, once for all programs that use it: files are written whole or not at all, and one that the
/// device does not take is compiled anew.
class KernelStore {
public:
    KernelStore(Driver& driver, Compiler& compiler, std::string folder)
        : driver_(driver), compiler_(compiler), folder_(std::move(folder)) {}

    /// Throws MachineError.
    Driver::Kernel find(const std::string& text, const std::string& name);

private:
    std::string path_of(const std::string& key) const;
    Driver::Kernel load_or_compile(const std::string& key, const std::string& text, const std::string& name);

    Driver& driver_;
    Compiler& compiler_;
    std::string folder_;
    std::map<std::string, Driver::Kernel> loaded_;
};

}  // namespace farfield::evaluate::cuda
