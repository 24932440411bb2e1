#include <farfield/evaluate/device.hpp>

namespace farfield::evaluate {

namespace {

// Of one thread alone: a study computes on a thread of its own, and the threads it starts belong to the processor.
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
