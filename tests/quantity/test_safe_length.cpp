#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstdio>
#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "support/own_scheme.hpp"

namespace farfield::quantity {
namespace {

const scheme::Scheme& named(const char* name) {
    const scheme::Scheme* scheme = scheme::Registry::builtin().find(name);
    REQUIRE(scheme);
    return *scheme;
}

scheme::Context context(double head_dim, double heads = 8) {
    scheme::Context made;
    made.head_dim = head_dim;
    made.heads = heads;
    return made;
}

const LimitFound* find(const SafeLength& safe, Limit limit) {
    const auto found = std::find_if(safe.limits.begin(), safe.limits.end(),
                                    [&](const LimitFound& each) { return each.limit == limit; });
    return found == safe.limits.end() ? nullptr : &*found;
}

/// Rotary's pair i at position p in double, every step rounded to the format, and not.
std::complex<double> turned(const numerics::Format& format, double p, int i, double head_dim) {
    const auto round = [&](double x) { return numerics::round_to(format, x); };
    const double angle = round(round(p) * round(std::pow(10000.0, -2.0 * i / head_dim)));
    return {round(std::cos(angle)), round(std::sin(angle))};
}

double error_of(const numerics::Format& format, int q, int k, int i, double head_dim) {
    const double turn = (k - q) * std::pow(10000.0, -2.0 * i / head_dim);
    return std::abs(std::conj(turned(format, q, i, head_dim)) * turned(format, k, i, head_dim) - std::polar(1.0, turn));
}

double value_of(const std::string& formula) {
    const formula::Program program = formula::compile(formula::parse(formula), {});
    return evaluate::evaluate(program, {})[0];
}

TEST_CASE("rotary's safe length is where plain loops first pass the bound") {
    for (const char* name : {"fp16", "bf16", "e5m2"}) {
        const numerics::Format& format = *numerics::find_format(name);
        int query = 0;
        for (double worst = 0; worst <= 0.01; ++query)
            for (int k = 0; k <= query; ++k)
                for (int i = 0; i < 32; ++i) worst = std::max(worst, error_of(format, query, k, i, 64));
        const SafeLength safe = safe_length(named("rotary"), context(64), name);
        INFO(name);
        CHECK(safe.length == query - 1);
        CHECK(safe.limit == Limit::logit_error);
        CHECK(safe.is_longest);
    }
}

TEST_CASE("safe lengths are those of an independent program in 40 digits") {
    // tests/references/quantity/safe_length.py
    struct Row {
        const char* scheme;
        const char* format;
        double head_dim;
        long long length;
    };
    const Row rows[] = {{"rotary", "bf16", 128, 5},        {"rotary-llama3", "bf16", 64, 7},
                        {"rotary-llama3", "fp16", 64, 29}, {"xpos", "bf16", 64, 10},
                        {"xpos", "fp16", 64, 53},          {"kerple-log", "bf16", 64, 56},
                        {"sandwich", "fp16", 64, 46}};
    for (const Row& row : rows) {
        INFO(row.scheme << " in " << row.format);
        const SafeLength safe = safe_length(named(row.scheme), context(row.head_dim), row.format);
        CHECK(safe.length == row.length);
        CHECK(safe.is_longest);
        CHECK(safe.limit == Limit::logit_error);
    }
}

TEST_CASE("in fp32 the safe length is kept by sampled pairs and passed by the pair that it names") {
    const numerics::Format& format = *numerics::find_format("fp32");
    const SafeLength safe = safe_length(named("rotary"), context(64), "fp32");
    CHECK(safe.limit == Limit::logit_error);
    CHECK(safe.is_longest);
    // Half a unit of the last place at angles of 2^16 to 2^17 is 2^-8: 0.004. Two of them stay below 0.01, four do not.
    CHECK(safe.length > 10000);
    CHECK(safe.length < 300000);
    int q = 0, k = 0, pair = 0;
    REQUIRE(std::sscanf(safe.limits.front().where.c_str(), "q = %d, k = %d, i = %d", &q, &k, &pair) == 3);
    CHECK(q == safe.length);
    CHECK(error_of(format, q, k, pair, 64) > 0.01);
    for (q = 0; q < safe.length; q += 97) {
        k = (q * 7919) % (q + 1);
        for (int i = 0; i < 32; ++i) CHECK_FALSE(!(error_of(format, q, k, i, 64) <= 0.01));
    }
}

TEST_CASE("ALiBi's safe length is where some head's rounded bias first errs by more than the bound") {
    const numerics::Format& format = *numerics::find_format("bf16");
    const auto is_off = [&](double n) {
        for (int h = 1; h <= 8; ++h) {
            const double bias = -std::pow(2.0, -h) * n;
            if (std::abs(numerics::round_to(format, bias) - bias) > 0.01) return true;
        }
        return false;
    };
    long long n = 0;
    while (!is_off(static_cast<double>(n))) ++n;
    SafeLengthOptions options;
    options.rounds_positions = false;
    const SafeLength safe = safe_length(named("alibi"), context(64), "bf16", options);
    CHECK(safe.length == n);
    CHECK(safe.limit == Limit::logit_error);
    CHECK(safe.is_longest);
    CHECK_FALSE(find(safe, Limit::collision));
}

TEST_CASE("positions collide one above 2^(m + 1), m as the formats define it") {
    const std::pair<const char*, int> mantissa_bits[] = {
        {"fp32", 23}, {"fp16", 10}, {"bf16", 7}, {"e4m3", 3}, {"e5m2", 2}};
    for (const auto& [name, bits] : mantissa_bits) {
        const SafeLength safe = safe_length(named("sinusoidal"), context(64), name);
        INFO(name);
        REQUIRE(find(safe, Limit::collision));
        CHECK(find(safe, Limit::collision)->length == (1LL << (bits + 1)) + 1);
        CHECK(find(safe, Limit::collision)->formula == "2^" + std::to_string(bits + 1) + " + 1");
    }
}

TEST_CASE("where the scale has no fixed origin, the length is where plain loops first allow a rounded scale to pass") {
    const numerics::Format& format = *numerics::find_format("fp16");
    scheme::Scheme centred = named("xpos");
    centred.rotate->origin = scheme::Origin::centre;
    // xPos's scale falls, so s(q)/s(k) is at most 1; two scales are each off by up to half a unit, 2^-11.
    const double scales = std::pow(1 + std::ldexp(1, -11), 2);
    int query = 0;
    for (double worst = 0; worst <= 0.01; ++query)
        for (int k = 0; k <= query; ++k)
            for (int i = 0; i < 32; ++i) worst = std::max(worst, (1 + error_of(format, query, k, i, 64)) * scales - 1);
    const SafeLength safe = safe_length(centred, context(64), "fp16");
    REQUIRE(find(safe, Limit::logit_error));
    CHECK(find(safe, Limit::logit_error)->length == query - 1);
    CHECK_FALSE(find(safe, Limit::logit_error)->is_longest);
}

TEST_CASE("positions of sinusoidal embeddings collide, and nope has no limit") {
    const SafeLength safe = safe_length(named("sinusoidal"), context(64), "fp16");
    // 2048 and 2049 are one number: positions 0..2048 are 2049 tokens.
    CHECK(safe.length == 2049);
    CHECK(safe.limit == Limit::collision);
    CHECK(safe_length(named("sinusoidal"), context(64), "fp32").length == 16777217);
    CHECK(safe_length(named("nope"), context(64), "fp16").limit == Limit::none);
}

TEST_CASE("xPos's reciprocal scale overflows fp16 at the position that logarithms give") {
    SafeLengthOptions options;
    options.rounds_positions = false;
    const SafeLength safe = safe_length(named("xpos"), context(64), "fp16", options);
    const LimitFound* overflow = find(safe, Limit::overflow);
    REQUIRE(overflow);
    CHECK(overflow->length == std::ceil(512 * std::log(65520.0) / std::log(3.5)));
    CHECK(overflow->is_longest);
    const LimitFound* underflow = find(safe, Limit::underflow);
    REQUIRE(underflow);
    CHECK(underflow->length == std::ceil(512 * 25 * std::log(2.0) / std::log(3.5)));
    // The formula beside each is of the real position where it happens.
    for (const LimitFound* limit : {overflow, underflow}) {
        INFO(limit->formula);
        REQUIRE(limit->formula.starts_with("p = "));
        CHECK(std::ceil(value_of(limit->formula.substr(4))) == static_cast<double>(limit->length));
    }
    CHECK(safe.limit == Limit::logit_error);
    CHECK(safe.limits.front().length == safe.length);
    CHECK(std::is_sorted(safe.limits.begin(), safe.limits.end(),
                         [](const LimitFound& a, const LimitFound& b) { return a.length < b.length; }));
}

TEST_CASE("with rounded positions, numbers overflow at the first position that rounds to one where they do") {
    // Plain loops over positions rounded by the format.
    const auto first = [](const char* name, const auto& overflows) {
        const numerics::Format& format = *numerics::find_format(name);
        for (long long p = 0;; ++p)
            if (overflows(numerics::round_to(format, static_cast<double>(p)))) return p;
    };
    const auto found_in = [](const scheme::Scheme& scheme, int width, const char* name) {
        const SafeLength safe = safe_length(scheme, context(width), name);
        const LimitFound* overflow = find(safe, Limit::overflow);
        REQUIRE(overflow);
        CHECK(overflow->is_longest);
        return overflow->length;
    };
    // Key factors (7/2)^(p/512): fp16 overflows from 65520 on, bf16 from (2 - 2^-8) 2^127 on.
    const auto key_beyond = [](double limit) {
        return [=](double p) { return p * std::log(3.5) / 512 >= std::log(limit); };
    };
    CHECK(found_in(named("xpos"), 64, "fp16") == first("fp16", key_beyond(65520)));
    CHECK(found_in(named("xpos"), 64, "bf16") == first("bf16", key_beyond((2 - 0x1p-8) * 0x1p127)));
    CHECK(first("bf16", key_beyond((2 - 0x1p-8) * 0x1p127)) == 36224);  // a tie, which rounds to 36352
    // A bias of -100 n in e5m2, which overflows from 61440 on: 577 rounds to 640, and 576 to 512.
    CHECK(found_in(tests::scheme_of("bias = '-100*n'"), 64, "e5m2") == 577);
    CHECK(first("e5m2", [](double n) { return 100 * n >= 61440; }) == 577);
}

TEST_CASE("counting from the centre doubles the length, less the half that reaches one further") {
    scheme::Scheme centred = named("xpos");
    centred.rotate->origin = scheme::Origin::centre;
    SafeLengthOptions options;
    options.rounds_positions = false;
    const SafeLength safe = safe_length(centred, context(64), "fp16", options);
    REQUIRE(find(safe, Limit::overflow));
    const double offset = std::ceil(512 * std::log(65520.0) / std::log(3.5));
    CHECK(find(safe, Limit::overflow)->length == 2 * (offset - 1));
}

TEST_CASE("a bias by query and key overflows at the first query for which that of any key does") {
    scheme::Registry registry = scheme::Registry::builtin();
    core::Problems problems;
    registry.add(scheme::read_toml("[own]\nbias = '-q*k'\n", "s.toml"), problems);
    problems.raise();
    SafeLengthOptions options;
    options.longest = 4096;
    // fp16 rounds 65520 = 16*4095 to infinity, and 4095 is the last key.
    const SafeLength safe = safe_length(*registry.find("own"), context(64), "fp16", options);
    const LimitFound* overflow = find(safe, Limit::overflow);
    REQUIRE(overflow);
    CHECK(overflow->length == 16);
    CHECK_FALSE(overflow->is_longest);
}

TEST_CASE("no length is safe where a part has no value, and this is found at once") {
    const auto safe = [](const std::string& toml) {
        scheme::Registry registry = scheme::Registry::builtin();
        core::Problems problems;
        registry.add(scheme::read_toml("[own]\n" + toml, "s.toml"), problems);
        problems.raise();
        return safe_length(*registry.find("own"), context(4, 1), "fp16");
    };
    // By the laws of the reals n^2/n is n, which has no limit before 2049: but not at n = 0.
    for (const char* bias : {"bias = '-n^2/n'", "bias = '-n*(n/n)'", "bias = '-sqrt(-n)^2'"}) {
        const SafeLength found = safe(bias);
        INFO(bias);
        CHECK(found.length <= 1);
        CHECK_FALSE(found.is_longest);
    }
    // 0^(-2*i/d) has no value for pair 1; the search over 33,554,432 positions ends at the first.
    const SafeLength turned = safe("params = { base = 0 }\nrotate = { angle = 'p * base^(-2*i/d)' }");
    CHECK(turned.length == 0);
    CHECK_FALSE(turned.is_longest);
}

TEST_CASE("every head counts, with its own rotation and temperature") {
    const auto length = [](const std::string& toml, double heads, double bound) {
        SafeLengthOptions options;
        options.longest = 200;
        options.error_bound = bound;
        return safe_length(tests::scheme_of(toml), context(2, heads), "bf16", options).length;
    };
    // A head by itself, written without h.
    const long long slow = length("rotate = { angle = 'p' }", 1, 0.01);
    const long long fast = length("rotate = { angle = 'p*0.3' }", 1, 0.01);
    CHECK(fast < slow);
    CHECK(length("rotate = { angle = 'if(h == 1, 1, 0.3)*p' }", 1, 0.01) == slow);
    CHECK(length("rotate = { angle = 'if(h == 1, 1, 0.3)*p' }", 2, 0.01) == fast);
    CHECK(length("rotate = { angle = 'if(h == 3, 0.3, 1)*p' }", 3, 0.01) == fast);
    // A temperature multiplies the error of a rotated product.
    const std::string turn = "rotate = { angle = 'p*0.01' }\n";
    const long long hot = length(turn + "temperature = '2'", 1, 0.02);
    CHECK(hot == length(turn, 1, 0.01));
    CHECK(length(turn + "temperature = 'if(h == 1, 1, 2)'", 2, 0.02) == hot);
    CHECK(length(turn + "temperature = 'if(h == 1, 1, 2)'", 1, 0.02) > hot);
    CHECK(length(turn + "temperature = { formula = '2', when = 'h == 2' }", 2, 0.02) == hot);
}

TEST_CASE("a temperature does not multiply the error of a bias") {
    SafeLengthOptions options;
    options.longest = 4096;
    options.error_bound = 0.02;
    options.rounds_positions = false;
    // The first distance at which the bf16 number nearest to -0.3*n differs by more than 0.02, in exact decimals:
    // 8.1 is between 8.0625 and 8.125.
    int first = 0;
    const numerics::Format& format = *numerics::find_format("bf16");
    while (std::abs(numerics::round_to(format, -0.3 * first) + 0.3 * first) <= 0.02) ++first;
    CHECK(first == 27);
    for (const char* temperature :
         {"", "temperature = '0.25'", "temperature = '4'", "temperature = '1 + log(1 + q)'"}) {
        const std::string bias = "bias = '-0.3*n'\n";
        const SafeLength found = safe_length(tests::scheme_of(bias + temperature), context(2, 1), "bf16", options);
        INFO(temperature);
        CHECK(found.length == first);
        CHECK(found.is_longest);
    }
    // With a rotation, each part may use half of the bound.
    options.error_bound = 0.04;
    const std::string both = "bias = '-0.3*n'\nrotate = { angle = 'p*0' }\ntemperature = '0.25'";
    CHECK(safe_length(tests::scheme_of(both), context(2, 1), "bf16", options).length == first);
}

TEST_CASE("a query without a temperature is not safe") {
    for (const char* piece : {"bias = '-n*0.5'\n", "rotate = { angle = 'p*0' }\n"}) {
        SafeLengthOptions options;
        options.longest = 100;
        const SafeLength none =
            safe_length(tests::scheme_of(std::string(piece) + "temperature = '1/q'"), context(2, 1), "fp32", options);
        CHECK(none.length == 0);
        CHECK_FALSE(none.is_longest);
        const SafeLength some = safe_length(tests::scheme_of(std::string(piece) + "temperature = 'sqrt(7 - q)'"),
                                            context(2, 1), "fp32", options);
        CHECK(some.length == 8);
        CHECK_FALSE(some.is_longest);
    }
}

TEST_CASE("a rounded angle that overflows ends a length, however large an error may be") {
    // In e4m3 34.1 is 36, and 13*36 = 468 overflows, though 13*34.1 = 443.3 rounds to 448. A turn errs by 2 at most.
    SafeLengthOptions options;
    options.longest = 16;
    options.error_bound = 3;
    CHECK(safe_length(tests::scheme_of("rotate = { angle = 'p*34.1' }"), context(2, 1), "e4m3", options).length == 13);
    // In e5m2 100 is 96, and 640*96 = 61440 is the first number that overflows. In fp16 33.016 is 33.03125, and
    // 1984*33.03125 = 65534 overflows from 65520 on, but 1983*33.03125 = 65500.97 does not.
    options.longest = 3000;
    options.rounds_positions = false;
    const auto overflow = [&](const char* angle, const char* format) {
        const SafeLength safe = safe_length(tests::scheme_of(std::string("rotate = { angle = '") + angle + "' }"),
                                            context(2, 1), format, options);
        const LimitFound* found = find(safe, Limit::overflow);
        REQUIRE(found);
        CHECK(found->is_longest);
        CHECK(safe.length == found->length);
        return found->length;
    };
    CHECK(overflow("p*100", "e5m2") == 640);
    CHECK(overflow("p*33.016", "e5m2") == 1920);
    CHECK(overflow("p*33.016", "fp16") == 1984);
    options.longest = 16;
    // The frequency itself overflows.
    CHECK(safe_length(tests::scheme_of("rotate = { angle = 'p*5000' }"), context(2, 1), "e4m3", options).length == 0);
}

TEST_CASE("a scale that falls below zero grows in magnitude") {
    // s(q)/s(k) is -8.5/0.5 at q = 10, k = 1: the plain loop's error is as many times that of the angle.
    const numerics::Format& format = *numerics::find_format("bf16");
    const auto round = [&](double x) { return numerics::round_to(format, x); };
    const auto scale = [](int p) { return 1.5 - p; };
    const auto rounded = [&](int p) {
        const double angle = round(p * round(0.001));
        return std::complex<double>(round(std::cos(angle)), round(std::sin(angle)));
    };
    int query = 0;
    for (double worst = 0; worst <= 0.1; ++query)
        for (int k = 0; k <= query; ++k) {
            const std::complex<double> meant = scale(query) / scale(k) * std::polar(1.0, (k - query) * 0.001);
            const std::complex<double> got =
                round(scale(query)) * round(1 / scale(k)) * std::conj(rounded(query)) * rounded(k);
            worst = std::max(worst, std::abs(got - meant));
        }
    SafeLengthOptions options;
    options.longest = 500;
    options.error_bound = 0.1;
    const SafeLength found = safe_length(tests::scheme_of("rotate = { angle = 'p*0.001', scale = '1.5 - p' }"),
                                         context(2, 1), "bf16", options);
    CHECK(found.length == query - 1);
}

TEST_CASE("an unknown format is refused with the nearest known") {
    CHECK_THROWS_AS(safe_length(named("rotary"), context(64), "fp61"), core::UserError);
}

TEST_CASE("safe lengths of several recipes are those of each by itself") {
    for (const char* name : {"rotary", "rotary-yarn", "alibi", "t5", "xpos"}) {
        SafeLengthOptions options;
        options.longest = 4096;
        std::vector<scheme::Recipe> recipes;
        for (const std::string& recipe : scheme::recipe_names()) {
            const scheme::Recipe found = scheme::find_recipe(recipe, "bf16");
            core::Problems problems;
            scheme::with_recipe(named(name), recipe, "bf16", {}, problems);
            INFO(name << ", " << recipe);
            CHECK(scheme::misfits(named(name), {found}).front().has_value() == !problems.empty());
            if (problems.empty()) recipes.push_back(found);
        }
        const std::vector<SafeLength> together = safe_lengths(named(name), context(64), recipes, "bf16", options);
        REQUIRE(together.size() == recipes.size());
        for (std::size_t i = 0; i < recipes.size(); ++i) {
            core::Problems problems;
            const scheme::Scheme scheme = scheme::with_recipe(named(name), recipes[i].name, "bf16", {}, problems);
            const SafeLength alone = safe_length(scheme, context(64), "bf16", options);
            INFO(name << ", " << recipes[i].name);
            CHECK(together[i].length == alone.length);
            CHECK(together[i].is_longest == alone.is_longest);
            CHECK(together[i].limit == alone.limit);
        }
    }
}

}  // namespace
}  // namespace farfield::quantity
