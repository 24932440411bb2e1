// Tests for instructions of this processor that the compiler's own test does not cover.
#pragma once

namespace farfield::model {

bool has_avx512_bf16();
/// AMX for bf16; requests permission from the system to use its tiles, which a process must do once.
bool has_amx();

}  // namespace farfield::model
