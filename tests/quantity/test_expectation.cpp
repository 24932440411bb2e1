#include <catch2/catch.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Result expectation(const std::string& toml) {
    return compute(expectation_kind(), toml, {}, scheme::Registry::builtin());
}

TEST_CASE("one pair of rotary has the expectation of a cosine") {
    // d = 2: the only angle is p * 10000^0 = p.
    const core::Result result = expectation("scheme = 'rotary'\nhead_dim = 2\ndistances = { to = 100 }");
    for (std::size_t n = 0; n <= 100; ++n) {
        const double cosine = std::cos(static_cast<double>(n));
        if (!(std::abs(result.series->columns[1].values[n] - cosine) <= 1e-15)) FAIL("n = " << n);
    }
}

TEST_CASE("at distance 0 every pair counts 1, and `last` adds one") {
    check_field(expectation("scheme = 'xpos'\nhead_dim = 64\ndistances = { to = 10 }"), "first", 32, 1e-13);
    check_field(expectation("scheme = 'xpos'\nhead_dim = 64\nlast = true\ndistances = { to = 10 }"), "first", 33,
                1e-13);
}

TEST_CASE("a pair whose angle has no value leaves g without one, or without a certificate") {
    const auto ask = [](const std::string& angle) {
        scheme::Registry schemes;
        core::Problems problems;
        const std::string own = "[scheme.own]\nrotate = { angle = '" + angle + "' }\n";
        schemes.add(*scheme::read_toml(own, "study.toml").find("scheme")->value.entries(), problems);
        REQUIRE(problems.empty());
        return compute(expectation_kind(), "scheme = 'own'\nhead_dim = 4\ndistances = { to = 3 }", {}, schemes);
    };
    // The simplifier's i/i is 1: not so for pair 0.
    for (const char* angle : {"p*(i/i)", "p + 0*log(i)"}) CHECK_THROWS_WITH(ask(angle), Contains("no value"));
    // In doubles exp(log(0)) is 0; no real number is.
    CHECK_FALSE(ask("p*exp(log(i))").find("max")->enclosure);
}

TEST_CASE("xPos and rotary have the values of an independent program") {
    // tests/references/quantity/expectation.py: sums in 50 digits by mpmath.
    const core::Result xpos = expectation("scheme = 'xpos'\nhead_dim = 64\ndistances = { to = 8192 }");
    const core::Result rotary = expectation("scheme = 'rotary'\nhead_dim = 64\ndistances = { to = 8192 }");
    const auto check = [](const core::Result& result, std::size_t n, double expected) {
        INFO("n = " << n);
        CHECK_FALSE(!(std::abs(result.series->columns[1].values[n] - expected) <= 64e-12));
        REQUIRE(!result.series->columns[1].enclosures.empty());
        const core::Enclosure& enclosure = result.series->columns[1].enclosures[n];
        CHECK(enclosure.lo <= expected + 1e-15 * std::abs(expected));
        CHECK(enclosure.hi >= expected - 1e-15 * std::abs(expected));
        CHECK(enclosure.width() <= 1e-9);
    };
#include "../references/quantity/expectation.inc"
}

TEST_CASE("that the built-in rotations are relative is proved, for a scale counted from the centre too") {
    for (const char* name : {"rotary", "p-rope", "rotary-linear", "rotary-ntk", "rotary-yarn", "rotary-llama3", "xpos",
                             "lex", "xpos-torchscale"}) {
        INFO(name);
        const core::Result result =
            expectation("scheme = '" + std::string(name) + "'\nhead_dim = 64\ndistances = { to = 10 }");
        REQUIRE(result.notes.size() == 1);
        CHECK(result.notes[0].first == "relative");
        CHECK_THAT(result.notes[0].second, Catch::StartsWith("proved"));
    }
}

