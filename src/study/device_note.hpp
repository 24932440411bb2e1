// A note of what a device computed for a result.
#pragma once

#include <farfield/evaluate/device.hpp>
#include <string>

namespace farfield::study {

/// Which numbers come from a device: values, and results of operations on arrays there. Enclosures, on which certified
/// verdicts rest, never do. Empty if no numbers do.
std::string told_of(const evaluate::Device& device, const evaluate::Device::Done& before);

}  // namespace farfield::study
