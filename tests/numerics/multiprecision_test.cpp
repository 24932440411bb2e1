#include "farfield/numerics/multiprecision.hpp"
#include "farfield/numerics/interval.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>
#include "farfield/core/error.hpp"

using namespace farfield::numerics;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Multiprecision number(double value) {
    return Multiprecision(value, 50);
}

using Unary = Multiprecision (*)(const Multiprecision&);
using Binary = Multiprecision (*)(const Multiprecision&, const Multiprecision&);

const std::map<std::string, Unary> unary_functions{
    {"sqrt", sqrt},         {"exp", exp},         {"expm1", expm1}, {"log", log}, {"log1p", log1p},
    {"log2", log2},         {"sin", sin},         {"cos", cos},     {"tan", tan}, {"tanh", tanh},
    {"softplus", softplus}, {"sigmoid", sigmoid}, {"erf", erf},
};
const std::map<std::string, Binary> binary_functions{{"mod", mod}, {"pow", pow}, {"atan2", atan2}};

struct Reference {
    std::string function, first, second, value;
};

// Made by tests/references/numerics/multiprecision_values.py with mpmath.
const std::vector<Reference> references{
#include "references/numerics/multiprecision_values.inc"
};

}  // namespace

TEST_CASE("functions agree with mpmath to 59 digits") {
    const int digits = 80;
    for (const Reference& row : references) {
        INFO(row.function << "(" << row.first << (row.second.empty() ? "" : ", ") << row.second << ")");
        const Multiprecision first = Multiprecision::from_text(row.first, digits);
        const Multiprecision found = row.second.empty() ? unary_functions.at(row.function)(first)
                                                        : binary_functions.at(row.function)(
                                                              first, Multiprecision::from_text(row.second, digits));
        const Multiprecision expected = Multiprecision::from_text(row.value, digits);
        const double error = abs((found - expected) / expected).to_double();
        CHECK(error <= 1e-59);
    }
}

TEST_CASE("erf agrees with mpmath to 308 digits, also next to sqrt(3), where MPFR 4.2.0 aborts") {
    // mpmath 1.3: mp.dps = 340, nstr(erf(x), 310).
    const std::vector<std::pair<Multiprecision, std::string>> rows{
        {sqrt(Multiprecision(3.0, 308)),
         "0.9856941215645703604741521935777493064263374771504400457005186594944649856862924057665603489729443103895"
         "835095905029197311620003092500656436393988963166606796787119781165877495496654904651602499541881557683280"
         "702244310948176952594358732192990459513735917382914896880087067833476751599258383632452624679964403547"},
        {Multiprecision::from_text("-0.4", 308),
         "-0.428392355046668455103603845320172444121862928522590383495086346113333368505671802422726158110538627101"
         "241505005479069591966415095944188210333256340606924040472689688253458689009522875302998656096083956676863"
         "8448213352222576426288053894243352567348137071365407191101060928541263322515046361162583928696765794626"},
        {Multiprecision(6.0, 308),
         "0.9999999999999999784802632875010868834066496008126153695224859383114578994721079489436627615150721396156"
         "113991808102070719003769170635197011212052448373936872529962347168275236285153338604337558602792915306834"
         "740703029378063490697937478723354035710955576094370655397527790766415824806872066289298855059992581025"},
    };
    for (const auto& [x, expected] : rows)
        CHECK(erf(x).to_string(308) == Multiprecision::from_text(expected, 330).to_string(308));
    // 1 - erf(40) is below 10^-696.
    CHECK(erf(Multiprecision(40, 308)).to_double() == 1);
    CHECK(erf(Multiprecision(-infinity, 308)).to_double() == -1);
    CHECK(erf(Multiprecision(not_a_number, 308)).is_nan());
}

TEST_CASE("decimal text is rounded once and printed back") {
    CHECK(Multiprecision::from_text("0.1", 50).to_string(50) == "0.1");
    CHECK(Multiprecision::from_text("-1.25e3", 10).to_string(10) == "-1250");
    CHECK(Multiprecision(0.1, 17).to_string(17) == "0.10000000000000001");
    CHECK(Multiprecision::from_text("1e-400", 20).to_string(5) == "1e-400");
    CHECK(Multiprecision(infinity, 20).to_string(5) == "inf");
    CHECK(Multiprecision(not_a_number, 20).to_string(5) == "nan");
    for (const char* text : {"", ".", "1e", "0x10", "nan", "inf", "1 ", "1..2", "--1", "1e+", "@nan@"}) {
        INFO(text);
        CHECK_THROWS_AS(Multiprecision::from_text(text, 20), farfield::core::PreconditionError);
    }
    CHECK_THROWS_AS(Multiprecision(1.0, 0), farfield::core::PreconditionError);
    CHECK_THROWS_AS(Multiprecision(1.0, Multiprecision::largest_digits + 1), farfield::core::PreconditionError);
}

