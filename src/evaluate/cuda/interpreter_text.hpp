// PTX of the interpreter's kernels: interpret_double, interpret_float, interpret_fp16, ...
#pragma once

namespace farfield::evaluate::cuda {

const char* interpreter_text();

}  // namespace farfield::evaluate::cuda
