// The precisions of FPCore and the number formats with the same values.
#pragma once

#include <array>
#include <string_view>

namespace farfield::study {

struct FpcorePrecision {
    std::string_view precision;
    std::string_view format;
};

constexpr std::array<FpcorePrecision, 4> fpcore_precisions = {
    {{"binary64", "fp64"}, {"binary32", "fp32"}, {"binary16", "fp16"}, {"bfloat16", "bf16"}}};

}  // namespace farfield::study
