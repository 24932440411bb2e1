// The memory of the host, or of a device, which the host cannot access.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace farfield::evaluate {

/// A failed call on a host or device.
class MachineError : public std::runtime_error {
public:
    enum class Kind {
        memory,  ///< too little memory: less may suffice
        lost,    ///< the device or its context is unusable
        image,   ///< a compiled kernel that this device rejects
        other,
    };
    MachineError(Kind kind, const std::string& call, const std::string& reason)
        : std::runtime_error(call + ": " + reason), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

/// Every call but release() throws MachineError.
class Store {
public:
    using Pointer = unsigned long long;

    virtual ~Store() = default;
    virtual Pointer allocate(std::size_t bytes) = 0;
    virtual void release(Pointer memory) noexcept = 0;
    virtual void copy_in(Pointer to, const void* from, std::size_t bytes) = 0;
    virtual void copy_out(void* to, Pointer from, std::size_t bytes) = 0;
};

/// Memory of a store, released with it.
class Memory {
public:
    Memory(Store& store, std::size_t bytes) : store_(&store), pointer_(store.allocate(bytes)), bytes_(bytes) {}
    Memory(Memory&& other) noexcept
        : store_(other.store_), pointer_(std::exchange(other.pointer_, 0)), bytes_(other.bytes_) {}
    Memory& operator=(Memory&& other) noexcept {
        std::swap(store_, other.store_);
        std::swap(pointer_, other.pointer_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Memory() {
        if (pointer_ != 0) store_->release(pointer_);
    }

    const Store::Pointer& pointer() const { return pointer_; }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(pointer_);
    }
    std::size_t bytes() const { return bytes_; }

private:
    Store* store_;
    Store::Pointer pointer_;
    std::size_t bytes_;
};

/// A store's copy of numbers, or of rows of them.
template <class Values>
Memory copied(Store& store, const Values& values) {
    // An allocation must have at least one byte; a kernel must not read it.
    const std::size_t bytes = values.size() * sizeof(values[0]);
    Memory memory(store, std::max<std::size_t>(bytes, sizeof(double)));
    if (bytes > 0) store.copy_in(memory.pointer(), values.data(), bytes);
    return memory;
}

}  // namespace farfield::evaluate
