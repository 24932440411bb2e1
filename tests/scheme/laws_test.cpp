#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>
#include <set>

#include "scheme/schemes_support.hpp"

using namespace farfield;
using scheme::Context;
using scheme::Registry;
using scheme::Scheme;

namespace {

constexpr double length = 256;

Context context() {
    Context context{.head = 3, .heads = 8, .head_dim = 32, .width = 64, .length = length, .train_length = 64};
    std::vector<double> weights(32);
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = std::sin(static_cast<double>(j));
    context.tables.emplace_back("weight", weights);
    return context;
}

bool close(double a, double b) {
    return a == b || std::fabs(a - b) <= 1e-11 * std::max({1.0, std::fabs(a), std::fabs(b)});
}

/// What rotation does to the product of the pair i of q and k: the angle between them and the factor.
struct Turn {
    double angle;
    double factor;
};

Turn turn(const Scheme& scheme, double q, double k, double i) {
    const formula::Node near = scheme::near_angle_formula(scheme, context());
    formula::Node query = near, key = near;
    const auto far = scheme::far_formulas(scheme, context());
    if (far && scheme::at(far->where, {.q = q, .k = k}) == 1) {
        query = far->query;
        key = far->key;
    }
    const formula::Node scale = scheme::scale_formula(scheme, context());
    return {scheme::at(query, {.p = q, .i = i}) - scheme::at(key, {.p = k, .i = i}),
            scheme::at(scale, {.p = q, .i = i}) / scheme::at(scale, {.p = k, .i = i})};
}

Scheme with(const char* name, const std::vector<std::pair<std::string, std::string>>& params) {
    core::Problems problems;
    Scheme scheme = Registry::builtin().with_params(name, params, {}, problems);
    problems.raise();
    return scheme;
}

bool embeds(const Scheme& scheme) {
    return scheme.embed.has_value();
}

/// Whether bias, mask and rotation at (q, k) are the same once both positions are moved by `shift`.
bool unchanged(const Scheme& scheme, double q, double k, double shift) {
    const formula::Node bias = scheme::bias_formula(scheme, context());
    const formula::Node mask = scheme::mask_formula(scheme, context());
    const scheme::Point here{.q = q, .k = k};
    const scheme::Point there{.q = q + shift, .k = k + shift};
    if (!close(scheme::at(bias, here), scheme::at(bias, there))) return false;
    if (scheme::at(mask, here) != scheme::at(mask, there)) return false;
    for (const double i : {0.0, 1.0, 7.0, 15.0}) {
        const Turn before = turn(scheme, q, k, i);
        const Turn after = turn(scheme, q + shift, k + shift, i);
        if (!close(before.angle, after.angle) || !close(before.factor, after.factor)) return false;
    }
    return true;
}

bool invariant(const Scheme& scheme) {
    if (embeds(scheme)) return false;
    for (double q = 0; q < 160; q += 7) {
        for (double k = 0; k <= q; k += 5) {
            for (const double shift : {1.0, 13.0, 96.0}) {
                if (!unchanged(scheme, q, k, shift)) return false;
            }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("relative schemes do not change if all positions move by the same distance, and the others do") {
    // Sun et al. 2023, Table 1 for the schemes it lists; blocks of fixed position are the one relative scheme's mask
    // that is not.
    const std::set<std::string> absolute = {"learned-absolute", "sinusoidal", "blockwise", "lex"};
    for (const std::string& name : Registry::builtin().names()) {
        INFO(name);
        CHECK(invariant(*Registry::builtin().find(name)) == !absolute.contains(name));
    }
    // The window of self-extend is longer than the lengths above. Beyond it the groups of positions are fixed.
    CHECK_FALSE(invariant(with("self-extend", {{"window", "20"}})));
}

TEST_CASE("shifted positions have the distances that their sources print") {
    const Scheme& rotary = *Registry::builtin().find("rotary");
    const Scheme string = with("string", {{"shift", "40"}, {"window", "9"}});
    const Scheme same = with("string", {{"shift", "40"}, {"window", "40"}});
    const Scheme rerope = with("rerope", {{"window", "23"}});
    const Scheme grouped = with("self-extend", {{"window", "21"}, {"group", "4"}});
    const Scheme alone = with("self-extend", {{"window", "21"}, {"group", "1"}});
    for (double q = 0; q < 160; q += 7) {
        for (double k = 0; k <= q; k += 3) {
            const double n = q - k;
            for (const double i : {0.0, 3.0, 15.0}) {
                const auto is = [&](const Scheme& scheme, double distance) {
                    CHECK(close(turn(scheme, q, k, i).angle, turn(rotary, distance, 0, i).angle));
                };
                is(string, n >= 40 ? n - 40 + 9 : n);
                is(same, n);
                is(rerope, std::min(n, 23.0));
                is(grouped, n >= 21 ? std::floor(q / 4) - std::floor(k / 4) + 21 - 5 : n);
                is(alone, n);
            }
        }
    }
    // The paper's choice: a third of the training length.
    const auto far = scheme::far_formulas(*Registry::builtin().find("string"), context());
    CHECK(scheme::at(far->where, {.q = 21, .k = 0}) == 1);
    CHECK(scheme::at(far->where, {.q = 20, .k = 0}) == 0);
}

TEST_CASE("a learned or sinusoidal embedding gives other vectors to moved positions") {
    const Scheme& sinusoidal = *Registry::builtin().find("sinusoidal");
    const formula::Node even = scheme::piece_formula(sinusoidal, "even", context());
    CHECK_FALSE(close(scheme::at(even, {.p = 3}), scheme::at(even, {.p = 4})));
}

TEST_CASE("biases of the distance alone are known as such") {
    for (const std::string& name : Registry::builtin().names()) {
        INFO(name);
        const Scheme& scheme = *Registry::builtin().find(name);
        CHECK(scheme::depends_on_distance_only(scheme::bias_formula(scheme, context())));
    }
    CHECK(scheme::depends_on_distance_only(formula::parse("abs(k - q) + (q - k)^2")));
    CHECK(scheme::depends_on_distance_only(formula::parse("2*q - k - k")));
    CHECK(scheme::depends_on_distance_only(formula::parse("q^2 - 2*q*k + k^2")));
    CHECK_FALSE(scheme::depends_on_distance_only(formula::parse("q*(q - k)")));
    CHECK_FALSE(scheme::depends_on_distance_only(formula::parse("2*q - k")));
    // In a sum over q or over n, q - k is not the distance.
    CHECK_FALSE(scheme::depends_on_distance_only(formula::parse("sum(q, 0, 3, q - k)")));
    CHECK_FALSE(scheme::depends_on_distance_only(formula::parse("sum(n, 1, 3, (q - k)*k - n*k)")));
    CHECK(scheme::depends_on_distance_only(formula::parse("sum(i, 1, 3, (q - k)*i)")));
    // log(q - k) has no value at every query and key, but no other positions than n.
    CHECK(scheme::depends_on_distance_only(formula::parse("sum(i, 1, 3, log(q - k)*i)")));
    CHECK_FALSE(scheme::depends_on_distance_only(formula::parse("sum(k, 1, 3, log(q - k))")));
    CHECK_FALSE(scheme::depends_on_distance_only(formula::parse("floor(q/4) - floor(k/4)")));
}

TEST_CASE("q - k and k - q are recognized as the distance, and no other difference is") {
    // As a function of n = q - k alone, the first group has the same value, or none, at all pairs of one distance.
    for (const char* text : {"log(q - k + 1)", "1/(q - k)", "sqrt(k - q)", "log(q - k)*(k - q) + r", "0*log(k - q)"}) {
        INFO(text);
        CHECK(scheme::depends_on_distance_only(formula::parse(text)));
    }
    for (const char* text : {"k - r", "r - k", "q - r", "r - q", "k - 1", "log(k - r) + (q - k)"}) {
        INFO(text);
        CHECK_FALSE(scheme::depends_on_distance_only(formula::parse(text)));
    }
}

TEST_CASE("later keys are visible only with T5's bidirectional bias, and its own key is visible to every query") {
    for (const std::string& name : Registry::builtin().names()) {
        INFO(name);
        const formula::Node mask = scheme::mask_formula(*Registry::builtin().find(name), context());
        const double later = name == "t5-bidirectional" ? 1 : 0;
        for (double q = 0; q < length - 8; q += 9) {
            CHECK(scheme::at(mask, {.q = q, .k = q}) == 1);
            CHECK(scheme::at(mask, {.q = q, .k = q + 1}) == later);
            CHECK(scheme::at(mask, {.q = q, .k = q + 8}) == later);
        }
    }
}

TEST_CASE("within the training length, masks that act beyond it do nothing") {
    Context short_context = context();
    short_context.length = 64;
    for (const std::string name : {"blockwise", "lex"}) {
        const formula::Node mask = scheme::mask_formula(*Registry::builtin().find(name), short_context);
        CHECK(formula::equal(mask, formula::parse("k <= q")));
    }
}

TEST_CASE("xPos without decay is rotary, and its product needs no origin") {
    core::Problems problems;
    const Registry& builtin = Registry::builtin();
    // gamma to infinity makes every scale 1.
    const Scheme flat = builtin.with_params("xpos", {{"gamma", "1e30"}}, {}, problems);
    const Scheme centred = *builtin.find("xpos-torchscale");
    for (const double q : {0.0, 5.0, 200.0}) {
        for (const double k : {0.0, 3.0, 150.0}) {
            const Turn rotary = turn(*builtin.find("rotary"), q, k, 3);
            CHECK(turn(flat, q, k, 3).angle == rotary.angle);
            CHECK(close(turn(flat, q, k, 3).factor, 1));
            CHECK(close(turn(*builtin.find("xpos"), q, k, 3).factor, turn(centred, q, k, 3).factor));
        }
    }
}

TEST_CASE("p-RoPE rotates the fastest pairs as rotary does, all of them at share 1 and none at share 0") {
    core::Problems problems;
    const Registry& builtin = Registry::builtin();
    // 16 pairs: share 0.3 keeps floor(4.8) = 4.
    const std::pair<const char*, int> kept_at[] = {{"0", 0}, {"0.3", 4}, {"0.75", 12}, {"1", 16}};
    for (const auto& [share, kept] : kept_at) {
        const Scheme scheme = builtin.with_params("p-rope", {{"share", share}}, {}, problems);
        for (int i = 0; i < 16; ++i) {
            INFO(share << ", pair " << i);
            const double rotary = turn(*builtin.find("rotary"), 200, 3, i).angle;
            CHECK(turn(scheme, 200, 3, i).angle == (i < kept ? rotary : 0));
        }
    }
    CHECK(problems.empty());
}

TEST_CASE("the three decays of the note are ALiBi at its own slope once rho is large") {
    core::Problems problems;
    const Registry& builtin = Registry::builtin();
    const double alibi = scheme::at(scheme::bias_formula(*builtin.find("alibi"), context()), {.q = 100});
    for (const std::string name : {"alibi-rf-exp", "alibi-rf-gauss", "alibi-rf-reciprocal"}) {
        const Scheme far = builtin.with_params(name, {{"rho", "1e15"}, {"delta", "0"}}, {}, problems);
        CHECK(close(scheme::at(scheme::bias_formula(far, context()), {.q = 100}), alibi));
    }
    CHECK(problems.empty());
}

TEST_CASE("smoothed Sandwich with r1 = 0.825 and r2 = 1 is KERPLE less 0.8, which does not change a softmax") {
    Context eight = context();
    eight.head = 8;
    eight.learned = {{"r1", 0.825}, {"r2", 1.0}};
    const formula::Node smoothed = scheme::bias_formula(*Registry::builtin().find("sandwich-smoothed"), eight);
    const formula::Node kerple = scheme::bias_formula(*Registry::builtin().find("kerple-log"), eight);
    for (const double n : {0.0, 1.0, 50.0, 255.0}) {
        CHECK(close(scheme::at(smoothed, {.q = n}), scheme::at(kerple, {.q = n}) - 0.8));
    }
}

TEST_CASE("a formula that needs the length is refused without one") {
    Context nowhere;
    CHECK_THROWS_AS(scheme::mask_formula(*Registry::builtin().find("lex"), nowhere), core::PreconditionError);
    CHECK_THROWS_AS(scheme::scale_formula(*Registry::builtin().find("xpos-torchscale"), nowhere),
                    core::PreconditionError);
    CHECK_NOTHROW(scheme::scale_formula(*Registry::builtin().find("xpos"), nowhere));
}

TEST_CASE("a learned table is read at whole indices inside it, and is NaN elsewhere") {
    Registry registry = Registry::builtin();
    core::Problems problems;
    Scheme scheme;
    scheme.learn.push_back({.name = "w", .init = 0.5, .size = 5});
    scheme.bias = scheme::Piece{formula::parse("w[n]"), nullptr, {}};
    Context values;
    values.tables.emplace_back("w", std::vector<double>{3, -1, -1, 4, 1e300});
    const formula::Node bias = scheme::bias_formula(scheme, values);
    const std::vector<double> wanted = {3, -1, -1, 4, 1e300};
    for (std::size_t n = 0; n < wanted.size(); ++n) {
        CHECK(scheme::at(bias, {.q = static_cast<double>(n)}) == wanted[n]);
    }
    CHECK(std::isnan(scheme::at(bias, {.q = 5})));
    CHECK(std::isnan(scheme::at(bias, {.q = -1})));
    CHECK(std::isnan(scheme::at(bias, {.q = 1.5})));
    // Without values the table holds its init.
    CHECK(scheme::at(scheme::bias_formula(scheme, {}), {.q = 2}) == 0.5);
}

TEST_CASE("a piece has no effect where its condition fails") {
    Scheme scheme;
    scheme.bias = scheme::Piece{formula::parse("-n"), formula::parse("q > 10"), {}};
    scheme.mask = scheme::Piece{formula::parse("n < 2"), formula::parse("q > 10"), {}};
    const formula::Node bias = scheme::bias_formula(scheme, {});
    const formula::Node mask = scheme::mask_formula(scheme, {});
    CHECK(scheme::at(bias, {.q = 10, .k = 1}) == 0);
    CHECK(scheme::at(bias, {.q = 11, .k = 1}) == -10);
    CHECK(scheme::at(mask, {.q = 10, .k = 1}) == 1);
    CHECK(scheme::at(mask, {.q = 11, .k = 1}) == 0);
    CHECK(scheme::at(mask, {.q = 5, .k = 6}) == 0);
    scheme.causal = false;
    CHECK(scheme::at(scheme::mask_formula(scheme, {}), {.q = 5, .k = 6}) == 1);
}
