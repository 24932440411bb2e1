#include <farfield/core/table.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>

using namespace farfield::core;

TEST_CASE("a printed number stands for the numbers that round to it, and little more") {
    // Ends by hand: half a unit of the last printed digit to each side.
    for (const auto& [printed, low, high] : {std::tuple("5.50", "5.495", "5.505"),
                                             {"12", "11.5", "12.5"},
                                             {"-0.825", "-0.8255", "-0.8245"},
                                             {"+3", "2.5", "3.5"},
                                             {"8.2e3", "8150", "8250"},
                                             {"1.5E+2", "145", "155"},
                                             {"1.50e-2", "0.01495", "0.01505"},
                                             {"0.1", "0.05", "0.15"},
                                             {"5.", "4.5", "5.5"},
                                             {".5", "0.45", "0.55"},
                                             {"0", "-0.5", "0.5"},
                                             {"1e300", "5e299", "1.5e300"}}) {
        INFO(printed);
        const auto interval = rounding_interval(printed);
        REQUIRE(interval);
        const double least = std::strtod(low, nullptr), most = std::strtod(high, nullptr);
        CHECK(interval->lo < least);
        CHECK(interval->hi > most);
        const double ulps = 8 * 0x1p-52 * std::max({1e-300, std::abs(least), std::abs(most)});
        CHECK(least - interval->lo <= ulps);
        CHECK(interval->hi - most <= ulps);
    }
    for (const char* other :
         {"", "-", ".", "e5", "1e", "1e+", "1x", "1.2.3", "0x10", " 1", "1 ", "nan", "1e401", "1e-401", "--1"}) {
        INFO(other);
        CHECK_FALSE(rounding_interval(other));
    }
    CHECK(rounding_interval("1e-400"));
}

TEST_CASE("cells, columns and values are found by name") {
    const Table table{
        {"a", "b"}, {"x", "y", "z"}, {Cell::exact(1), Cell::exact(2), Cell::exact(3), Cell::exact(4), Cell::exact(5)}};
    CHECK(table.find("a", "z")->number == 3);
    CHECK(table.find("b", "x")->number == 4);
    CHECK(table.find("b", "y")->number == 5);
    CHECK(table.find("b", "z") == nullptr);  // beyond the cells
    CHECK(table.find("c", "x") == nullptr);
    CHECK(table.find("a", "w") == nullptr);
    const Series series{{{"n", {1, 2}, {}}, {"value", {3, 4}, {}}}, Rigour::none, 1};
    CHECK(series.find("value")->values[1] == 4);
    CHECK(series.find("gone") == nullptr);
    CHECK(series.rows() == 2);
    CHECK(Series{}.rows() == 0);
    Result result;
    result.set("a", Cell::exact(1));
    result.set("b", Cell::exact(2));
    result.set("a", Cell::exact(3));
    REQUIRE(result.values.size() == 2);
    CHECK(result.values[0].first == "a");
    CHECK(result.find("a")->number == 3);
    CHECK(result.find("b")->number == 2);
    CHECK(result.find("c") == nullptr);
}

TEST_CASE("a printed number ends where its text ends, whatever follows") {
    for (const std::string_view behind : {"12", "1.5", "1e3", "1E3"}) {
        const auto found = rounding_interval(behind.substr(0, 1));
        REQUIRE(found);
        CHECK(found->hi < 1.6);
    }
    CHECK_FALSE(rounding_interval(std::string_view("-1").substr(0, 1)));
}
