// The host: Thrust's serial system over ranges that threads share, in its own namespace.
#define THRUST_HOST_SYSTEM THRUST_HOST_SYSTEM_CPP
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#define THRUST_CUB_WRAPPED_NAMESPACE farfield_host
#define FARFIELD_MACHINE on_host
#include "evaluate/machine/thrust_operations.hpp"

#include <cstdlib>
#include <cstring>

#include "numerics/parallel.hpp"

namespace farfield::evaluate {

namespace {

struct HostSystem {
    template <class Function>
    static void for_each(std::size_t count, const Function& function) {
        numerics::in_parallel(count, 1, [&](std::size_t begin, std::size_t end) {
            const on_host::thrust::counting_iterator<std::size_t> first(begin);
            on_host::thrust::for_each(on_host::thrust::host, first, first + static_cast<std::ptrdiff_t>(end - begin),
                                      function);
        });
    }
};

}  // namespace

std::unique_ptr<Operations> host_operations(Store& store, std::unique_ptr<Fourier> fourier) {
    return std::make_unique<on_host::ThrustOperations<HostSystem>>(store, std::move(fourier));
}

Store::Pointer HostStore::allocate(std::size_t bytes) {
    void* memory = std::malloc(bytes);
    if (memory == nullptr)
        throw MachineError(MachineError::Kind::memory, "malloc of " + std::to_string(bytes) + " bytes",
                           "there are not");
    return reinterpret_cast<Pointer>(memory);
}
void HostStore::release(Pointer memory) noexcept {
    std::free(reinterpret_cast<void*>(memory));
}
void HostStore::copy_in(Pointer to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
}
void HostStore::copy_out(void* to, Pointer from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
}

}  // namespace farfield::evaluate
