// Loops in conditions: over no integer, with fractions as ends, and with a condition that is the same for each integer.
#include "formula/quantifiers.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace farfield::formula {
namespace {

std::vector<std::string> found_in(const std::string& condition) {
    const Source source{condition, {}};
    core::Problems problems;
    check_quantifiers(parse(source), source, problems);
    std::vector<std::string> found;
    for (const core::Diagnostic& each : problems.list()) found.push_back(each.found);
    return found;
}

}  // namespace

TEST_CASE("all() and exists() are over integers, and their conditions depend on the integer") {
    using Found = std::vector<std::string>;
    CHECK(found_in("all(i, 3, 1, x > i)") == Found{"all() is over no integer"});
    CHECK(found_in("x > 1 or exists(i, -1, -2, x > i)") == Found{"exists() is over no integer"});
    CHECK(found_in("all(i, 0.5, 3, x > i)") == Found{"the first value of all() is 0.5"});
    CHECK(found_in("all(i, 0, 1.5, x > i)") == Found{"the last value of all() is 1.5"});
    CHECK(found_in("all(i, 1, 3, x > 1)") == Found{"the condition of all() does not depend on 'i'"});
    CHECK(found_in("all(i, 1, 3, exists(j, 1, 3, x > i))") ==
          Found{"the condition of exists() does not depend on 'j'"});
    for (const char* text : {"all(i, 1, 3, x > i)", "exists(i, 2, 2, x > i)", "all(i, 0, n, x > i)",
                             "all(i, 1, 3, exists(j, i, 3, x > j))", "x > sum(i, 3, 1, 1)"})
        CHECK(found_in(text).empty());
}

}  // namespace farfield::formula
