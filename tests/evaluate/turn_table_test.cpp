// Sines and cosines of exact angles against the C library's in long double, whose error is below 2^-60.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "evaluate/turn_table.hpp"
#include "support/trials.hpp"

using farfield::evaluate::CosineSine;
using farfield::evaluate::Turns;
using farfield::evaluate::TurnTable;

namespace {

void check(Turns angle) {
    const auto turns = static_cast<std::int64_t>(angle >> 64);
    const long double rest = static_cast<long double>(static_cast<std::uint64_t>(angle)) * 0x1p-128L;
    const long double radians =
        2 * std::numbers::pi_v<long double> * (static_cast<long double>(turns) * 0x1p-64L + rest);
    const CosineSine found = TurnTable::shared().at(angle);
    CHECK(std::abs(found.cosine - std::cos(radians)) <= 0x1p-51L);
    CHECK(std::abs(found.sine - std::sin(radians)) <= 0x1p-51L);
}

}  // namespace

TEST_CASE("a table of turns is within its bound at the entries, between them and around them") {
    for (Turns entry = 0; entry < 256; ++entry)
        for (const Turns beside : {Turns{0}, Turns{1} << 64, Turns{1} << 118, Turns{1} << 119, (Turns{1} << 119) - 1}) {
            check((entry << 120) + beside);
            check((entry << 120) - beside);
        }
}

TEST_CASE("a table of turns is within its bound at random angles") {
    std::mt19937_64 random(1);
    for (int i = 0; i < farfield::tests::trials(20'000); ++i) check((Turns{random()} << 64) | random());
}

TEST_CASE("quarters of a turn are exact") {
    const TurnTable& table = TurnTable::shared();
    CHECK(table.at(0).cosine == 1);
    CHECK(table.at(0).sine == 0);
    CHECK(table.at(Turns{1} << 127).cosine == -1);
    CHECK(std::abs(table.at(Turns{1} << 126).sine - 1) == 0);
}
