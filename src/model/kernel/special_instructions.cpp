#include "model/kernel/special_instructions.hpp"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "numerics/instructions.hpp"

namespace farfield::model {

namespace {

struct Answer {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
};

/// Leaf 7 of CPUID: extended features.
Answer features(unsigned subleaf) {
    Answer a;
    __get_cpuid_count(7, subleaf, &a.eax, &a.ebx, &a.ecx, &a.edx);
    return a;
}

bool may_use_tiles() {
    constexpr long request_permission = 0x1023;  // ARCH_REQ_XCOMP_PERM of <asm/prctl.h>, which older systems lack
    constexpr long tile_data = 18;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

bool has_avx512_bf16() {
    return numerics::runs::avx512() && (features(1).eax >> 5 & 1U) != 0;
}

bool has_amx() {
    const unsigned found = features(0).edx;
    const bool multiplies_bf16 = (found >> 22 & 1U) != 0;
    const bool has_tiles = (found >> 24 & 1U) != 0;
    return numerics::runs::avx512() && multiplies_bf16 && has_tiles && may_use_tiles();
}

}  // namespace farfield::model
