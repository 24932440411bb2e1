// Compiled kernels by content, in memory and on disk.
#pragma once

#include <map>
#include <string>

#include "evaluate/cuda/driver.hpp"

namespace farfield::evaluate::cuda {

/// Compiled kernels of sources. A source is compiled once for each content of its text, the text of the language and
/// the compiler's identity. With a folder, it is compiled once for all programs that use the folder: files are written
/// completely or not at all, and a file that the device rejects is compiled again.
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
