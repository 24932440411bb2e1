// Footprints that are computed once: which schemes share one, and that what they share is right.
#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <farfield/model/check.hpp>
#include <farfield/model/footprint.hpp>

#include "model/model_support.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

bool equal(const Footprint& a, const Footprint& b) {
    return a.parameters == b.parameters && a.gradients == b.gradients && a.packed == b.packed &&
           a.activations == b.activations && a.tables == b.tables;
}

/// How many are computed for schemes that are this text with each of the numbers in place of {}.
std::size_t computed(const std::string& toml, const std::vector<const char*>& numbers) {
    Footprints footprints;
    for (const char* number : numbers) {
        const scheme::Registry schemes = registry_with("[scheme.own]\n" + fmt::format(fmt::runtime(toml), number));
        for (const Work work : {Work::step, Work::losses}) {
            INFO(toml << " with " << number);
            const BatchShape shape{2, 300, 1};
            const scheme::Scheme& own = *schemes.find("own");
            CHECK(equal(footprints.of(tiny(), own, work, shape), footprint(tiny(), own, work, shape)));
        }
    }
    CHECK(footprints.computed() % 2 == 0);
    return footprints.computed() / 2;
}

}  // namespace

TEST_CASE("footprints of all built-in schemes computed together equal those computed alone") {
    Config wide = tiny();
    wide.width = 32;
    Config more_heads = tiny();
    more_heads.heads = 4;
    Config deep = tiny();
    deep.layers = 3;
    deep.tied = true;
    Footprints footprints;
    const scheme::Registry& schemes = scheme::Registry::builtin();
    std::size_t asked = 0;
    for (int round = 0; round < 2; ++round) {
        for (const std::string& name : schemes.names()) {
            for (const Config& config : {tiny(), wide, more_heads, deep}) {
                for (const Work work : {Work::step, Work::accumulated_step, Work::losses, Work::input_gradient}) {
                    for (const BatchShape& shape : {BatchShape{8, 12, 1}, BatchShape{8, 12, 3}, BatchShape{1, 70, 1}}) {
                        INFO(name << " of width " << config.width);
                        Footprint alone;
                        try {
                            alone = footprint(config, *schemes.find(name), work, shape);
                        } catch (const core::PreconditionError&) {
                            CHECK_THROWS_AS(footprints.of(config, *schemes.find(name), work, shape),
                                            core::PreconditionError);
                            continue;
                        }
                        CHECK(equal(footprints.of(config, *schemes.find(name), work, shape), alone));
                        ++asked;
                    }
                }
            }
        }
    }
    // The second round computes nothing.
    CHECK(asked > 0);
    CHECK(footprints.computed() <= asked / 2);
}

TEST_CASE("schemes whose formulas differ in numbers alone share a footprint where numbers do not decide it") {
    // A table has a number for each distance or position, whatever the number is.
    CHECK(computed("bias = '-{}*h*n'\n", {"1", "2.5", "0.25", "1e-3"}) == 1);
    CHECK(computed("rotate = {{ angle = 'p*{}^(-2*i/d)' }}\n", {"10", "10000", "5e5"}) == 1);
    CHECK(computed("embed = {{ even = 'sin(p/{})', odd = '0' }}\n", {"10", "100"}) == 1);
    CHECK(computed("temperature = 'log(q + {})'\n", {"2", "3"}) == 1);
    // A mask decides no size beside a bias of the distance.
    CHECK(computed("bias = '-n'\nmask = 'n < {}'\n", {"4", "100", "200"}) == 1);
    // The value that a learned name begins with has no place in a table.
    CHECK(computed("bias = '-s*n'\nlearn = {{ s = {{ init = {} }} }}\n", {"0.1", "0.2", "0.3"}) == 1);
}

TEST_CASE("schemes whose numbers decide a footprint do not share it") {
    // A bias of q and k has numbers for the tiles that the mask shows, which are fewer in a smaller window.
    CHECK(computed("bias = '-q/(1 + k)'\nmask = 'n < {}'\n", {"4", "100", "200"}) == 3);
    // A learned name times 0 has no slope, and no table of gradients.
    CHECK(computed("bias = '-{}*s*n'\nlearn = {{ s = {{ init = 0.1 }} }}\n", {"0", "1"}) == 2);
    // Numbers that are no part of a formula.
    CHECK(computed("rotate = {{ angle = 'p', fraction = {} }}\n", {"0.5", "1"}) == 2);
    CHECK(computed("relative = {{ clip = {} }}\n", {"4", "8"}) == 2);
    CHECK(computed("embed = {{ learned = true, max_length = {} }}\n", {"300", "400"}) == 2);
    CHECK(computed("bias = '-s[floor(n/100)]'\nlearn = {{ s = {{ init = 0.1, size = {} }} }}\n", {"4", "8"}) == 2);
}

TEST_CASE("schemes whose formulas differ in names or operators do not share a footprint") {
    Footprints footprints;
    const auto tables = [&](const std::string& bias) {
        const scheme::Registry schemes = registry_with("[scheme.own]\nbias = '" + bias + "'\n");
        return footprints.of(tiny(), *schemes.find("own"), Work::losses, {1, 100, 1}).tables;
    };
    const std::size_t one = tables("-2*n");
    // A table each for two heads and two layers, beside the factor of the logits by query and the mask's 6 tiles.
    const std::size_t rest = 100 * sizeof(float) + 6 * 20;
    CHECK(tables("-h*n") - rest == 2 * (one - rest));
    CHECK(tables("-layer*h*n") - rest == 4 * (one - rest));
    CHECK(tables("2 - n") == one);
    CHECK(footprints.computed() == 4);
}
