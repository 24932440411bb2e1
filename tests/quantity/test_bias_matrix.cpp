#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include <farfield/core/error.hpp>
#include <farfield/quantity/bias_matrix.hpp>
#include <farfield/scheme/registry.hpp>

#include "quantity/bias_arrays.hpp"

using namespace farfield;

namespace {

scheme::Scheme scheme_named(const char* name) {
    return *scheme::Registry::builtin().find(name);
}

scheme::Context with_heads(double heads) {
    scheme::Context context;
    context.heads = heads;
    return context;
}

scheme::Scheme uneven_scheme() {
    scheme::Scheme uneven = scheme_named("alibi");
    uneven.name = "uneven";
    uneven.bias->formula = formula::parse("-h*(q + 2*k)");
    return uneven;
}

// Eq. (6) of Chi et al. 2023 with D = 128 and frequencies from 0, by the C library.
double sandwich(double n, double head, double heads) {
    double sum = -64;
    for (int j = 0; j < 64; ++j) sum += std::cos(n * std::pow(10000.0, -2.0 * j / 128));
    return sum / (8 * head / heads);
}

}  // namespace

TEST_CASE("the bias by distance is the scheme's formula at every head") {
    const std::vector<double> bias = quantity::bias_by_distance(scheme_named("sandwich"), with_heads(12), 9000);
    REQUIRE(bias.size() == 12 * 9000);
    for (std::size_t head = 1; head <= 12; ++head) {
        for (std::size_t n = 0; n < 9000; n += 101) {
            const double wanted = sandwich(static_cast<double>(n), static_cast<double>(head), 12);
            CHECK(std::fabs(bias[(head - 1) * 9000 + n] - wanted) <= 1e-9);
        }
    }
}

TEST_CASE("row q of the full matrix holds the biases at q - k, keys after the query included") {
    const std::size_t length = 37;
    std::vector<double> matrix(3 * length * length);
    quantity::bias_matrix(scheme_named("sandwich"), with_heads(3), length, matrix);
    for (std::size_t head = 0; head < 3; ++head) {
        for (std::size_t q = 0; q < length; ++q) {
            for (std::size_t k = 0; k < length; ++k) {
                const double distance = static_cast<double>(q) - static_cast<double>(k);
                const double wanted = sandwich(distance, static_cast<double>(head) + 1, 3);
                CHECK(std::fabs(matrix[(head * length + q) * length + k] - wanted) <= 1e-12);
            }
        }
    }
}

TEST_CASE("a bias that depends on more than the distance is evaluated for each pair, and has no values by distance") {
    const scheme::Scheme uneven = uneven_scheme();
    std::vector<double> matrix(2 * 5 * 5);
    quantity::bias_matrix(uneven, with_heads(2), 5, matrix);
    CHECK(matrix[0] == 0);
    CHECK(matrix[5 * 3 + 4] == -11);       // head 1, q = 3, k = 4
    CHECK(matrix[25 + 5 * 4 + 1] == -12);  // head 2, q = 4, k = 1
    CHECK_THROWS_AS(quantity::bias_by_distance(uneven, with_heads(2), 5), core::PreconditionError);
}

TEST_CASE("without a device a head's array is its part of the matrix") {
    const std::size_t length = 21;
    for (const scheme::Scheme& scheme : {scheme_named("sandwich"), uneven_scheme()}) {
        std::vector<double> matrix(3 * length * length);
        quantity::bias_matrix(scheme, with_heads(3), length, matrix);
        const std::vector<evaluate::Array> heads = quantity::bias_arrays(scheme, with_heads(3), length);
        REQUIRE(heads.size() == 3);
        for (std::size_t head = 0; head < 3; ++head) {
            REQUIRE(heads[head].size() == length * length);
            CHECK(!heads[head].is_on_device());
            for (std::size_t cell = 0; cell < length * length; ++cell)
                CHECK(heads[head][cell] == matrix[head * length * length + cell]);
        }
    }
}

TEST_CASE("memory of another size than the matrix is refused") {
    std::vector<double> matrix(2 * 5 * 5 - 1);
    CHECK_THROWS_AS(quantity::bias_matrix(scheme_named("alibi"), with_heads(2), 5, matrix), core::PreconditionError);
    CHECK_THROWS_AS(quantity::bias_by_distance(scheme_named("alibi"), with_heads(2), 0), core::PreconditionError);
    CHECK_THROWS_AS(quantity::bias_arrays(scheme_named("alibi"), with_heads(2), 0), core::PreconditionError);
}