TEST_CASE("constants have their published digits") {
    // OEIS A000796 and A001113.
    CHECK(Multiprecision::pi(50).to_string(50) == "3.1415926535897932384626433832795028841971693993751");
    CHECK(Multiprecision::e(50).to_string(50) == "2.7182818284590452353602874713526624977572470937");
}

TEST_CASE("a double goes through 17 digits unchanged, subnormals included") {
    for (const double value : {0.1, 1e308, 5e-324, -2.5e-310, 0.0, 3.0}) {
        CHECK(Multiprecision(value, 17).to_double() == value);
    }
    CHECK(std::signbit(Multiprecision(-0.0, 17).to_double()));
}

TEST_CASE("the remainder has the sign of the divisor") {
    // 2^100 + 1 = 3*2^98 + (2^98 + 1): 99 bits, of a divisor with 10 digits.
    const Multiprecision left = mod(Multiprecision(0x1p100, 40) + Multiprecision(1, 40), Multiprecision(0x1.8p99, 10));
    CHECK((left - Multiprecision(0x1p98, 40)).to_double() == 1);
    const auto remainder = [](double a, double b) { return mod(number(a), number(b)).to_double(); };
    CHECK(remainder(7, 3) == 1);
    CHECK(remainder(-7, 3) == 2);
    CHECK(remainder(7, -3) == -2);
    CHECK(remainder(-7, -3) == -1);
    CHECK(remainder(6, -3) == 0);
    CHECK(std::signbit(remainder(6, -3)));
    CHECK(remainder(5, infinity) == 5);
    CHECK(remainder(-5, infinity) == infinity);
    CHECK(std::isnan(remainder(5, 0)));
    CHECK(std::isnan(remainder(infinity, 3)));
    CHECK(std::isnan(remainder(not_a_number, 3)));
}

TEST_CASE("powers follow the language: 0^0 is 1, a negative base wants an integer exponent") {
    const auto power = [](double a, double b) { return pow(number(a), number(b)).to_double(); };
    CHECK(power(0, 0) == 1);
    CHECK(power(-2, 3) == -8);
    CHECK(power(-2, -2) == 0.25);
    CHECK(std::isnan(power(-2, 0.5)));
    CHECK(power(0, -1) == infinity);
}

TEST_CASE("rounding to integers takes ties to even, and signs and extremes pass NaN on") {
    CHECK(round(number(2.5)).to_double() == 2);
    CHECK(round(number(-3.5)).to_double() == -4);
    CHECK(floor(number(-0.5)).to_double() == -1);
    CHECK(ceil(number(0.25)).to_double() == 1);
    CHECK(sign(number(-1e-300)).to_double() == -1);
    CHECK(sign(number(0)).to_double() == 0);
    CHECK(sign(number(not_a_number)).is_nan());
    CHECK(min(number(1), number(not_a_number)).is_nan());
    CHECK(max(number(not_a_number), number(1)).is_nan());
    CHECK(clamp(number(5), number(0), number(1)).to_double() == 1);
    CHECK(clamp(number(not_a_number), number(0), number(1)).is_nan());
}

TEST_CASE("comparisons with NaN are false") {
    const Multiprecision nan = number(not_a_number);
    CHECK_FALSE(nan < number(1));
    CHECK_FALSE(nan >= number(1));
    CHECK_FALSE(nan == nan);
    CHECK(number(-0.0) == number(0));
    CHECK(number(1) < number(2));
    CHECK(number(2) >= number(2));
}

TEST_CASE("the limits of softplus and sigmoid are reached without overflow") {
    CHECK(softplus(number(1e300)).to_double() == 1e300);
    CHECK(softplus(number(infinity)).to_double() == infinity);
    CHECK(softplus(number(-infinity)).to_double() == 0);
    CHECK(sigmoid(number(1e300)).to_double() == 1);
    CHECK(sigmoid(number(-infinity)).to_double() == 0);
    CHECK(sigmoid(number(not_a_number)).is_nan());
}

TEST_CASE("trigonometric arguments are reduced up to 2^65536 and refused beyond") {
    // cos^2 + sin^2 = 1 at the largest double.
    const Multiprecision large = number(std::numeric_limits<double>::max());
    CHECK((sin(large) * sin(large) + cos(large) * cos(large)).to_string(50) == "1");
    CHECK(sin(pow(number(2), number(70000))).is_nan());
    CHECK(tan(number(infinity)).is_nan());
}

TEST_CASE("copies are independent and precision is that of the wider operand") {
    Multiprecision a = number(1);
    Multiprecision b = a;
    b = b + number(1);
    CHECK(a.to_double() == 1);
    CHECK(b.to_double() == 2);
    a = std::move(b);
    CHECK(a.to_double() == 2);
    b = a;
    CHECK(b.to_double() == 2);
    CHECK((Multiprecision(1, 20) + Multiprecision(1, 60)).bits() == Multiprecision(1, 60).bits());
}
