// Safe lengths of schemes with `rotate.far`, against plain loops over every query, key and pair.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <functional>

namespace farfield::quantity {
namespace {

constexpr int head_dim = 16;

scheme::Context context() {
    scheme::Context made;
    made.head_dim = head_dim;
    return made;
}

scheme::Scheme declared(const std::string& lines) {
    scheme::Registry registry = scheme::Registry::builtin();
    core::Problems problems;
    registry.add(scheme::read_toml("[own]\n" + lines, "s.toml"), problems);
    problems.raise();
    return *registry.find("own");
}

scheme::Scheme computed(const scheme::Scheme& scheme, const char* recipe, const char* format) {
    core::Problems problems;
    scheme::Scheme result = scheme::with_recipe(scheme, recipe, format, {}, problems);
    problems.raise();
    return result;
}

double frequency(int i) {
    return std::pow(10000.0, -2.0 * i / head_dim);
}

/// Cosine and sine of pair i at a position.
using Turn = std::function<std::complex<double>(double position, int i)>;

Turn all_steps_in(const char* name) {
    const numerics::Format& format = *numerics::find_format(name);
    return [&](double position, int i) {
        const auto round = [&](double x) { return numerics::round_to(format, x); };
        const double angle = round(round(position) * round(frequency(i)));
        return std::complex<double>{round(std::cos(angle)), round(std::sin(angle))};
    };
}

/// The recipe hf: frequencies and angles in float, cosines and sines cast.
Turn tables_in(const char* name) {
    const numerics::Format& format = *numerics::find_format(name);
    return [&](double position, int i) {
        const float angle = static_cast<float>(position) * static_cast<float>(frequency(i));
        return std::complex<double>{numerics::round_to(format, std::cos(double{angle})),
                                    numerics::round_to(format, std::sin(double{angle}))};
    };
}

/// Where a query and a key are rotated.
struct Places {
    std::function<bool(int q, int k)> is_far;
    std::function<double(int q)> query;
    std::function<double(int k)> key;
};

struct Passed {
    int query = 0;
    bool is_far = false;  ///< whether a far key passes the bound, and no near one
};

Passed first_passed(const Turn& rounded, const Places& places, double bound) {
    for (int query = 0;; ++query) {
        double near = 0, far = 0;
        for (int key = 0; key <= query; ++key) {
            const bool is_far = places.is_far(query, key);
            const double q = is_far ? places.query(query) : query, k = is_far ? places.key(key) : key;
            for (int i = 0; i < head_dim / 2; ++i) {
                const std::complex<double> exact = std::polar(1.0, (k - q) * frequency(i));
                const double error = std::abs(std::conj(rounded(q, i)) * rounded(k, i) - exact);
                (is_far ? far : near) = std::max(is_far ? far : near, error);
            }
        }
        if (near > bound || far > bound) return {query, near <= bound};
    }
}

Places string_of(int shift, int window) {
    return {[=](int q, int k) { return q - k >= shift; }, [=](int q) { return double(q - shift + window); },
            [](int k) { return double(k); }};
}

Places rerope_of(int window) {
    return {[=](int q, int k) { return q - k >= window; }, [=](int) { return double(window); },
            [](int) { return 0.0; }};
}

Places self_extend_of(int group, int window) {
    return {[=](int q, int k) { return q - k >= window; },
            [=](int q) { return double(q / group + window - window / group); },
            [=](int k) { return double(k / group); }};
}

struct Row {
    std::string lines;
    Places places;
};

std::vector<Row> rows() {
    return {
        {"extends = 'string'\nparams = { shift = 12, window = 3 }\n", string_of(12, 3)},
        {"extends = 'string'\nparams = { shift = 40, window = 0 }\n", string_of(40, 0)},
        {"extends = 'string'\nparams = { shift = 12, window = 12 }\n", string_of(12, 12)},
        {"extends = 'rerope'\nparams = { window = 4 }\n", rerope_of(4)},
        {"extends = 'rerope'\nparams = { window = 130 }\n", rerope_of(130)},
        {"extends = 'self-extend'\nparams = { group = 4, window = 8 }\n", self_extend_of(4, 8)},
    };
}

void check(const scheme::Scheme& scheme, const char* format, const Turn& turn, const Places& places, double bound,
           bool is_longest = true) {
    SafeLengthOptions options;
    options.rounds_positions = false;
    options.error_bound = bound;
    const SafeLength safe = safe_length(scheme, context(), format, options);
    const Passed passed = first_passed(turn, places, bound);
    CHECK(safe.limit == Limit::logit_error);
    CHECK(safe.length == passed.query);
    CHECK(safe.is_longest == is_longest);
    if (is_longest) CHECK(safe.limits.front().where.ends_with(", far") == passed.is_far);
}

TEST_CASE("the safe length with far angles is where plain loops first pass the bound") {
    for (const Row& row : rows()) {
        for (const char* format : {"fp16", "bf16", "e5m2"}) {
            INFO(row.lines << " in " << format);
            // Positions are not rounded here: all of them are integers that doubles hold.
            const numerics::Format& rounded = *numerics::find_format(format);
            const Turn turn = [&](double position, int i) {
                const auto round = [&](double x) { return numerics::round_to(rounded, x); };
                const double angle = round(position * round(frequency(i)));
                return std::complex<double>{round(std::cos(angle)), round(std::sin(angle))};
            };
            check(declared(row.lines), format, turn, row.places, 0.03);
        }
    }
}

TEST_CASE("safe lengths with far angles are those of an independent program in 40 digits") {
    // tests/references/quantity/safe_length.py
    const struct {
        const char* lines;
        long long fp16, bf16;
    } lengths[] = {{"extends = 'string'\nparams = { shift = 12, window = 3 }\n", 53, 7},
                   {"extends = 'rerope'\nparams = { window = 4 }\n", 54, 7},
                   {"extends = 'self-extend'\nparams = { group = 4, window = 8 }\n", 53, 7}};
    scheme::Context wide;
    wide.head_dim = 64;
    for (const auto& row : lengths) {
        INFO(row.lines);
        CHECK(safe_length(declared(row.lines), wide, "fp16").length == row.fp16);
        CHECK(safe_length(declared(row.lines), wide, "bf16").length == row.bf16);
    }
}

TEST_CASE("positions at which far pairs are rotated are rounded as positions are") {
    for (const Row& row : rows()) {
        for (const char* format : {"bf16", "e4m3", "e5m2"}) {
            INFO(row.lines << " in " << format);
            SafeLengthOptions options;
            options.error_bound = 0.5;
            const SafeLength safe = safe_length(declared(row.lines), context(), format, options);
            const long long passed = first_passed(all_steps_in(format), row.places, 0.5).query;
            const auto collision =
                static_cast<long long>(numerics::power_of_two(numerics::find_format(format)->mantissa_bits + 1) + 1);
            CHECK(safe.length == std::min(passed, collision));
            CHECK(safe.is_longest);
        }
    }
}

TEST_CASE("a recipe computes far angles at their positions") {
    for (const Row& row : rows()) {
        INFO(row.lines);
        // Two table entries of bf16 are each off by up to 2^-9/sqrt(2), so that pairs pass this bound early.
        check(computed(declared(row.lines), "hf", "bf16"), "bf16", tables_in("bf16"), row.places, 0.0045);
    }
}

TEST_CASE("positions need be neither integers nor positive") {
    const Places places{[](int q, int k) { return q - k >= 5; }, [](int q) { return q / 4.0 - 6; },
                        [](int k) { return -2.0 * k; }};
    const scheme::Scheme own = declared(
        "rotate = { angle = 'p*theta', far = { where = 'n > 4', query = '(p/4 - 6)*theta', key = '-2*p*theta' } }\n"
        "let = { theta = '10000^(-2*i/d)' }\n");
    check(
        own, "bf16",
        [](double position, int i) {
            const numerics::Format& format = *numerics::find_format("bf16");
            const auto round = [&](double x) { return numerics::round_to(format, x); };
            const double angle = round(position * round(frequency(i)));
            return std::complex<double>{round(std::cos(angle)), round(std::sin(angle))};
        },
        places, 0.1);
}

TEST_CASE("with a condition on more than the distance, every pair may be near or far") {
    const scheme::Scheme own = declared(
        "rotate = { angle = 'p*theta', far = { where = 'n >= 8 and k >= 4', query = '(p - 8)*theta' } }\n"
        "let = { theta = '10000^(-2*i/d)' }\n");
    const Places places{[](int q, int k) { return q - k >= 8 && k >= 4; }, [](int q) { return q - 8.0; },
                        [](int k) { return double(k); }};
    SafeLengthOptions options;
    options.error_bound = 0.03;
    const SafeLength safe = safe_length(own, context(), "bf16", options);
    CHECK(safe.length > 0);
    CHECK(safe.length <= first_passed(all_steps_in("bf16"), places, 0.03).query);
    CHECK_FALSE(safe.is_longest);
}

TEST_CASE("a far angle overflows at the first query that has a far key") {
    // fp16 ends at 65504, and 65520 is the least number that becomes infinity. The query's angle is 60000 + p; queries
    // have far keys from 7000 on.
    const scheme::Scheme own = declared(
        "rotate = { angle = 'p*theta', far = { where = 'n >= 7000', query = '(p + 60000)*theta' } }\n"
        "let = { theta = '10000^(-2*i/d)' }\n");
    SafeLengthOptions options;
    options.rounds_positions = false;
    options.error_bound = 10;
    options.longest = 20000;
    const SafeLength safe = safe_length(own, context(), "fp16", options);
    CHECK(safe.limit == Limit::overflow);
    CHECK(safe.length == 7000);
    CHECK(safe.is_longest);
    CHECK(safe.limits.front().where == "p of a far query = 7000, i = 0");
    // Of a key, the query that sees it comes 7000 later.
    const scheme::Scheme keys = declared(
        "rotate = { angle = 'p*theta', far = { where = 'n >= 7000', query = 'p*theta', key = '(p + 60000)*theta' } }\n"
        "let = { theta = '10000^(-2*i/d)' }\n");
    CHECK(safe_length(keys, context(), "fp16", options).length == 7000 + 5520);
    // Where all pairs are far, the angles of near ones are not computed.
    const scheme::Scheme still = declared(
        "rotate = { angle = 'p*theta', far = { where = 'n >= 0', query = '3*theta', key = '0' } }\n"
        "let = { theta = '10000^(-2*i/d)' }\n");
    options.longest = 100000;
    CHECK(safe_length(still, context(), "fp16", options).limit == Limit::none);
}

TEST_CASE("far angles that are not positions times the frequency are refused") {
    for (const char* far :
         {"far = { where = 'n >= 8', query = 'sqrt(p)' }", "far = { where = 'n >= 8', query = 'i*p*theta' }",
          "far = { where = 'n >= 8', query = 'theta' }, scale = '2^-p'"}) {
        const scheme::Scheme own =
            declared("rotate = { angle = 'p*theta', " + std::string(far) + " }\nlet = { theta = '10000^(-2*i/d)' }\n");
        INFO(far);
        CHECK_THROWS_AS(safe_length(own, context(), "bf16"), core::UserError);
    }
}

/// Tokens that are safe of 15 where every step is in fp32, and where tables are computed in fp64 and cast to it.
std::vector<long long> lengths_of(const std::string& rotation) {
    SafeLengthOptions options;
    options.longest = 15;
    std::vector<long long> lengths;
    for (const char* recipe : {"fp32", "fp64-tables"}) {
        const SafeLength safe = safe_length(computed(declared(rotation), recipe, "fp32"), context(), "fp32", options);
        CHECK((safe.length == options.longest || !safe.is_longest));
        lengths.push_back(safe.length);
    }
    return lengths;
}

// A query at position 3 exists from 4 tokens on; the query 0 has the key 0 at distance 0; pair 1 is in every token.
TEST_CASE("a position, a condition or a frequency without a value is not safe by any recipe") {
    using Lengths = std::vector<long long>;
    CHECK(lengths_of("rotate = { angle = 'p/2', far = { query = '(1/(p - 3))/2', where = 'n > 2' } }") ==
          Lengths{3, 3});
    CHECK(lengths_of("rotate = { angle = 'p/2', far = { query = '(p - 3)/2', where = '1/n < 0.3' } }") ==
          Lengths{0, 0});
    CHECK(lengths_of("rotate = { angle = 'p/2', far = { query = '(p - 3)/2', where = '1/(n - 2) < 0.3' } }") ==
          Lengths{2, 2});
    CHECK(lengths_of("rotate = { angle = 'p/2', far = { query = '(p - 3)/2', where = '1/(q - 3) < k' } }") ==
          Lengths{3, 3});
    CHECK(lengths_of("rotate = { angle = 'p/(i - 1)' }") == Lengths{0, 0});
    CHECK(lengths_of("rotate = { angle = 'p/2', far = { query = '(p - 3)/2', where = 'n > 2' } }") == Lengths{15, 15});
}

TEST_CASE("the position of a far token is rounded before its angle may overflow") {
    // 66*1000 rounds to inf in fp16; with exact positions, a quarter of it does from p*1000/4 = 65520 on.
    const scheme::Scheme scheme = declared(
        "rotate = { angle = 'p*2^(-2-i)', far = { where = 'n >= 4', query = '(p*1000)*2^(-2-i)', key = "
        "'(p*1000)*2^(-2-i)' } }");
    SafeLengthOptions options;
    options.error_bound = 3;
    options.longest = 300;
    const auto overflow = [&] {
        const SafeLength safe = safe_length(scheme, context(), "fp16", options);
        const auto found = std::find_if(safe.limits.begin(), safe.limits.end(),
                                        [](const LimitFound& each) { return each.limit == Limit::overflow; });
        return found == safe.limits.end() ? -1 : found->length;
    };
    CHECK(overflow() == 66);
    options.rounds_positions = false;
    CHECK(overflow() == 263);  // 262.08
}

TEST_CASE("a rotation with its own values has no safe length without a recipe") {
    const std::string rotation = "rotate = { angle = 'p/2', values = 'bf16(it)' }";
    CHECK_THROWS_WITH(safe_length(declared(rotation), context(), "fp32"), Catch::Contains("has 'values' of its own"));
    SafeLengthOptions options;
    options.longest = 15;
    CHECK(safe_length(computed(declared(rotation), "fp32", "fp32"), context(), "fp32", options).length == 15);
}

}  // namespace
}  // namespace farfield::quantity
