#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <farfield/numerics/format.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Cell first(const std::string& format, const std::string& to, const std::string& more = "") {
    return *compute(collision_kind(),
                    "format = '" + format + "'\nover = { n = { from = 0, to = " + to + " } }\n" + more)
                .find("first");
}

TEST_CASE("integers collide where a format's fraction ends: 2048 in fp16, 256 in bf16") {
    // 2^(fraction bits + 1): its successor is a tie and goes to the even one.
    const std::pair<const char*, double> expected[] = {
        {"fp16", 2048}, {"bf16", 256}, {"e4m3", 16}, {"e5m2", 8}, {"fp32", 16777216}};
    for (const auto& [format, number] : expected) {
        INFO(format);
        CHECK(first(format, "100000000").number == number);
        CHECK(first(format, "100000000").rigour == core::Rigour::exact);
    }
}

TEST_CASE("no collision in range is null") {
    CHECK_FALSE(first("fp16", "2048").number);
    CHECK(first("fp16", "2049").number == 2048);
}

TEST_CASE("a value that does not exist later in the range leaves the first collision open") {
    CHECK(first("fp16", "8", "formula = 'floor(n/2)/(n - 9)'").number == 0);
    CHECK_FALSE(first("fp16", "10", "formula = 'floor(n/2)/(n - 9)'").number);
}

TEST_CASE("a formula's first collision is the one that scanning finds") {
    const numerics::Format* fp16 = numerics::find_format("fp16");
    const auto scan = [&](auto function) {
        double n = 0;
        while (numerics::round_to(*fp16, function(n)) != numerics::round_to(*fp16, function(n + 1))) ++n;
        return n;
    };
    CHECK(first("fp16", "10000", "formula = 'n/3'").number == scan([](double n) { return n / 3; }));
    CHECK(first("fp16", "10000", "formula = 'sqrt(1 + n)'").number == scan([](double n) { return std::sqrt(1 + n); }));
    CHECK(first("fp16", "10000", "formula = 'log(1 + n)'").number == scan([](double n) { return std::log1p(n); }));
    CHECK(first("fp16", "10000", "formula = '10*floor(n/100) + n'").number ==
          scan([](double n) { return 10 * std::floor(n / 100) + n; }));
}

TEST_CASE("overflows of different signs are different values") {
    // In e4m3, 0 .. 400 in hundreds are 0, 104, 208, 288, 384 (OCP 8-bit, spacing 8, 16, 32, 32); 500 overflows twice.
    CHECK(first("e4m3", "11", "formula = '100*min(n, 11 - n)'").number == 5);
    CHECK(first("fp16", "9", "formula = '1e5*(2*n - 9)'").number == 0);
}

TEST_CASE("with every operation rounded, a large offset removes the fraction") {
    // 1024 + n has spacing 1 up to 2048: 1024 + 1024 = 2048 and 2049 ties to it. Taking 1024 off again is exact.
    CHECK(first("fp16", "4000", "formula = '(1024 + n) - 1024'\nstepwise = true").number == 1024);
    CHECK(first("fp16", "4000", "formula = '(1024 + n) - 1024'").number == 2048);
}

TEST_CASE("a single value and reals are refused, since they have no next value") {
    CHECK_THAT(refusal(collision_kind(), "format='fp16'\nover={ n = { to = 0 } }"), Contains("no two values"));
    CHECK_THAT(refusal(collision_kind(), "format='fp16'\nover={ n = [0, 1] }"), Contains("no two values"));
}

TEST_CASE("the first collision of values in steps is that of a plain loop") {
    for (const char* name : {"fp16", "bf16", "e5m2"}) {
        const numerics::Format& format = *numerics::find_format(name);
        for (const double step : {0.125, 0.25, 0.5, 2.0, 4.0}) {
            for (const double factor : {1.0, 3.0, -2.0}) {
                // Steps and factors are small powers of two or whole: products are exact in doubles.
                const auto rounded = [&](int j) { return numerics::round_to(format, factor * (j * step) + 1); };
                int first = 0;
                while (first < 20000 && rounded(first) != rounded(first + 1)) ++first;
                REQUIRE(first < 20000);
                const std::string formula = fmt::format("{}*x + 1", factor);
                const std::string over =
                    fmt::format("over = {{ x = {{ from = 0, to = {}, step = {} }} }}\n", step * (first + 3), step);
                INFO(name << ", " << formula << ", " << over);
                const core::Result result =
                    compute(collision_kind(), "formula = '" + formula + "'\nformat = '" + name + "'\n" + over);
                check_field(result, "first", first * step, 0);
                // One step less, and there is none.
                const std::string before =
                    fmt::format("over = {{ x = {{ from = 0, to = {}, step = {} }} }}\n", step * first, step);
                if (first > 0)
                    check_null(
                        compute(collision_kind(), "formula = '" + formula + "'\nformat = '" + name + "'\n" + before),
                        "first");
            }
        }
    }
}

}  // namespace
}  // namespace farfield::quantity
