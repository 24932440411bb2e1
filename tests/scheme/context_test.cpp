#include <catch2/catch.hpp>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <limits>

using namespace farfield;

namespace {

using Given = std::vector<std::pair<std::string, double>>;

/// "key = value: wanted" of each problem.
std::vector<std::string> problems(const Given& given, const char* name = nullptr) {
    scheme::Context context;
    for (const auto& [key, value] : given)
        for (const scheme::ContextKey& each : scheme::context_keys())
            if (each.key == key) context.*each.member = value;
    const auto is_given = [&](std::string_view key) {
        return std::any_of(given.begin(), given.end(), [&](const auto& each) { return each.first == key; });
    };
    const scheme::Registry registry = scheme::Registry::builtin();
    std::vector<std::string> texts;
    for (const auto& each : scheme::check_context(name ? registry.find(name) : nullptr, context, is_given))
        texts.push_back(std::string(each.key) + " = " + each.value + ": " + each.wanted);
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("every value of a context is a whole number from 1") {
    for (const scheme::ContextKey& each : scheme::context_keys()) {
        const std::string key(each.key);
        INFO(key);
        CHECK(problems({{key, 1}}).empty());
        CHECK(problems({{key, 0}}) == Texts{key + " = 0: a whole number, at least 1"});
        CHECK(problems({{key, -3}}) == Texts{key + " = -3: a whole number, at least 1"});
        CHECK(problems({{key, 1.5}}) == Texts{key + " = 1.5: a whole number, at least 1"});
        CHECK(problems({{key, std::numeric_limits<double>::infinity()}}).size() == 1);
        CHECK(problems({{key, std::numeric_limits<double>::quiet_NaN()}}).size() == 1);
    }
}

TEST_CASE("a head and a layer must exist, and a width is a multiple of heads") {
    CHECK(problems({{"head", 8}, {"heads", 8}}).empty());
    CHECK(problems({{"head", 9}, {"heads", 8}}) == Texts{"head = 9: 1 to 8, the value of 'heads'"});
    CHECK(problems({{"layer", 13}, {"layers", 12}}) == Texts{"layer = 13: 1 to 12, the value of 'layers'"});
    CHECK(problems({{"head", 9}}).empty());  // of how many heads is not said
    CHECK(problems({{"width", 64}, {"heads", 3}}) == Texts{"width = 64: a multiple of 'heads', 3"});
    CHECK(problems({{"width", 63}, {"heads", 3}}).empty());
    CHECK(problems({{"width", 7}}).empty());
    CHECK(problems({{"heads", 7}}).empty());
}

TEST_CASE("a scheme that rotates needs an even number of dimensions") {
    CHECK(problems({{"head_dim", 63}}).empty());
    CHECK(problems({{"head_dim", 63}}, "alibi").empty());
    CHECK(problems({{"head_dim", 64}}, "rotary").empty());
    CHECK(problems({{"head_dim", 63}}, "rotary") ==
          Texts{"head_dim = 63: an even width: 'rotary' rotates pairs of dimensions"});
}

namespace {

std::string shown(const formula::Node& node) {
    return formula::print(node);
}

scheme::Scheme read(const std::string& body) {
    scheme::Registry registry;
    core::Problems problems;
    const core::Entries entries = scheme::read_toml("[scheme.m]\n" + body, "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    INFO(core::format(problems.list()));
    REQUIRE(problems.empty());
    return *registry.find("m");
}

}  // namespace

TEST_CASE("all names but positions are substituted, lengths only if they are known") {
    const scheme::Scheme all = read("bias = 'h + 10*H + 100*layer + 1000*R + d*n'\n");
    CHECK(shown(scheme::bias_formula(all, {.head = 2, .heads = 3, .head_dim = 8, .layer = 4, .layers = 5})) ==
          "2 + 10*3 + 100*4 + 1000*5 + 8*(q - k)");
    const scheme::Scheme length = read("bias = 'L*n'\n");
    CHECK(shown(scheme::bias_formula(length, {.length = 1})) == "1*(q - k)");
    CHECK_THROWS_AS(scheme::bias_formula(length, {.train_length = 9}), core::PreconditionError);
    const scheme::Scheme trained = read("bias = 'Ltr*n'\n");
    CHECK(shown(scheme::bias_formula(trained, {.train_length = 1})) == "1*(q - k)");
    CHECK(shown(scheme::bias_formula(trained, {.length = 7})) == "7*(q - k)");
    CHECK(shown(scheme::bias_formula(trained, {.length = 7, .train_length = 5})) == "5*(q - k)");
    CHECK_THROWS_AS(scheme::bias_formula(trained, {}), core::PreconditionError);
}

TEST_CASE("learned names and tables are substituted with the context's values, or with their initial ones") {
    const scheme::Scheme mine = read("learn = { r = { init = 3 }, one = { init = 7, size = 1 } }\nbias = 'r*one[n]'\n");
    const auto at = [&](const scheme::Context& context) { return shown(scheme::bias_formula(mine, context)); };
    CHECK(at({}).find("3*") == 0);
    CHECK(at({}).find(", 7, ") != std::string::npos);
    CHECK(at({.learned = {{"r", 5}}, .tables = {{"one", {9}}}}).find("5*") == 0);
    CHECK(at({.learned = {{"r", 5}}, .tables = {{"one", {9}}}}).find(", 9, ") != std::string::npos);
}

TEST_CASE("the scale counts from the start, the centre or the end") {
    const auto scale = [](const std::string& origin, double length) {
        const scheme::Scheme mine = read("rotate = { angle = 'p', scale = '2^p', origin = '" + origin + "' }\n");
        return shown(scheme::scale_formula(mine, {.length = length}));
    };
    CHECK(scale("start", 0) == "2^p");
    CHECK(scale("centre", 5) == "2^(p - 3)");
    CHECK(scale("centre", 8) == "2^(p - 4)");
    CHECK(scale("end", 8) == "2^(p - 7)");
    CHECK(scale("end", 1) == "2^(p - 0)");
    CHECK_THROWS_AS(scale("end", 0), core::PreconditionError);
}

TEST_CASE("an embedding has the model's width, every other piece that of a head") {
    const scheme::Scheme mine = read("embed = { even = 'd + p', odd = 'd - p' }\nbias = 'd*n'\n");
    const scheme::Context context{.head_dim = 8, .width = 64};
    CHECK(shown(scheme::in_context(mine, *mine.embed->even, context, "0")) == "64 + p");
    CHECK(shown(scheme::in_context(mine, *mine.embed->odd, context, "0")) == "64 - p");
    CHECK(shown(scheme::in_context(mine, *mine.bias, context, "0")) == "8*n");
    const scheme::Scheme odd = read("embed = { odd = 'd - p' }\nbias = 'd*n'\n");
    CHECK(shown(scheme::in_context(odd, *odd.embed->odd, context, "0")) == "64 - p");
    CHECK(shown(scheme::in_context(odd, *odd.bias, context, "0")) == "8*n");
}
