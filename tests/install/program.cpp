// What another program needs of an installed farfield: a header, the library, nothing of the source tree.
#include <cstdio>
#include <farfield/numerics/format.hpp>

int main() {
    const auto* half = farfield::numerics::find_format("fp16");
    if (half == nullptr) return 1;
    // IEEE 754 binary16 has 11 significant bits: 2049 lies halfway between 2048 and 2050, and the tie goes to the even.
    std::printf("%g\n", farfield::numerics::round_to(*half, 2049.0));
}
