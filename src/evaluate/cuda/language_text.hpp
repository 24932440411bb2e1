// The text of language.cuh, for a compiler that reads no files.
#pragma once

namespace farfield::evaluate::cuda {

inline constexpr const char* language_name = "farfield/evaluate/cuda/language.cuh";
const char* language_text();

}  // namespace farfield::evaluate::cuda
