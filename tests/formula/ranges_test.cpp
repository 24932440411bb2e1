// Loops over no integer, with fractions as ends, and with a condition that is the same for each integer; bounds of
// clamp().
#include "formula/ranges.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace farfield::formula {
namespace {

std::vector<std::string> found_in(const std::string& condition) {
    const Source source{condition, {}};
    core::Problems problems;
    check_ranges(parse(source), source, problems);
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
                             "all(i, 1, 3, exists(j, i, 3, x > j))"})
        CHECK(found_in(text).empty());
}

TEST_CASE("the condition of if() has a name") {
    const auto found = [](const std::string& text) {
        const Source source{text, {}};
        core::Problems problems;
        check_choices(parse(source), source, problems);
        return problems.list().empty() ? "" : problems.list().front().found;
    };
    CHECK(found("1 + if(1 < 2, 3, x)") == "'1 < 2' chooses the same branch everywhere");
    CHECK(found("if(x < 2, if(4 > 3, 1, 2), 3)") == "'4 > 3' chooses the same branch everywhere");
    CHECK(found("sum(i, 0, 5, if(i < 3, 1, x))").empty());
    CHECK(found("if(a < 2, 3, x)").empty());
    CHECK(found("if(t[1, 2] < 2, 3, x)").empty());
}

TEST_CASE("bounds that are numbers are in order") {
    using Found = std::vector<std::string>;
    CHECK(found_in("sum(i, 7, 0, i)") == Found{"sum() is over no integer"});
    CHECK(found_in("1 - prod(i, 1, 0, i)") == Found{"prod() is over no integer"});
    CHECK(found_in("argmin(i, 5, 0, i)") == Found{"argmin() is over no integer"});
    CHECK(found_in("clamp(n, 8, 2)") == Found{"clamp() is from 8 to 2"});
    CHECK(found_in("clamp(n, 2, -2)") == Found{"clamp() is from 2 to -2"});
    // The last is the negative of the integral from 0 to 1.
    for (const char* text :
         {"sum(i, 0, 0, i)", "sum(i, n, 1, i)", "clamp(n, 2, 2)", "clamp(n, m, 2)", "integral(x, 1, 0, x)"})
        CHECK(found_in(text).empty());
}

}  // namespace farfield::formula
