// What a device asks of CUDA's driver and compiler. Abstract, so that the device's logic is tested without either.
#pragma once

#include <string>
#include <string_view>

#include "evaluate/machine/store.hpp"

namespace farfield::evaluate::cuda {

/// A device of a driver, its context current for the calling thread. Every call throws MachineError.
class Driver : public Store {
public:
    using Kernel = void*;

    virtual std::string device_name() const = 0;
    virtual int capability() const = 0;  ///< 90 for sm_90
    virtual int processors() const = 0;  ///< streaming multiprocessors
    /// A kernel of a compiled image, loaded for as long as the driver lives.
    virtual Kernel load(std::string_view image, const std::string& name) = 0;
    virtual void launch(Kernel kernel, unsigned blocks, unsigned threads, void** arguments) = 0;
    /// Waits for all that was launched; what failed there is thrown here.
    virtual void finish() = 0;
};

/// Source to machine code.
class Compiler {
public:
    virtual ~Compiler() = default;
    /// What else than the text the machine code depends on: the compiler's version, its options, the architecture.
    virtual const std::string& identity() const = 0;
    /// Throws MachineError with the compiler's log.
    virtual std::string compile(const std::string& text) = 0;
    /// What the compiler said of the last text: registers and spills among it.
    virtual const std::string& log() const = 0;
};

}  // namespace farfield::evaluate::cuda
