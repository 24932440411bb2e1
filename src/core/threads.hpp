// Whether the program can start threads; the program for browsers cannot (docs/browser.md).
#pragma once

namespace farfield::core {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
constexpr bool has_threads = false;
#else
constexpr bool has_threads = true;
#endif

}  // namespace farfield::core
