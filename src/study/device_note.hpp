// What a device did for a result.
#pragma once

#include <farfield/evaluate/device.hpp>
#include <string>

namespace farfield::study {

/// Which numbers come from a device: values, and what is made of rows that lie there. What verdicts are certified on,
/// enclosures, never do. Empty where none do.
std::string told_of(const evaluate::Device& device, const evaluate::Device::Done& before);

}  // namespace farfield::study
