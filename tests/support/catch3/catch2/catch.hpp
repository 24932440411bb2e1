// Catch2 3 by the names of Catch2 2, which Debian 12 has and the tests use.
#pragma once
#include <catch2/catch_all.hpp>
#include <string>

using Catch::Approx;

namespace Catch {

using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;

inline auto Contains(const std::string& text) {
    return Matchers::ContainsSubstring(text);
}

}  // namespace Catch
