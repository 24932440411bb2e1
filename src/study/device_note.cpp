#include "study/device_note.hpp"

#include <cstddef>

namespace farfield::study {

namespace {

std::string number_of(std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string told_of(const evaluate::Device& device, const evaluate::Device::Done& before) {
    const evaluate::Device::Done now = device.done();
    std::string told;
    if (now.evaluations > before.evaluations)
        told = "values of " + number_of(now.evaluations - before.evaluations, "evaluation");
    if (now.operations > before.operations)
        told += (told.empty() ? "" : " and ") + number_of(now.operations - before.operations, "operation") + " on rows";
    return told.empty() ? told : told + " by " + device.name() + "; enclosures by the processor";
}

}  // namespace farfield::study
