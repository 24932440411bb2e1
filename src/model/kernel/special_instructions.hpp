// Which of the instructions that a compiler's own test does not name this processor has.
#pragma once

namespace farfield::model {

bool has_avx512_bf16();
/// AMX for bf16; asks the system for the right to its tiles, which a process must do once.
bool has_amx();

}  // namespace farfield::model
