// Which registers a row of a program reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// Reals and conditions are numbered separately.
struct Register {
    bool boolean;
    std::uint32_t index;
};

struct Traffic {
    std::vector<Register> reads;
    std::vector<Register> writes;
};

/// A loop's first row writes its accumulator and its variable. Its last row reads the results of the body and then, as
/// its last operand, the accumulator. The rows of a choice have two accumulators.
Traffic traffic_of(const formula::Instruction& row);

}  // namespace farfield::evaluate
