// How many random trials a property gets, and how many cases a long list.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace farfield::tests {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

/// All of them; where a sanitizer watches every access, which takes thirty times as long and looks for faults of the
/// code and not of numbers, a twentieth.
constexpr int trials(int all) {
    return is_sanitized ? (all + 19) / 20 : all;
}

/// The same for cases that stand in a list: every one, or every twentieth.
inline constexpr std::size_t every = is_sanitized ? 20 : 1;

/// Whether FARFIELD_LONG is set, as in `.ci/run full`: all cases, where the tests of each change take some of them.
inline bool is_long_run() {
    return std::getenv("FARFIELD_LONG") != nullptr;
}

}  // namespace farfield::tests
