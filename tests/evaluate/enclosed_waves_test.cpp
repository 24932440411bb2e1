// Enclosed sums of waves over ranges of integers against 80 digits, with the width that is stated.
#include "evaluate/enclosed_waves.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/numerics/multiprecision.hpp>

namespace farfield::evaluate {
namespace {

using numerics::Multiprecision;

formula::Program compiled(const std::string& text) {
    return formula::compile(formula::parse(text), {{}, {"n"}, {}});
}

struct Row {
    std::string text;
    double waves;      ///< M, a product of two waves counted as two
    double amplitude;  ///< the sum of their magnitudes
};

/// All values, each of exactly one piece.
std::optional<std::vector<core::Enclosure>> enclosed(const formula::Program& program, const Range& range) {
    std::vector<core::Enclosure> values(range.count);
    std::vector<int> seen(range.count, 0);
    const bool is_enclosed =
        enclose_waves(program, range, [&](std::size_t first, std::span<const core::Enclosure> piece) {
            std::copy(piece.begin(), piece.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
            for (std::size_t i = 0; i < piece.size(); ++i) ++seen[first + i];
        });
    if (!is_enclosed) return std::nullopt;
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    return values;
}

TEST_CASE("enclosures of sums of waves contain them and are as narrow as stated") {
    const std::vector<Row> rows = {
        {"cos(n)", 1, 1},
        {"sin(n/3)", 1, 1},
        {"cos(0.1 - n*pi)", 1, 1},
        {"-3*sin(2*n + 1) + cos(n)/4", 2, 3.25},
        {"2 - cos(n*sqrt(2))", 2, 3},
        {"sin(n)*cos(n/7)", 2, 1},
        {"sin(n)*sin(n/7) - cos(n)*cos(n/5)", 4, 2},
        {"sum(i, 0, 31, cos(n*10000^(-2*i/64)))", 32, 32},
        {"sum(i, 1, 5, i*sin(n/i + i))", 5, 15},
        {"sum(i, 1, 3, sum(j, 1, i, cos(i*n + j)))", 6, 6},
        {"(cos(n) + sin(2*n))*3", 2, 6},
        {"if(2 > 1, cos(n), sin(n))", 1, 1},
        {"if(all(i, 1, 3, i > 0) and exists(i, 1, 3, i == 2), cos(n), sin(n))", 1, 1},
        {"if(all(i, 1, 3, i > 1) or exists(i, 1, 3, i == 4), cos(n), sin(n))", 1, 1},
        {"cos(n*(1/3 + sin(1)))", 1, 1},
        {"sum(i, 0, 2, i*cos(i*n))", 2, 3},
    };
    const std::vector<Range> ranges = {{0, 1, 1},        {0, 1, 7},          {-50, 1, 101},  {1e9, 3, 1600},
                                       {5000, -1, 4000}, {-1e15, 12345, 64}, {7, 1, 500'000}};
    for (const Row& row : rows) {
        const formula::Program program = compiled(row.text);
        for (const Range& range : ranges) {
            INFO(row.text << " from " << range.from << " by " << range.step);
            const auto found = enclosed(program, range);
            REQUIRE(found);
            REQUIRE(found->size() == range.count);
            const double stated = (4.5 * 0x1p-48 + (4 * row.waves + 10) * 0x1p-53) * row.amplitude;
            bool holds = true;
            double widest = 0;
            for (std::size_t i = 0; i < range.count; i += 1 + range.count / 20) {
                const std::string exact = evaluate_text(program, {{}, {Range{range.at(i), 1, 1}}, {}, 1}, 80).front();
                const Multiprecision value = Multiprecision::from_text(exact, 80);
                const core::Enclosure& enclosure = (*found)[i];
                holds = holds && Multiprecision(enclosure.lo, 80) <= value && value <= Multiprecision(enclosure.hi, 80);
                widest = std::fmax(widest, enclosure.hi - enclosure.lo);
            }
            CHECK(holds);
            // The ends are rounded.
            CHECK(widest <= 2 * stated + 8 * 0x1p-53 * row.amplitude);
            CHECK(widest > 0);
        }
    }
}

TEST_CASE("formulas of another form have no enclosed waves") {
    const Range range{0, 1, 100};
    for (const char* text :
         {"n", "n*cos(n)", "cos(n^2)", "exp(n)*cos(n)", "cos(n) + log(1 + n)", "cos(n) < 1", "sum(i, 1, n, cos(i*n))",
          "sum(i, 1, 2.5, cos(i*n))", "prod(i, 1, 9, cos(n)) + n", "cos(n)/sin(n)", "abs(cos(n))", "tan(n)",
          "cos(cos(n))", "cos(n)/0", "cos(n*1e300)", "1e200*cos(n)", "if(n > 3, cos(n), sin(n))", "max(cos(n), 0)"}) {
        INFO(text);
        CHECK_FALSE(enclosed(compiled(text), range));
    }
    CHECK(enclosed(compiled("1e150*cos(n)"), range));
    // 2^102 radians are 2^99.3 turns, 2^103 are 2^100.3.
    CHECK(enclosed(compiled("cos(n + 2^102)"), range));
    CHECK_FALSE(enclosed(compiled("cos(n + 2^103)"), range));
    for (const Range& other : {Range{0.5, 1, 100}, Range{0, 0.5, 100}, Range{0x1p53, 1, 3}, Range{0, 0x1p50, 100}})
        CHECK_FALSE(enclosed(compiled("cos(n)"), other));
    CHECK_FALSE(enclosed(formula::compile(formula::parse("cos(n)*a"), {{"a"}, {"n"}, {}}), range));
    CHECK_FALSE(enclosed(formula::compile(formula::parse("cos(n)"), {{}, {"n", "m"}, {}}), range));
    CHECK_FALSE(enclosed(formula::compile(formula::parse("cos(n)"), {{}, {"n"}, {"w"}}), range));
}

}  // namespace
}  // namespace farfield::evaluate
