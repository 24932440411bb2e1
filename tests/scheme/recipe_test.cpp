#include <catch2/catch.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/toml.hpp>

#include "schemes_support.hpp"

namespace farfield::scheme {
namespace {

using Catch::Contains;

const Scheme& builtin(const char* name) {
    return *Registry::builtin().find(name);
}

Scheme computed(const char* scheme, const char* recipe, const char* format = "") {
    core::Problems problems;
    Scheme result = with_recipe(builtin(scheme), recipe, format, {}, problems);
    problems.raise();
    return result;
}

TEST_CASE("a recipe rounds frequency, angle and values") {
    const Scheme scheme = computed("rotary", "hf", "bf16");
    CHECK(formula::print(scheme.rotate->angle.formula) == "fp32(p*fp32(10000^(-2*i/d)))");
    CHECK(formula::print(scheme.rotate->values) == "bf16(it)");
    CHECK(formula::print(wave_value(scheme, formula::parse(std::string("cos(x)")))) == "bf16(cos(x))");
    CHECK(scheme.recipe == "hf");
    CHECK(formula::equal(without_recipe(scheme).rotate->angle.formula, builtin("rotary").rotate->angle.formula));
}

TEST_CASE("let names that depend on the position are substituted, others stay") {
    const Scheme scheme = computed("alibi", "all-bf16");
    Context context;
    CHECK(formula::print(formula::simplify(bias_formula(scheme, context))).starts_with("bf16("));
}

TEST_CASE("a recipe rounds each piece by its step, with the let names that depend on positions substituted") {
    const auto written = [](const std::string& lines, const std::string& piece, const std::string& key = "") {
        core::Problems problems;
        Registry registry;
        registry.add(read_toml("[own]\nrecipe = 'all-bf16'\n" + lines, "a.toml"), problems);
        problems.raise();
        const Scheme& own = *registry.find("own");
        if (piece == "bias") return formula::print(own.bias->formula);
        if (piece == "embed") return formula::print(key == "even" ? own.embed->even->formula : own.embed->odd->formula);
        return formula::print(key == "angle" ? own.rotate->angle.formula : own.rotate->scale->formula);
    };
    CHECK(written("bias = 'n'\n", "bias") == "bf16(bf16(q) - bf16(k))");
    CHECK(written("bias = { formula = 'q*k', when = 'L > 8' }\n", "bias") == "bf16(bf16(q)*bf16(k))");
    CHECK(written("bias = 'near*steep'\nlet = { near = 'n + 1', steep = '2^-h' }\n", "bias") ==
          "bf16((bf16(q) - bf16(k) + 1)*2^-h)");
    CHECK(written("bias = 'outer'\nlet = { outer = 'inner/2', inner = 'k - 1' }\n", "bias") == "bf16((bf16(k) - 1)/2)");
    CHECK(written("bias = 3\n", "bias") == "bf16(3)");
    CHECK(written("embed = { even = 'p', odd = 'sin(p)' }\n", "embed", "even") == "bf16(bf16(p))");
    CHECK(written("embed = { even = 'p', odd = 'sin(p)' }\n", "embed", "odd") == "bf16(sin(bf16(p)))");
    // Of an angle f p the frequency f is what is left at p = 1.
    for (const char* angle : {"p*2^-i", "2^-i*p", "p/1*2^-i"}) {
        INFO(angle);
        CHECK(written("rotate = { angle = '" + std::string(angle) + "' }\n", "rotate", "angle") ==
              "bf16(bf16(p)*bf16(2^-i))");
    }
    CHECK(written("rotate = { angle = 'turn*slow', scale = 'wide' }\n"
                  "let = { turn = 'p', slow = '2^-i', wide = 'p + 1' }\n",
                  "rotate", "angle") == "bf16(bf16(p)*bf16(2^-i))");
    CHECK(written("rotate = { angle = 'p', scale = 'wide' }\nlet = { wide = 'p + 1' }\n", "rotate", "scale") ==
          "bf16(bf16(p) + 1)");
    CHECK(written("rotate = { angle = 'p/2^i' }\n", "rotate", "angle") == "bf16(bf16(p)*bf16(1/2^i))");
    CHECK(written("rotate = { angle = 'p', scale = 'p + 1' }\n", "rotate", "scale") == "bf16(bf16(p) + 1)");
    core::Problems problems;
    Registry registry;
    registry.add(read_toml("[own]\nrecipe = 'all-bf16'\nrotate = { angle = 'p^2' }\n", "a.toml"), problems);
    CHECK_THROWS_WITH(problems.raise(), Contains("needs angles that are proportional to positions"));
}

TEST_CASE("a recipe computes far angles at the positions at which they are taken") {
    const Scheme scheme = computed("self-extend", "all-bf16");
    const FarRotation& far = scheme.rotate->far.value();
    CHECK(formula::print(far.query.formula) == "bf16(bf16(floor(p/8) + 1024 - floor(1024/8))*bf16(10000^(-2*i/d)))");
    CHECK(formula::print(far.key->formula) == "bf16(bf16(floor(p/8))*bf16(10000^(-2*i/d)))");
    CHECK(formula::print(computed("rerope", "hf", "bf16").rotate->far->key->formula) == "fp32(0*fp32(10000^(-2*i/d)))");
    // A recurrence begins at the far position.
    Context context;
    context.length = 64;
    const FarFormulas formulas = far_formulas(computed("rerope", "recurrence"), context).value();
    const formula::Node first = formula::substitute(formulas.query, {{"i", formula::make_number("0")}});
    CHECK(formula::print(formula::simplify(first)) == "fp32(512)");
    core::Problems problems;
    Registry registry;
    registry.add(read_toml("[own]\nrecipe = 'all-bf16'\nrotate = { angle = 'p', far = { where = 'n > 8', query = 'p^2' "
                           "} }\n[other]\nrecipe = 'all-bf16'\nrotate = { angle = 'p*2^-i', far = { where = 'n > 8', "
                           "query = 'p' } }\n",
                           "a.toml"),
                 problems);
    CHECK_THROWS_WITH(problems.raise(),
                      Contains("'all-bf16' needs far angles that are a position times the frequency"));
}

TEST_CASE("a recipe or a format that is not a text is reported once") {
    for (const char* lines : {"recipe = 3\n", "recipe = 'hf'\nformat = 3\n"}) {
        core::Problems problems;
        Registry registry;
        registry.add(read_toml("[own]\nrotate = { angle = 'p' }\n" + std::string(lines), "a.toml"), problems);
        INFO(lines);
        CHECK(problems.size() == 1);
    }
}

TEST_CASE("a recurrence goes from pair to pair") {
    Context context;
    context.head_dim = 128;
    const formula::Node angle = angle_formula(computed("rotary", "recurrence"), context);
    const auto at = [&](int pair) {
        return formula::print(
            formula::simplify(formula::substitute(angle, {{"i", formula::make_number(static_cast<double>(pair))}})));
    };
    CHECK(at(0) == "fp32(p)");
    CHECK_THAT(at(2), Contains("*fp32(fp32(0.0001*10000^0.984375)*fp32(p))"));
    // Each pair has the ratio once more than the one before.
    for (int pair = 0; pair < 64; ++pair) {
        const std::string text = at(pair);
        int ratios = 0;
        for (std::size_t from = text.find("10000^"); from != std::string::npos; from = text.find("10000^", from + 1))
            ++ratios;
        CHECK(ratios == pair);
    }
}

TEST_CASE("every recipe fits rotary; one of a ratio does not fit others") {
    for (const std::string& name : recipe_names()) CHECK_NOTHROW(computed("rotary", name.c_str(), "fp16"));
    CHECK_THROWS_WITH(computed("rotary-yarn", "powf"), Contains("frequencies that are powers of one number"));
    CHECK_THROWS_WITH(computed("rotary", "hf"), Contains("without a number format"));
    CHECK_THROWS_WITH(computed("rotary", "hf", "fp12"), Contains("unknown number format 'fp12'"));
    CHECK_THROWS_WITH(computed("nope", "hf", "bf16"), Contains("'nope' computes nothing that it rounds"));
    CHECK_THROWS_WITH(computed("learned-absolute", "hf", "bf16"), Contains("is unused"));
    CHECK_THROWS_WITH(computed("rotary", "pow"), Contains("Did you mean 'powf'?"));
}

TEST_CASE("a format that a recipe does not round to is refused where it is written") {
    CHECK(uses_format("hf"));
    CHECK(!uses_format("all-bf16"));
    CHECK(!uses_format("hff"));
    core::Problems problems;
    Registry registry = Registry::builtin();
    registry.add(read_toml("[own]\nextends = 'rotary'\nrecipe = 'all-bf16'\nformat = 'fp16'\n", "a.toml"), problems);
    REQUIRE(problems.size() == 1);
    CHECK_THROWS_WITH(problems.raise(), Contains("a.toml:4:1: 'format' is unused: no step of recipe 'all-bf16'"));
    // A quantity's own format is not written in the scheme.
    CHECK(computed("rotary", "all-bf16", "fp16").format.empty());
}

}  // namespace
}  // namespace farfield::scheme
