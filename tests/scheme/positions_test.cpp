#include <catch2/catch.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/positions.hpp>

namespace farfield::scheme {
namespace {

formula::Node parsed(const std::string& text) {
    return formula::parse(text);
}

TEST_CASE("the frequency is the angle at position 1") {
    CHECK(formula::print(frequency_of(parsed("p*2^-i"))) == "2^-i");
    CHECK(formula::print(frequency_of(parsed("2^-i*p"))) == "2^-i");
    CHECK(formula::print(frequency_of(parsed("p/2^i"))) == "1/2^i");
    CHECK(formula::print(frequency_of(parsed("p"))) == "1");
}

TEST_CASE("a position is the factor of the frequency") {
    // Angle, frequency, position by hand; "" where there is none.
    const char* const rows[][3] = {
        {"(p - s + w)*f", "f", "p - s + w"},
        {"f*(p - s)", "f", "p - s"},
        {"2*p*f", "f", "2*p"},
        {"2*(p*f)", "f", "2*p"},
        {"f", "f", "1"},
        {"0", "f", "0"},
        {"-(p*f)", "f", "-p"},
        {"p*f + 3*f", "f", "p + 3"},
        {"p*f - f", "f", "p - 1"},
        {"p*f/8", "f", "p/8"},
        {"(p - 3)/2^i", "1/2^i", "p - 3"},
        {"if(p > 9, p*f, 0)", "f", "if(p > 9, p, 0)"},
        {"p - 7", "1", "p - 7"},
        {"p*g", "f", ""},
        {"p*f + 1", "f", ""},
        {"p*f - g", "f", ""},
        {"sin(f)", "f", ""},
        {"p/f", "f", ""},
        {"3", "f", ""},
        {"if(p > 9, p*f, 1)", "f", ""},
        {"(p - 3)/2^p", "1/2^i", ""},
    };
    for (const auto& [angle, frequency, position] : rows) {
        INFO(angle << " of " << frequency);
        const std::optional<formula::Node> found = position_of(parsed(angle), parsed(frequency));
        CHECK((found ? formula::print(*found) : "") == position);
    }
}

}  // namespace
}  // namespace farfield::scheme
