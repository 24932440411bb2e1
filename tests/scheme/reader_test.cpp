#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "scheme/vocabulary.hpp"

using namespace farfield;

namespace {

/// Adds the schemes of a file of the user to the built-in ones.
scheme::Registry with(const std::string& text, core::Problems& problems) {
    scheme::Registry registry = scheme::Registry::builtin();
    const core::Entries entries = scheme::read_toml(text, "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    return registry;
}

scheme::Scheme good(const std::string& text, const std::string& name) {
    core::Problems problems;
    const scheme::Registry registry = with(text, problems);
    INFO(core::format(problems.list()));
    REQUIRE(problems.empty());
    REQUIRE(registry.find(name) != nullptr);
    return *registry.find(name);
}

std::vector<core::Diagnostic> bad(const std::string& text) {
    core::Problems problems;
    with(text, problems);
    return problems.list();
}

core::Diagnostic only(const std::string& text) {
    const std::vector<core::Diagnostic> list = bad(text);
    INFO(core::format(list));
    REQUIRE(list.size() == 1);
    return list.front();
}

std::string shown(const core::Place& place) {
    REQUIRE(place.known());
    return place.excerpt.substr(place.column - 1, place.length);
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the params of a scheme are substituted in its formula as written") {
    const scheme::Scheme mine = good("[scheme.mine]\ndoc = 'd'\nparams = { a = 0.10 }\nbias = '-a * n'\n", "mine");
    CHECK(mine.doc == "d");
    CHECK(mine.params == std::vector<std::pair<std::string, std::string>>{{"a", "0.10"}});
    REQUIRE(mine.bias.has_value());
    CHECK(formula::equal(mine.bias->formula, formula::parse("-0.10 * n")));
    CHECK(mine.bias->when == nullptr);
    CHECK(mine.causal);
    CHECK_FALSE(mine.bias_scaled);
}

TEST_CASE("every piece is read") {
    const scheme::Scheme all = good(
        "[scheme.all]\n"
        "learn = { w = { size = 8, init = 0.5, per = ['layer', 'head'] }, r = { init = 1, positive = true } }\n"
        "embed = { even = 'sin(p)', odd = { formula = 'cos(p)', when = 'L > 8' } }\n"
        "rotate = { angle = 'p*i', scale = '2^p', origin = 'centre', pairs = 'halves', fraction = 0.5 }\n"
        "bias = { formula = 'w[n] - r', when = 'L > Ltr' }\n"
        "bias_scaled = true\n"
        "mask = 'n < 4'\n"
        "causal = false\n"
        "temperature = 'log(q + 2)'\n"
        "relative = { clip = 8, values = false }\n",
        "all");
    REQUIRE(all.learn.size() == 2);
    CHECK(all.learn[0].size == 8);
    CHECK(all.learn[0].init == 0.5);
    CHECK(all.learn[0].per_head);
    CHECK(all.learn[0].per_layer);
    CHECK(all.learn[1].positive);
    CHECK_FALSE(all.learn[1].per_head);
    REQUIRE(all.embed.has_value());
    CHECK(formula::equal(all.embed->odd->when, formula::parse("L > 8")));
    REQUIRE(all.rotate.has_value());
    CHECK(all.rotate->origin == scheme::Origin::centre);
    CHECK(all.rotate->pairs == scheme::Pairs::halves);
    CHECK(all.rotate->fraction == 0.5);
    CHECK(formula::equal(all.bias->formula, formula::parse("w[n] - r")));
    CHECK(formula::equal(all.bias->when, formula::parse("L > Ltr")));
    CHECK(all.bias_scaled);
    CHECK_FALSE(all.causal);
    CHECK(all.temperature.has_value());
    CHECK(all.relative->clip == 8);
    CHECK(all.relative->keys);
    CHECK_FALSE(all.relative->values);
}

TEST_CASE("let names may use each other in any order, and params") {
    const scheme::Scheme mine = good(
        "[scheme.mine]\nparams = { c = 2 }\nlet = { a = 'b + c', b = 'c*n', near = 'n < c' }\n"
        "bias = 'near ? a : 0'\n",
        "mine");
    CHECK(formula::equal(mine.bias->formula, formula::parse("n < 2 ? 2*n + 2 : 0")));
}

TEST_CASE("a number may replace a formula, and negative params keep their meaning under a power") {
    CHECK(formula::equal(good("[scheme.m]\nbias = -0.50\n", "m").bias->formula, formula::parse("-0.50")));
    const scheme::Scheme mine = good("[scheme.m]\nparams = { a = -2 }\nbias = 'a^2 * n'\n", "m");
    CHECK(formula::equal(mine.bias->formula, formula::parse("(-2)^2 * n")));
}

TEST_CASE("extends takes the other scheme's keys and merges names one by one, in any order of the file") {
    const std::string text =
        "[scheme.c]\nextends = 'b'\nparams = { y = 30 }\n"
        "[scheme.b]\nextends = 'a'\nmask = 'n < x'\nparams = { y = 20 }\n"
        "[scheme.a]\nparams = { x = 1, y = 2 }\nbias = '-x*n - y'\n";
    const scheme::Scheme c = good(text, "c");
    CHECK(formula::equal(c.bias->formula, formula::parse("-1*n - 30")));
    CHECK(formula::equal(c.mask->formula, formula::parse("n < 1")));
    CHECK(c.settings.find("extends") == nullptr);
    const scheme::Scheme own = good("[scheme.alibi]\nextends = 'alibi'\nparams = { delta = 3 }\n", "alibi");
    CHECK(own.params.front() == std::pair<std::string, std::string>{"delta", "3"});
}

TEST_CASE("a param may become a learned name by extending") {
    const scheme::Scheme mine = good(
        "[scheme.a]\nparams = { r = 2 }\nbias = '-r*n'\n"
        "[scheme.b]\nextends = 'a'\nlearn = { r = { init = 2, positive = true } }\n",
        "b");
    CHECK(mine.params.empty());
    CHECK(formula::equal(mine.bias->formula, formula::parse("-r*n")));
}

TEST_CASE("circles of extends and of let are reported with the chain") {
    const core::Diagnostic extends =
        bad("[scheme.a]\nextends = 'b'\n[scheme.b]\nextends = 'c'\n[scheme.c]\nextends = 'a'\n").front();
    CHECK(mentions(extends.found, "a -> b -> c -> a"));
    CHECK(extends.place.line == 6);
    CHECK(mentions(only("[scheme.a]\nextends = 'a'\n").found, "a -> a"));
    const core::Diagnostic let = only("[scheme.a]\nlet = { u = 'v + 1', v = 'u' }\nbias = 'u'\n");
    CHECK(mentions(let.found, "u -> v -> u"));
}

TEST_CASE("problems have their place in the user's file, and all are collected") {
    const std::vector<core::Diagnostic> list =
        bad("[scheme.one]\nbias = '-2^(-8*hh/H) * n'\nmask = 'n'\n"
            "[scheme.two]\nbias = \"p + 1\"\nroate = { angle = 'p' }\n"
            "[scheme.three]\nextends = 'alibbi'\n"
            "[scheme.four]\nbias = '(n'\nrotate = { scale = 'p' }\n");
    const auto at = [&](std::size_t line) {
        return *std::find_if(list.begin(), list.end(), [&](const auto& d) { return d.place.line == line; });
    };
    CHECK(list.size() == 7);
    CHECK(shown(at(2).place) == "hh");
    CHECK(mentions(at(2).hint, "Did you mean 'h'?"));
    CHECK(mentions(at(3).wanted, "condition"));
    CHECK(shown(at(5).place) == "p");
    CHECK(mentions(at(6).hint, "Did you mean 'rotate'?"));
    CHECK(mentions(at(8).hint, "Did you mean 'alibi'?"));
    CHECK(at(10).place.file == "mine.toml");
    CHECK(mentions(at(11).found, "angle"));
}

TEST_CASE("each piece accepts its own variables") {
    CHECK(shown(only("[scheme.m]\nrotate = { angle = 'q*i' }\n").place) == "q");
    CHECK(shown(only("[scheme.m]\nembed = { even = 'h' }\n").place) == "h");
    CHECK(shown(only("[scheme.m]\ntemperature = 'k'\n").place) == "k");
    CHECK(shown(only("[scheme.m]\nmask = { formula = 'n < 3', when = 'p > 1' }\n").place) == "p");
    const core::Diagnostic through_let = only("[scheme.m]\nlet = { a = 'p + 1' }\nbias = 'a'\n");
    CHECK(mentions(through_let.found, "'a' uses 'p'"));
}

TEST_CASE("names of a scheme must be free and usable") {
    CHECK(mentions(only("[scheme.m]\nparams = { n = 1 }\n").found, "a variable"));
    CHECK(mentions(only("[scheme.m]\nparams = { pi = 1 }\n").found, "a constant"));
    CHECK(mentions(only("[scheme.m]\nlet = { sum = '1' }\n").found, "a function"));
    CHECK(mentions(only("[scheme.m]\nparams = { \"a-b\" = 1 }\n").found, "cannot be used"));
    CHECK(mentions(only("[scheme.m]\nparams = { a = 1 }\nlet = { a = '2' }\n").found, "twice"));
    CHECK(mentions(only("[scheme.m]\nparams = { a = 'n' }\nbias = 'a'\n").hint, "let"));
    CHECK_FALSE(bad("[scheme.m]\nparams = { a = nan }\n").empty());
}

TEST_CASE("values outside their range are reported") {
    CHECK(bad("[scheme.m]\nlearn = { r = { init = 0, positive = true } }\n").size() == 1);
    CHECK(bad("[scheme.m]\nlearn = { r = { per = 'heads' } }\n").size() == 1);
    CHECK(bad("[scheme.m]\nlearn = { r = { size = 0 } }\n").size() == 1);
    CHECK(bad("[scheme.m]\nlearn = { r = 1 }\n").size() == 1);
    CHECK(bad("[scheme.m]\nembed = { learned = true }\n").size() == 1);
    CHECK(bad("[scheme.m]\nembed = { learned = true, max_length = 8, even = '1' }\n").size() == 1);
    CHECK(bad("[scheme.m]\nrotate = { angle = 'p', scale = '2', origin = 'center' }\n").size() == 1);
    CHECK(bad("[scheme.m]\nrotate = { angle = 'p', fraction = 1.5 }\n").size() == 1);
    CHECK(bad("[scheme.m]\nrelative = { clip = 0 }\n").size() == 1);
    CHECK(bad("[scheme.m]\nrelative = { clip = 1048576 }\n").empty());
    CHECK(bad("[scheme.m]\nrelative = { clip = 1048577 }\n").size() == 1);
    CHECK(bad("[scheme.m]\nlearn = { r = { size = 1048576 } }\nbias = 'r[n]'\n").empty());
    CHECK(bad("[scheme.m]\nlearn = { r = { size = 1048577 } }\nbias = 'r[n]'\n").size() == 1);
    CHECK(mentions(only("[scheme.m]\nbias = { when = 'n < 3' }\n").found, "formula"));
    CHECK(bad("[scheme]\nm = 1\n").size() == 1);
    CHECK(bad("[scheme.m]\nextends = 1\n").size() >= 1);
    CHECK(bad("[scheme.m]\nextends = 'alibi'\nparams = 3\n").size() >= 1);
}

TEST_CASE("let names that double a formula again and again are refused, not followed") {
    std::string text = "[scheme.m]\nbias = 'a60'\n[scheme.m.let]\na0 = 'n'\n";
    for (int i = 1; i <= 60; ++i) {
        const std::string before = "a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + " = '" + before + " + " + before + "'\n";
    }
    CHECK(mentions(bad(text).front().found, "too large"));
}

TEST_CASE("params can be replaced by name, and only existing ones") {
    core::Problems problems;
    const scheme::Registry& builtin = scheme::Registry::builtin();
    const scheme::Scheme windowed = builtin.with_params("windowed", {{"w", "80"}}, {}, problems);
    CHECK(problems.empty());
    CHECK(formula::equal(windowed.mask->formula, formula::parse("n < 80")));
    builtin.with_params("windowed", {{"ww", "80"}}, {}, problems);
    builtin.with_params("windowed", {{"w", "eighty"}}, {}, problems);
    builtin.with_params("window", {{"w", "80"}}, {}, problems);
    REQUIRE(problems.size() == 3);
    CHECK(mentions(problems.list()[0].hint, "Did you mean 'w'?"));
    CHECK(mentions(problems.list()[1].found, "eighty"));
    CHECK(mentions(problems.list()[2].hint, "Did you mean 'windowed'?"));
}

TEST_CASE("a user's scheme overrides the built-in one of its name alone") {
    CHECK(formula::equal(good("[scheme.alibi]\nbias = '-n'\n", "alibi").bias->formula, formula::parse("-n")));
    CHECK_FALSE(formula::equal(good("[scheme.mine]\nbias = '-n'\n", "alibi").bias->formula, formula::parse("-n")));
}

TEST_CASE("means describes params and learned names, and nothing else") {
    const scheme::Scheme mine = good(
        "[scheme.base]\nparams = { a = 1, b = 2 }\nmeans = { a = 'first', b = 'second' }\nbias = 'a*n + b'\n"
        "[scheme.mine]\nextends = 'base'\nlearn = { b = { init = 1 } }\nmeans = { b = 'learned now' }\n",
        "mine");
    const core::Entries& means = *mine.settings.find("means")->value.entries();
    CHECK(*means.find("a")->value.string() == "first");
    CHECK(*means.find("b")->value.string() == "learned now");
    const core::Diagnostic unknown = only("[scheme.mine]\nparams = { w = 1 }\nmeans = { ww = 'x' }\nbias = 'w'\n");
    CHECK(shown(unknown.place) == "ww");
    CHECK(mentions(unknown.hint, "Did you mean 'w'?"));
    CHECK(mentions(only("[scheme.mine]\nparams = { w = 1 }\nmeans = { w = 3 }\nbias = 'w'\n").found, "'w' is"));
}

TEST_CASE("params must meet the conditions that a scheme requires") {
    const std::string base =
        "[scheme.base]\nparams = { a = 1, b = 2, far = inf }\nbias = 'a*n + b + exp(-far)'\n"
        "require = { a = 'a >= 1', b = 'b > a and b != 3', far = 'far > 0' }\n";
    CHECK(good(base, "base").params.size() == 3);
    const auto mine = [&](const std::string& own) { return base + "[scheme.mine]\nextends = 'base'\n" + own; };
    CHECK(good(mine("params = { a = 1.5 }\n"), "mine").params.size() == 3);
    const core::Diagnostic low = only(mine("params = { a = 0 }\n"));
    CHECK(low.found == "the param 'a' of scheme 'mine' is 0");
    CHECK(low.wanted == "a >= 1");
    CHECK(shown(low.place) == "0");
    CHECK(only(mine("params = { b = 3 }\n")).wanted == "b > a and b != 3");
    CHECK(only(mine("params = { far = -inf }\n")).wanted == "far > 0");
    CHECK(only(mine("params = { far = 0e5 }\n")).wanted == "far > 0");
    CHECK(good(mine("params = { far = 1e-320 }\n"), "mine").params.size() == 3);
    // inf, and numbers beyond those of exact arithmetic, are above all others.
    CHECK(good(mine("params = { a = 1e-300, b = 1e300 }\nrequire = { a = 'a > 0', far = 'far > b' }\n"), "mine")
              .params.size() == 3);
    // A condition is replaced under its name.
    CHECK(good(mine("params = { a = 0 }\nrequire = { a = 'a >= 0' }\n"), "mine").params.size() == 3);
    CHECK(good(mine("learn = { b = { init = 4 } }\n"), "mine").params.size() == 2);
    CHECK(good(mine("let = { b = 'q' }\n"), "mine").params.size() == 2);  // not decided
    // The catalogue's schemes require what their formulas assume, with values from elsewhere too.
    for (const char* w : {"0", "-3", "0.5", "-inf"}) {
        INFO(w);
        const std::string lines = "[scheme.mine]\nextends = 'windowed'\nparams = { w = " + std::string(w) + " }\n";
        CHECK(only(lines).wanted == "w >= 1");
    }
    const scheme::Registry& known = scheme::Registry::builtin();
    core::Problems problems;
    CHECK(known.with_params("rotary-yarn", {{"factor", "2"}}, {}, problems).params.size() == 6);
    CHECK(problems.empty());
    known.with_params("rotary-yarn", {{"factor", "-2"}}, {}, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.list()[0].found == "the param 'factor' of scheme 'rotary-yarn' is -2");
    CHECK(problems.list()[0].wanted == "factor > 0");
}

TEST_CASE("a requirement applies to the learned number or the let name that replaces a param") {
    const std::string base =
        "[scheme.base]\nparams = { w = 2 }\nbias = '-n/w'\nrequire = { w = 'w > 0' }\n[scheme.mine]\nextends = "
        "'base'\n";
    CHECK(only(base + "learn = { w = { init = -1 } }\n").found == "the learned 'w' of scheme 'mine' is -1");
    CHECK(only(base + "learn = { w = {} }\n").wanted == "w > 0");
    CHECK(only(base + "let = { w = '1 - v', v = '2' }\n").found == "the let name 'w' of scheme 'mine' is 1 - v");
    // It depends on the head, so it is not decided.
    CHECK(bad(base + "let = { w = '2^h - 3' }\n").empty());
    CHECK(bad(base + "learn = { w = { init = 3 } }\n").empty());
}

TEST_CASE("a learned value is a double") {
    const auto of = [](const std::string& init) {
        return only("[scheme.mine]\nbias = '-r*n'\nlearn = { r = { init = " + init + " } }\n").found;
    };
    CHECK(of("9007199254740993") == "9007199254740993 has more digits than a double holds");  // 2^53 + 1
    CHECK(of("0.12345678901234567890") == "0.12345678901234567890 has more digits than a double holds");
    CHECK(of("1e-420") == "1e-420 is too small for a double");
}

TEST_CASE("a requirement of a scheme is a condition on its params that can be decided exactly") {
    const auto of = [](const std::string& require) {
        return only("[scheme.mine]\nparams = { w = 2 }\nbias = 'w*n'\nrequire = { " + require + " }\n");
    };
    CHECK(of("v = 'w > 1'").found == "'v' is not a param, a learned number or a let name");
    CHECK(of("w = 3").found == "'w' is an integer");
    CHECK(of("w = 'w - 1'").found == "the formula is a number");
    CHECK(of("w = 'w > d'").found == "unknown name 'd'");
    CHECK(of("w = 'exp(w) > 1'").found == "the condition cannot be decided exactly for w = 2");
    CHECK(of("w = 'w >= w'").found == "'w >= w' compares an expression with itself");
    CHECK(of("w = 'w > 1 or w <= 1'").found == "'w > 1 or w <= 1' is true whatever the params are");
    CHECK(of("w = '2 > 1'").found == "the condition does not depend on 'w'");
    CHECK(of("w = 'w > 2'").found == "the param 'w' of scheme 'mine' is 2");
    CHECK(shown(of("w = 'w >'").place).empty() == false);
}

TEST_CASE("every name that a scheme declares must affect one of its formulas") {
    const core::Diagnostic misspelled = only("[scheme.mine]\nextends = 'rotary'\nparams = { bse = 500000 }\n");
    CHECK(misspelled.found == "unknown parameter 'bse' of scheme 'rotary'");
    CHECK(shown(misspelled.place) == "bse");
    CHECK(mentions(misspelled.hint, "Did you mean 'base'?"));
    // A parameter of the extended scheme may be declared again, to give it another default.
    CHECK(formula::equal(good("[scheme.mine]\nextends = 'windowed'\nparams = { w = 3 }\n", "mine").mask->formula,
                         formula::parse("n < 3")));
    // A new one may be used by what the scheme changes, directly or through let names.
    good("[scheme.mine]\nextends = 'rotary'\nparams = { s = 2 }\nrotate = { angle = 'p*base^(-2*i/d)/s' }\n", "mine");
    good("[scheme.mine]\nparams = { s = 2 }\nlet = { b = 'a*n', a = 's + 1' }\nbias = '-b'\n", "mine");
    // What the extended scheme declares is its own, even where the change leaves it unused.
    good("[scheme.mine]\nextends = 'alibi'\nbias = '-n'\n", "mine");
    CHECK(only("[scheme.mine]\nextends = 'alibi'\nbias = '-n'\nparams = { delta = 1 }\n").found ==
          "the parameter 'delta' of scheme 'mine' is unused");
    CHECK(bad("[scheme.mine]\nlet = { b = 'a*n', a = '2' }\nbias = '-n'\n").size() == 2);
    CHECK(only("[scheme.mine]\nlearn = { w = { init = 1.0 } }\nbias = '-n'\n").found ==
          "the learned name 'w' of scheme 'mine' is unused");
    CHECK(mentions(only("[scheme.mine]\nparams = { printed = 2 }\nbias = '-n'\n").found, "function of claims"));
    core::Problems problems;
    scheme::Registry registry = with("[scheme.mine]\nextends = 'alibi'\nbias = '-n'\n", problems);
    registry.with_params("mine", {{"delta", "1"}}, {}, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.list()[0].found == "the parameter 'delta' of scheme 'mine' is unused");
}

TEST_CASE("a learned name starts from 0 by default") {
    CHECK(good("[scheme.m]\nlearn = { r = {} }\nbias = 'r*n'\n", "m").learn.front().init == 0);
    CHECK(good("[scheme.m]\nlearn = { r = { init = -1.5 } }\nbias = 'r*n'\n", "m").learn.front().init == -1.5);
}

TEST_CASE("decimals are written with a digit or a point first") {
    const auto text = [](const char* decimal) {
        const formula::Node node = scheme::literal(decimal);
        return node ? formula::print(node) : "none";
    };
    CHECK(text("12.5") == "12.5");
    CHECK(text(".5") == ".5");
    CHECK(text("-3") == "-3");
    CHECK(text("-inf") == "-inf");
    for (const char* other : {"", "-", "a", "x.5", "n", "--3", "1+2", "pi", "e.5"}) {
        INFO(other);
        CHECK(text(other) == "none");
    }
}

TEST_CASE("a second rotation has a condition on q and k, and its own angles") {
    const scheme::Scheme mine = good(
        "[scheme.mine]\n"
        "params = { s = 8, w = 2 }\n"
        "let = { theta = '10^(-2*i/d)', gap = 'q - k' }\n"
        "rotate = { angle = 'p*theta', far = { where = 'gap >= s and n > w', "
        "query = '(p - s + w)*theta', key = { formula = 'p', when = 'L > Ltr' } } }\n"
        "[scheme.plain]\n"
        "rotate = { angle = 'p*i', far = { where = 'n >= 3', query = 'p' } }\n"
        "[scheme.heir]\n"
        "extends = 'mine'\n"
        "params = { s = 16 }\n",
        "mine");
    REQUIRE(mine.rotate.has_value());
    REQUIRE(mine.rotate->far.has_value());
    const scheme::FarRotation& far = *mine.rotate->far;
    CHECK(formula::print(far.where.formula) == "q - k >= 8 and n > 2");
    CHECK(formula::print(far.query.formula) == "(p - 8 + 2)*10^(-2*i/d)");
    REQUIRE(far.key.has_value());
    CHECK(formula::print(far.key->when) == "L > Ltr");
    CHECK(shown(far.where.source.at) == "gap >= s and n > w");
    std::vector<std::string> names;
    for (const scheme::NamedFormula& each : scheme::formulas_of(mine)) names.push_back(each.name);
    CHECK(names == std::vector<std::string>{"rotate.angle", "rotate.far.where", "rotate.far.query", "rotate.far.key",
                                            "rotate.far.key.when"});
    CHECK(scheme::names_in_use(mine) == std::vector<std::string>{"theta", "gap", "s", "w"});
}

TEST_CASE("a second rotation is inherited, its params are set, and its key has the rotation's angle by default") {
    const std::string text =
        "[scheme.mine]\n"
        "params = { s = 8 }\n"
        "rotate = { angle = 'p*i', far = { where = 'n >= s', query = 'p - s' } }\n"
        "[scheme.heir]\n"
        "extends = 'mine'\n"
        "params = { s = 16 }\n";
    scheme::Context context;
    context.head_dim = 4;
    const auto far = scheme::far_formulas(good(text, "heir"), context);
    REQUIRE(far.has_value());
    CHECK(formula::print(far->where) == "q - k >= 16");
    CHECK(formula::print(far->query) == "p - 16");
    CHECK(formula::print(far->key) == "p*i");
    core::Problems problems;
    const scheme::Registry registry = with(text, problems);
    const scheme::Scheme changed = registry.with_params("mine", {{"s", "3"}}, {}, problems);
    REQUIRE(problems.empty());
    CHECK(formula::print(scheme::far_formulas(changed, context)->where) == "q - k >= 3");
    CHECK_FALSE(scheme::far_formulas(good("[scheme.a]\nrotate = { angle = 'p' }\n", "a"), context).has_value());
}

TEST_CASE("a second rotation is refused where one angle for each position is assumed") {
    const scheme::Scheme mine =
        good("[scheme.mine]\nrotate = { angle = 'p', far = { where = 'n >= 3', query = 'p - 3' } }\n", "mine");
    CHECK_THROWS_WITH(scheme::angle_formula(mine, {}), Catch::Contains("'mine' has 'rotate.far'"));
    CHECK(formula::print(scheme::near_angle_formula(mine, {})) == "p");
    REQUIRE(scheme::far_problem(mine, "x does").has_value());
    CHECK(scheme::far_problem(mine, "x does")->found == "scheme 'mine' has 'rotate.far', which x does not support");
    CHECK_FALSE(scheme::far_problem(*scheme::Registry::builtin().find("rotary"), "x does").has_value());
}

TEST_CASE("wrong parts of a second rotation are reported") {
    const auto far = [](const std::string& parts) {
        return only("[scheme.mine]\nlet = { at = 'p + 1' }\nrotate = { angle = 'p', far = " + parts + " }\n");
    };
    CHECK(far("{ where = 'n >= 3' }").found == "the key 'query' is missing");
    CHECK(far("{ query = 'p' }").found == "the key 'where' is missing");
    CHECK(far("{ where = 'n >= 3', query = 'p', keys = 'p' }").found == "unknown key 'keys'");
    CHECK(far("{ where = 'n', query = 'p' }").found == "the formula is a number");
    CHECK(far("{ where = 'n >= 3', query = 'n' }").found == "unknown name 'n'");
    CHECK(far("{ where = 'n >= p', query = 'p' }").found == "unknown name 'p'");
    CHECK(far("{ where = 'n >= at', query = 'p' }").found == "let 'at' uses 'p', which rotate.far.where does not have");
    CHECK(far("'n >= 3'").found == "'far' is a text");
}
