// The sine integral and binomial coefficients.
#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/multiprecision.hpp>

#include "numerics/mpfi_value.hpp"

using namespace farfield::numerics;

namespace {

struct Known {
    const char* x;
    const char* value;
};

// mpmath 1.3: mp.dps = 60, nstr(si(mpf(x)), 45).
constexpr Known known[] = {
    {"1e-30", "1.0e-30"},
    {"0.001", "0.000999999944444446111111082766440215489485698796"},
    {"0.5", "0.493107418043066689161626707572764653641337138"},
    {"1", "0.946083070367183014941353313823179657812337955"},
    {"2", "1.60541297680269484857672014819858894084858342"},
    {"2.5", "1.77852017344382664210031198173622947870957385"},
    {"3.25", "1.85011036539664097067453648400668374629585505"},
    {"4", "1.75820313894905305810555930335850161720957946"},
    {"7", "1.45459661424809359061476849383616042006690741"},
    {"12", "1.50497124152637337052714853211816260892921588"},
    {"30.5", "1.55171688402188023118908709937037000713053803"},
    {"55", "1.57072413339815177726689740288940848862695273"},
    {"100", "1.56222546688905629335234513880450267722782498"},
    {"150", "1.56616683272252083751358450254679194398185614"},
    {"200", "1.56838233933946983335878557542354653152263068"},
    {"777.75", "1.57053517744247691010116816326021400176201544"},
    {"12345.678", "1.57073881174235684682995776534952331702974647"},
    {"1e10", "1.57079632670758465696851115177475365372815433"},
    {"1e25", "1.57079632679489661923132175836966086858091591"},
};

}  // namespace

TEST_CASE("the sine integral agrees with mpmath to 40 digits, by powers and by asymptotics") {
    for (const Known& each : known) {
        INFO(each.x);
        const Multiprecision x = Multiprecision::from_text(each.x, 60);
        const Multiprecision expected = Multiprecision::from_text(each.value, 60);
        CHECK(sine_integral(x).to_string(40) == expected.to_string(40));
        CHECK(sine_integral(-x).to_string(40) == (-expected).to_string(40));
    }
}

TEST_CASE("the enclosure of the sine integral at a number holds that of more digits and is two neighbours wide") {
    for (const Known& each : known) {
        INFO(each.x);
        for (const long bits : {53L, 128L, 600L}) {
            const MpfiValue x = MpfiValue::from_text(each.x, bits);
            const MpfiValue at_lower = sine_integral(MpfiValue(Interval{x.to_interval().lo, x.to_interval().lo}, bits));
            const MpfiValue fine =
                sine_integral(MpfiValue(Interval{x.to_interval().lo, x.to_interval().lo}, bits + 200));
            CHECK(at_lower.contains(fine.middle()));
            MpfiValue next(bits);
            mpfr_set(next.lower(), at_lower.lower(), MPFR_RNDN);
            mpfr_nextabove(next.lower());
            CHECK(mpfr_cmp(next.lower(), at_lower.upper()) >= 0);
        }
    }
}

TEST_CASE("over an interval the sine integral is enclosed by its ends and its extremes, at most 1e-14 too wide") {
    // The extremes between: at pi the greatest, at 2 pi the least beyond it (DLMF 6.4).
    const double at_pi = 1.851937051982466170361053370157991363345809728981155;
    const double at_two_pi = 1.41815157613262845024578016;
    struct Case {
        double from, to, least, greatest;
    };
    const double si_one = 0.946083070367183014941353313823;
    const double si_four = 1.75820313894905305810555930336;
    const double si_seven = 1.45459661424809359061476849384;
    const Case cases[] = {{1, 4, si_one, at_pi},        {-4, -1, -at_pi, -si_one}, {-1, 1, -si_one, si_one},
                          {4, 7, at_two_pi, si_four},   {1, 1e9, si_one, at_pi},   {-1e300, 1, -at_pi, si_one},
                          {4, 1e9, at_two_pi, si_four}, {6.5, 7, 0, si_seven}};
    for (const Case& each : cases) {
        INFO(each.from << " to " << each.to);
        const Interval found = sine_integral(Interval{each.from, each.to});
        if (each.least != 0) CHECK(found.lo == Approx(each.least).margin(1e-14).epsilon(0));
        CHECK(found.hi == Approx(each.greatest).margin(1e-14).epsilon(0));
    }
    for (double from = -40; from < 40; from += 0.37) {
        for (const double width : {0.01, 1.0, 3.0, 20.0}) {
            const Interval found = sine_integral(Interval{from, from + width});
            for (int i = 0; i <= 20; ++i) {
                const Interval at = sine_integral(point(from + width * i / 20));
                CHECK(found.lo <= at.hi);
                CHECK(found.hi >= at.lo);
            }
        }
    }
}

TEST_CASE("far out the sine integral is pi/2 within 1/x") {
    const Interval half_pi = enclose_pi() * point(0.5);
    for (const double x : {1e10, 1e100, 1e308}) {
        const Interval found = sine_integral(Interval{x, 1.5 * x});
        CHECK(found.lo <= half_pi.hi);
        CHECK(found.hi >= half_pi.lo);
        CHECK(found.hi - found.lo <= 2 / x + 1e-15);
    }
    CHECK(sine_integral(Multiprecision(INFINITY, 30)).to_double() == M_PI / 2);
    CHECK(sine_integral(Multiprecision(-INFINITY, 30)).to_double() == -M_PI / 2);
}

TEST_CASE("binomial coefficients follow Pascal's triangle and end where their row says") {
    const auto at = [](double n, double k) { return binomial(Multiprecision(n, 80), Multiprecision(k, 80)); };
    for (int n = 1; n < 60; ++n)
        for (int k = 0; k <= n; ++k) CHECK((at(n, k) == at(n - 1, k - 1) + at(n - 1, k)));
    CHECK(at(5, -1).to_double() == 0);
    CHECK(at(5, 6).to_double() == 0);
    for (const auto& [n, k] : {std::pair{-1.0, 0.0}, {2.5, 1.0}, {5.0, 0.5}, {1e5, 5e4}, {0x1p63, 1.0}})
        CHECK(at(n, k).is_nan());
    // 100 choose 50: OEIS A000984.
    CHECK(at(100, 50).to_string(30) == Multiprecision::from_text("100891344545564193334812497256", 60).to_string(30));
    const Interval wide = binomial(point(100), point(50));
    CHECK(wide.lo < wide.hi);
    CHECK(std::nextafter(wide.lo, INFINITY) == wide.hi);
    CHECK(is_undefined(binomial(Interval{3, 4}, point(2))));
}
