#include <catch2/catch.hpp>
#include <limits>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Result matrix(const std::string& toml) {
    return compute(matrix_kind(), toml, {}, scheme::Registry::builtin());
}

double at(const core::Result& result, std::size_t length, std::size_t q, std::size_t k) {
    return result.series->columns[2].values[q * length + k];
}

TEST_CASE("ALiBi's matrix is Fig. 1 of Chi et al.: the fourth row is 3 2 1 0 times the slope, subtracted") {
    const core::Result result = matrix("scheme = 'alibi'\nhead = 1\nheads = 8\nlength = 4");
    for (std::size_t k = 0; k < 4; ++k) CHECK(at(result, 4, 3, k) == -0.5 * (3.0 - static_cast<double>(k)));
    CHECK(at(result, 4, 0, 1) == -std::numeric_limits<double>::infinity());
    check_field(result, "min", -1.5);
    check_field(result, "argmin", 3);
    check_field(result, "argmin_key", 0);
    check_field(result, "max", 0);
    check_field(result, "argmax", 0);
    check_field(result, "visible", 10);
}

TEST_CASE("a window of 2 shows 1, 2, 2, 2 keys to four queries") {
    // Chi et al. 2023, Fig. 2.
    const core::Result result = matrix("scheme = 'windowed'\nparams = { w = 2 }\nlength = 4");
    check_field(result, "visible", 7);
    CHECK(at(result, 4, 3, 1) == -std::numeric_limits<double>::infinity());
    CHECK(at(result, 4, 3, 2) == 0);
}

TEST_CASE("a formula fills the whole matrix, whether or not it is of the distance alone") {
    const core::Result relative = compute(matrix_kind(), "formula = '10*n'\nlength = 3");
    const core::Result absolute = compute(matrix_kind(), "formula = '10*q + k'\nlength = 3");
    for (std::size_t q = 0; q < 3; ++q)
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(at(relative, 3, q, k) == 10 * (static_cast<double>(q) - static_cast<double>(k)));
            CHECK(at(absolute, 3, q, k) == 10 * static_cast<double>(q) + static_cast<double>(k));
        }
    check_field(relative, "last", 0);
    check_field(absolute, "last", 22);
}

TEST_CASE("the coordinates are q, then k") {
    const core::Result result = compute(matrix_kind(), "formula = 'n'\nlength = 2");
    REQUIRE(result.series->variables == 2);
    CHECK(result.series->columns[0].values == std::vector<double>{0, 0, 1, 1});
    CHECK(result.series->columns[1].values == std::vector<double>{0, 1, 0, 1});
}

TEST_CASE("a matrix without length, or with a NaN, is refused") {
    CHECK_THAT(refusal(matrix_kind(), "formula = 'n'"), Contains("'length'"));
    CHECK_THAT(refusal(matrix_kind(), "formula = 'sqrt(q - 2*k)'\nlength = 3"), Contains("q = 0, k = 1"));
}

}  // namespace
}  // namespace farfield::quantity
