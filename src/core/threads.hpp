// Whether a program can start threads: one for browsers cannot (docs/browser.md).
#pragma once

namespace farfield::core {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool has_threads = false;
#else
constexpr bool has_threads = true;
#endif

}  // namespace farfield::core
