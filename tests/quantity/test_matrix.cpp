#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
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

TEST_CASE("cells that are not certainly visible are summarized by their doubles, and certify nothing") {
    // tanh(log 2) is 0.6, which no enclosure shows: whether the distance w is visible is not decided. Of a number and
    // its opposite one at least is not below 0 in doubles: then w alone is visible, else nothing is.
    for (int w = 0; w <= 3; ++w) {
        double most = 0;
        for (const char* zero : {"tanh(log(2)) - 0.6", "0.6 - tanh(log(2))"}) {
            INFO(w << ", " << zero);
            const std::string apart = "(n - " + std::to_string(w) + ")*(n - " + std::to_string(w) + ")";
            const core::Result result = matrix("formula = 'if(" + apart + " > " + zero + ", -inf, 7 - n)'\nlength = 4");
            const double count = *result.find("visible")->number;
            CHECK((count == 0 || count == 4 - w));
            CHECK_FALSE(result.find("visible")->enclosure);
            most = std::max(most, count);
            if (count == 0) continue;
            for (const char* name : {"min", "max", "first", "last"}) {
                CHECK(result.find(name)->number == 7.0 - w);
                CHECK_FALSE(result.find(name)->enclosure);
            }
            CHECK(result.find("argmin")->number == static_cast<double>(w));
            CHECK(result.find("argmin_key")->number == 0);
        }
        CHECK(most == 4 - w);
    }
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

TEST_CASE("a large matrix of the distance alone keeps a row for each distance and the values of all its cells") {
    constexpr std::size_t length = 2100;
    // Ties along diagonals and between distances of either sign, and hidden cells among them and at both corners.
    const core::Result result =
        compute(matrix_kind(), "formula = 'n < -2000 or n > 1990 or n % 5 == 0 ? -inf : abs(n) % 7'\nlength = 2100");
    const auto value = [](double n) {
        const bool is_hidden = n < -2000 || n > 1990 || std::fmod(n, 5) == 0;
        return is_hidden ? -std::numeric_limits<double>::infinity() : std::fmod(std::fabs(n), 7);
    };
    double least = 100;
    double most = -100;
    std::size_t argmin = 0;
    std::size_t argmax = 0;
    std::size_t visible = 0;
    double last = 0;
    for (std::size_t cell = 0; cell < length * length; ++cell) {
        const double y = value(static_cast<double>(cell / length) - static_cast<double>(cell % length));
        if (std::isinf(y)) continue;
        if (y < least) argmin = cell;
        if (y > most) argmax = cell;
        least = std::min(least, y);
        most = std::max(most, y);
        last = y;
        ++visible;
    }
    REQUIRE(result.series->variables == 1);
    REQUIRE(result.series->rows() == 2 * length - 1);
    for (std::size_t at = 0; at < 2 * length - 1; ++at) {
        const double n = static_cast<double>(at) - static_cast<double>(length - 1);
        CHECK(result.series->columns[0].values[at] == n);
        CHECK(result.series->columns[1].values[at] == value(n));
    }
    const auto number = [&](const char* name) { return *result.find(name)->number; };
    CHECK(number("min") == least);
    CHECK(number("argmin") == static_cast<double>(argmin / length));
    CHECK(number("argmin_key") == static_cast<double>(argmin % length));
    CHECK(number("max") == most);
    CHECK(number("argmax") == static_cast<double>(argmax / length));
    CHECK(number("argmax_key") == static_cast<double>(argmax % length));
    CHECK(number("first") == value(-1));
    CHECK(number("last") == last);
    CHECK(number("visible") == static_cast<double>(visible));
}

TEST_CASE("a hundred thousand queries and keys under ALiBi are a row of their distances") {
    const core::Result result = matrix("scheme = 'alibi'\nhead = 8\nheads = 8\nlength = 100000\nenclosures = 'always'");
    CHECK(result.series->rows() == 199999);
    check_field(result, "visible", 100000.0 * 100001 / 2);
    check_field(result, "min", -99999.0 / 256);
    check_field(result, "argmin", 99999);
    check_field(result, "last", 0);
}

TEST_CASE("a matrix without length, or with a NaN, is refused") {
    CHECK_THAT(refusal(matrix_kind(), "formula = 'n'"), Contains("'length'"));
    CHECK_THAT(refusal(matrix_kind(), "formula = 'sqrt(q - 2*k)'\nlength = 3"), Contains("q = 0, k = 1"));
}

TEST_CASE("of a matrix with a pole no extreme exists, and of one with a mask all do") {
    const std::string fields[] = {"min",        "argmin", "argmin_key", "max",    "argmax",
                                  "argmax_key", "first",  "last",       "visible"};
    for (const char* formula : {"1/n", "-1/n", "1/(q - k + 0*q)", "log(abs(n))", "if(k > q, -inf, 1/n)"}) {
        for (const char* enclosures : {"auto", "never"}) {
            const std::string toml = "length = 4\nenclosures = '" + std::string(enclosures) + "'";
            // Without enclosures, -inf may be a mask.
            if (enclosures == std::string("never") && formula != std::string("1/n")) continue;
            INFO(formula << ", " << enclosures);
            const core::Result result = matrix("formula = '" + std::string(formula) + "'\n" + toml);
            for (const std::string& name : fields) check_null(result, name);
            CHECK(result.notes.size() == 1);
        }
    }
    CHECK(matrix("formula = '1/n'\nlength = 2100").find("max")->number == std::nullopt);
    const core::Result masked = matrix("formula = 'if(k >= q, -inf, 1/(n + 1))'\nlength = 4");
    check_field(masked, "max", 0.5);
    check_field(masked, "visible", 6);
    check_field(matrix("formula = '1/(n + 0.5)'\nlength = 4"), "max", 2);
}

TEST_CASE("cells that are masked only by rounding leave no certificate") {
    // log(exp(-1000 n)) is -1000 n on paper and -inf in doubles from n = 1 on.
    const core::Result result = matrix("formula = 'log(exp(-1000*abs(n)))'\nlength = 3");
    for (const char* field : {"visible", "min", "max"}) {
        INFO(field);
        CHECK_FALSE(result.find(field)->enclosure);
    }
}

TEST_CASE("a cell without a value leaves no extreme certified, whether the formula says inf or not") {
    for (const char* formula : {"tanh(1/n)", "if(k > q, -inf, tanh(1/n))", "if(k > q, -inf, exp(log(n)))"}) {
        INFO(formula);
        const core::Result result = matrix("formula = '" + std::string(formula) + "'\nlength = 4");
        for (const char* name : {"min", "max", "argmin", "argmax"}) CHECK_FALSE(result.find(name)->enclosure);
    }
    CHECK(matrix("formula = 'if(k > q, -inf, tanh(n))'\nlength = 4").find("max")->enclosure);
}

}  // namespace
}  // namespace farfield::quantity
