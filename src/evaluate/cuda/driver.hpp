// What a device asks of CUDA's driver and compiler. Abstract, so that the device's logic is tested without either.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace farfield::evaluate::cuda {

/// A call that failed.
class DriverError : public std::runtime_error {
public:
    enum class Kind {
        memory,  ///< too little: less may do
        lost,    ///< the device or its context is of no further use
        image,   ///< a compiled kernel that this device does not take
        other,
    };
    DriverError(Kind kind, const std::string& call, const std::string& reason)
        : std::runtime_error(call + ": " + reason), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

/// A device of a driver, its context current for the calling thread. Every call throws DriverError.
class Driver {
public:
    using Pointer = unsigned long long;
    using Kernel = void*;

    virtual ~Driver() = default;
    virtual std::string device_name() const = 0;
    virtual int capability() const = 0;  ///< 90 for sm_90
    virtual int processors() const = 0;  ///< streaming multiprocessors
    virtual Pointer allocate(std::size_t bytes) = 0;
    virtual void release(Pointer memory) noexcept = 0;
    virtual void copy_in(Pointer to, const void* from, std::size_t bytes) = 0;
    virtual void copy_out(void* to, Pointer from, std::size_t bytes) = 0;
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
    /// Throws DriverError with the compiler's log.
    virtual std::string compile(const std::string& text) = 0;
    /// What the compiler said of the last text: registers and spills among it.
    virtual const std::string& log() const = 0;
};

}  // namespace farfield::evaluate::cuda
