#include <farfield/evaluate/device.hpp>

namespace farfield::evaluate {

namespace {

// The device of a single thread: a study computes on its own thread, and the threads that it starts use the host.
thread_local Device* device_of_thread = nullptr;

}  // namespace

OnDevice::OnDevice(Device* device) : outer_(device_of_thread) {
    device_of_thread = device;
}

OnDevice::~OnDevice() {
    device_of_thread = outer_;
}

Device* OnDevice::current() {
    return device_of_thread;
}

}  // namespace farfield::evaluate