TEST_CASE("under a second rotation, g uses its angles where its condition holds") {
    scheme::Registry schemes = scheme::Registry::builtin();
    core::Problems problems;
    const std::string own =
        "[scheme.shifted]\nrotate = { angle = 'p*100^(-2*i/d)', far = { where = 'n >= 5', query = '(p - "
        "3)*100^(-2*i/d)' "
        "} }\n"
        "[scheme.flat]\nrotate = { angle = 'p*100^(-2*i/d)', far = { where = 'q - k > 6', query = '7*100^(-2*i/d)', "
        "key = "
        "'0' } }\n"
        "[scheme.grouped]\nrotate = { angle = 'p', far = { where = 'n >= 5', query = 'floor(p/2)', key = 'floor(p/2)' "
        "} }\n"
        "[scheme.late]\nrotate = { angle = 'p', far = { where = 'q >= 5', query = 'p - 3' } }\n";
    schemes.add(*scheme::read_toml(own, "study.toml").find("scheme")->value.entries(), problems);
    REQUIRE(problems.empty());
    const std::string rest = "\nhead_dim = 8\ndistances = { to = 12 }";
    const auto column = [&](const std::string& name) {
        return compute(expectation_kind(), "scheme = '" + name + "'" + rest, {}, schemes).series->columns[1];
    };
    // Sums of four cosines by their definition.
    const auto expected = [](double n) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) sum += std::cos(n * std::pow(100.0, -i / 4.0));
        return sum;
    };
    const core::Column shifted = column("shifted"), flat = column("flat");
    for (std::size_t n = 0; n <= 12; ++n) {
        const auto distance = static_cast<double>(n);
        CHECK(shifted.values[n] == Approx(expected(n >= 5 ? distance - 3 : distance)).margin(1e-14));
        CHECK(flat.values[n] == Approx(expected(std::min(distance, 7.0))).margin(1e-14));
        CHECK(shifted.enclosures[n].lo <= shifted.values[n]);
        CHECK(shifted.enclosures[n].hi >= shifted.values[n]);
        CHECK(shifted.enclosures[n].width() < 1e-12);
    }
    for (const char* name : {"grouped", "late"})
        CHECK_THAT(refusal(expectation_kind(), std::string("scheme = '") + name + "'" + rest, {}, schemes),
                   Contains("not proved to be relative"));
}

TEST_CASE("a scheme that does not rotate, or whose rotation depends on more than the distance, is refused") {
    const auto text = [](const std::string& toml, const scheme::Registry& schemes) {
        return refusal(expectation_kind(), toml, {}, schemes);
    };
    CHECK_THAT(text("scheme = 'alibi'\ndistances = { to = 2 }", scheme::Registry::builtin()),
               Contains("does not rotate"));
    CHECK_THAT(text("scheme = 'rotary'\ndistances = { to = 2 }", scheme::Registry::builtin()), Contains("'head_dim'"));
    CHECK_THAT(text("scheme = 'rotary'\nhead_dim = 7\ndistances = { to = 2 }", scheme::Registry::builtin()),
               Contains("pairs") && Contains("7"));
    scheme::Registry schemes;
    core::Problems problems;
    // The last two are relative at most positions: all but 3, and all from 0 on.
    const std::string own =
        "[scheme.squared]\nrotate = { angle = 'p^2 * 10000^(-2*i/d)' }\n"
        "[scheme.but-one]\nrotate = { angle = 'if(p == 3, 0, p * 10000^(-2*i/d))' }\n"
        "[scheme.sized]\nrotate = { angle = 'sqrt(p^2) * 10000^(-2*i/d)' }\n";
    schemes.add(*scheme::read_toml(own, "study.toml").find("scheme")->value.entries(), problems);
    REQUIRE(problems.empty());
    for (const std::string name : {"squared", "but-one", "sized"}) {
        INFO(name);
        CHECK_THAT(text("scheme = '" + name + "'\nhead_dim = 8\ndistances = { to = 2 }", schemes),
                   Contains("not proved to be relative"));
    }
}

}  // namespace
}  // namespace farfield::quantity
