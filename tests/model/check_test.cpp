// Numbers of a scheme that a model of floats cannot hold. e^88 = 1.65e38 is a float, e^89 = 4.49e38 is not: the
// largest is 3.403e38.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/model/check.hpp>

#include "model/model_support.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

scheme::Scheme scheme_of(const std::string& toml) {
    return *registry_with("[scheme.own]\n" + toml + "\n").find("own");
}

Config shape() {
    Config config = tiny();
    config.layers = 3;
    config.heads = 4;
    return config;
}

/// "piece: found" of what is refused; empty if nothing is.
std::string refused(const std::string& toml, std::size_t length, Formulas formulas = Formulas::all) {
    try {
        check_scheme(shape(), scheme_of(toml), length, formulas);
    } catch (const PieceError& error) {
        return error.piece() + ": " + error.value();
    }
    return "";
}

}  // namespace

TEST_CASE("a number that is not a float is refused with its piece, head, layer and position") {
    struct Case {
        const char* scheme;
        const char* found;
    };
    const Case cases[] = {
        {"bias = 'exp(n)'", "bias: 4.48961e+38 at head 1, layer 1, distance 89"},
        {"bias = '-exp(n)'", "bias: -4.48961e+38 at head 1, layer 1, distance 89"},
        {"bias = 'if(h == 3 and layer == 2, exp(n), 0)'", "bias: 4.48961e+38 at head 3, layer 2, distance 89"},
        {"bias = 'if(k == 3, exp(q), 0)'", "bias: 4.48961e+38 at head 1, layer 1, distance 86 of query 89"},
        {"bias = 'sqrt(50 - n)'", "bias: nan at head 1, layer 1, distance 51"},
        {"bias = '1/(n - 7)'", "bias: inf at head 1, layer 1, distance 7"},
        {"temperature = '1/(q - 50)'", "temperature: inf at head 1, layer 1, query 50"},
        {"temperature = 'log(q)'", "temperature: -inf at head 1, layer 1, query 0"},
        {"temperature = 'if(h == 2, exp(q), 1)'", "temperature: 4.48961e+38 at head 2, layer 1, query 89"},
        {"rotate = { angle = 'p', scale = 'exp(-p)' }",
         "rotate.scale: 2.22736e-39 at head 1, layer 1, position 89, pair 0"},
        {"rotate = { angle = 'p', scale = 'exp(p)' }",
         "rotate.scale: 4.48961e+38 at head 1, layer 1, position 89, pair 0"},
        {"rotate = { angle = 'p', scale = 'i' }", "rotate.scale: 0 at head 1, layer 1, position 0, pair 0"},
        {"rotate = { angle = 'if(layer == 3, i/p, 0)' }", "rotate.angle: nan at head 1, layer 3, position 0, pair 0"},
        {"embed = { even = 'sqrt(60 - p)', odd = '0' }", "embed.even: nan at position 61, pair 0"},
        {"embed = { even = '0', odd = 'if(i == 1, exp(p), 0)' }", "embed.odd: 4.48961e+38 at position 89, pair 1"},
    };
    for (const Case& each : cases) {
        INFO(each.scheme);
        CHECK(refused(each.scheme, 200) == each.found);
    }
}

TEST_CASE("values that no query uses are not checked") {
    CHECK(refused("bias = 'exp(n)'", 89).empty());
    CHECK(refused("bias = 'exp(n)'\nmask = 'n < 89'", 200).empty());
    CHECK(refused("bias = 'exp(n)'\nmask = 'n < 90'", 200) == "bias: 4.48961e+38 at head 1, layer 1, distance 89");
    CHECK(refused("bias = 'if(n > 5, -inf, -n)'", 200).empty());
    CHECK(refused("temperature = '1/(q - 50)'", 50).empty());
    CHECK(refused("temperature = 'log(q)'\nmask = 'n > 0'", 50).empty());
    CHECK(refused("temperature = 'log(q)'\nmask = 'if(h == 3, n >= 0, n > 0)'", 50) ==
          "temperature: -inf at head 1, layer 1, query 0");
    CHECK(refused("rotate = { angle = 'p', scale = 'exp(-p)' }", 88).empty());
    CHECK(refused("rotate = { angle = 'p', scale = 'exp(-88.5)' }", 1).empty());  // its inverse is 2.72e38
}

TEST_CASE("before training, formulas of learned names are computed where they start, or left out") {
    const std::string scheme = "learn = { a = { init = 0.5, positive = true } }\nbias = 'log(a*(40 - n))'";
    CHECK(refused(scheme, 40).empty());
    CHECK(refused(scheme, 60) == "bias: nan at head 1, layer 1, distance 41");
    CHECK(refused(scheme, 60, Formulas::fixed).empty());
    CHECK(refused(scheme + "\ntemperature = 'sqrt(50 - q)'", 60, Formulas::fixed) ==
          "temperature: nan at head 1, layer 1, query 51");
}

TEST_CASE("a condition on a learned name cannot be trained") {
    CHECK(refused("learn = { r = { init = 4 } }\nmask = 'n < r'", 8) == "mask: a condition on the learned name 'r'");
    CHECK(refused("learn = { r = { init = 4 } }\nbias = { formula = '-r*n', when = 'n < r' }", 8) ==
          "bias.when: a condition on the learned name 'r'");
    CHECK(refused("learn = { r = { init = 4 } }\nrotate = { angle = 'p', far = { where = 'n > r', query = 'p' } }",
                  8) == "rotate.far.where: a condition on the learned name 'r'");
}

TEST_CASE("a second rotation is refused by its piece, and together with relative vectors") {
    const std::string far = "rotate = { angle = 'p', far = { where = 'n > 2', query = '1/(p - 3)' } }";
    CHECK(refused(far, 8) == "rotate.far.query: inf at head 1, layer 1, position 3, pair 0");
    const std::string key = "rotate = { angle = 'p', far = { where = 'n > 2', query = 'p', key = '1/(p - 3)' } }";
    CHECK(refused(key, 8) == "rotate.far.key: inf at head 1, layer 1, position 3, pair 0");
    const std::string both =
        "rotate = { angle = 'p', far = { where = 'n > 2', query = 'p' } }\nrelative = { clip = 4 }";
    CHECK(refused(both, 8) == "rotate.far: a second rotation beside relative vectors");
}

TEST_CASE("a model of doubles accepts numbers that a model of floats refuses") {
    Model<double> model(shape(), scheme_of("bias = 'exp(n)'"), 1);
    Workspace<double> workspace;
    const std::vector<Token> tokens = some_tokens(100, shape().vocabulary);
    const std::vector<double> logits = model.attention(tokens, 1, 1, Attention::logits, workspace);
    // Beside a bias of 10^42 the product of query and key is below its rounding.
    CHECK(logits[99 * 100] == Approx(std::exp(99.0)).epsilon(1e-15));
    Model<float> floats(shape(), scheme_of("bias = 'exp(n)'"), 1);
    Workspace<float> small;
    for (int time = 0; time < 2; ++time) {
        // The second time as the first: what was refused is not kept.
        CHECK_THROWS_AS(floats.attention(tokens, 1, 1, Attention::logits, small), PieceError);
    }
}
