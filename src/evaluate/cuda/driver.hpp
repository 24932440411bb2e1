// The functions of CUDA's driver and compiler that a device needs. They are abstract, so that the device's logic can be
// tested without either.
#pragma once

#include <string>
#include <string_view>

#include "evaluate/machine/store.hpp"

namespace farfield::evaluate::cuda {

/// A device of a driver, whose context is current for the calling thread. Every call throws MachineError.
class Driver : public Store {
public:
    using Kernel = void*;

    virtual std::string device_name() const = 0;
    virtual int capability() const = 0;  ///< 90 for sm_90
    virtual int processors() const = 0;  ///< streaming multiprocessors
    /// A kernel of a compiled image, loaded for as long as the driver lives.
    virtual Kernel load(std::string_view image, const std::string& name) = 0;
    virtual void launch(Kernel kernel, unsigned blocks, unsigned threads, void** arguments) = 0;
    /// Waits for all launched work, and throws if it failed.
    virtual void finish() = 0;
};

/// Compiles source to machine code.
class Compiler {
public:
    virtual ~Compiler() = default;
    /// Everything except the text on which the machine code depends: the compiler's version, its options and the
    /// architecture.
    virtual const std::string& identity() const = 0;
    /// Throws MachineError with the compiler's log.
    virtual std::string compile(const std::string& text) = 0;
    /// The compiler's log of the last text, with registers and spills.
    virtual const std::string& log() const = 0;
};

}  // namespace farfield::evaluate::cuda
