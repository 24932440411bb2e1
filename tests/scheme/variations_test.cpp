// Schemes with many values of their params against reading the scheme again each time.
#include "scheme/variations.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <thread>

#include "scheme/inheritance.hpp"
#include "scheme/reader.hpp"

namespace {

using farfield::core::Problems;
using farfield::scheme::formulas_of;
using farfield::scheme::Registry;
using farfield::scheme::Scheme;
using farfield::scheme::Variations;
using Params = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const farfield::core::Entries& entries) {
    std::string text;
    for (const farfield::core::Entry& each : entries.list) {
        text += each.key + " = " + each.value.text + std::string(each.value.type_name());
        if (const std::string* words = each.value.string()) text += *words;
        if (const auto* table = each.value.entries()) text += "{" + text_of(*table) + "}";
        text += "\n";
    }
    return text;
}

std::string text_of(const Scheme& scheme) {
    std::string text = scheme.name + "\n" + text_of(scheme.settings);
    for (const auto& [param, number] : scheme.params) text += param + "=" + number + "\n";
    for (const auto& [name, formula] : formulas_of(scheme))
        text += name + ": " + farfield::formula::print(formula) + "\n";
    for (const std::string& name : farfield::scheme::names_in_use(scheme)) text += name + " ";
    return text;
}

std::string text_of(const Problems& problems) {
    std::string text;
    for (const auto& each : problems.list()) text += each.found + "|" + each.wanted + "|" + each.hint + "\n";
    return text;
}

Scheme read_again(const Scheme& scheme, const Params& params, Problems& problems) {
    farfield::core::Entries changed;
    for (const auto& [param, text] : params) {
        farfield::core::Value value;
        value.data = std::strtod(text.c_str(), nullptr);
        value.text = text;
        changed.list.push_back({param, {}, std::move(value)});
    }
    farfield::core::Entries own;
    own.list.push_back({"params", {}, {}});
    own.list.back().value.data = changed;
    return farfield::scheme::read_scheme(scheme.name, farfield::scheme::merge(scheme.settings, own), {}, problems);
}

/// Whether numbers could be substituted.
bool check_same(const Registry& schemes, const std::string& name, const Params& params) {
    INFO(name << " " << params.front().first << "=" << params.front().second);
    const Scheme& scheme = *schemes.find(name);
    Problems problems;
    const auto varied = Variations(scheme).with_params(
        params, [](std::string_view) { return farfield::core::Place{}; }, problems);
    if (!varied) return false;
    Problems expected_problems;
    const Scheme expected = read_again(scheme, params, expected_problems);
    CHECK(text_of(problems) == text_of(expected_problems));
    if (expected_problems.empty()) CHECK(text_of(*varied) == text_of(expected));
    return true;
}

}  // namespace

TEST_CASE("substituting numbers into a scheme has the same result as reading it again") {
    const Registry& schemes = Registry::builtin();
    std::size_t count = 0;
    for (const std::string& name : schemes.names()) {
        for (const auto& [param, number] : schemes.find(name)->params) {
            for (const char* value : {"7", "-0.25", "1e-3", "inf", "-inf", "nan", "two"}) {
                count += check_same(schemes, name, {{param, value}}) ? 1 : 0;
                check_same(schemes, name, {{param, "3"}, {param, value}});
            }
        }
    }
    CHECK(count > 100);
    CHECK_FALSE(check_same(schemes, "alibi", {{"no_such", "1"}}));
}

TEST_CASE("a sum over a variable of the name of a param is read again") {
    Registry schemes = Registry::builtin();
    Problems problems;
    const std::string text =
        "[scheme.sums]\n"
        "params = { w = 3, v = 2 }\n"
        "let    = { x = \"w*q + v\" }\n"
        "bias   = \"sum(w, 0, 3, x + w*n)\"\n"
        "[scheme.chosen]\n"
        "params = { w = 3 }\n"
        "recipe = \"fp32\"\n"
        "bias   = \"-w*n\"\n";
    const auto file = farfield::scheme::read_toml(text, "s.toml");
    schemes.add(*file.find("scheme")->value.entries(), problems);
    for (const char* value : {"5", "-5"}) {
        CHECK_FALSE(check_same(schemes, "sums", {{"v", value}}));
        CHECK_FALSE(check_same(schemes, "sums", {{"w", value}}));
        CHECK_FALSE(check_same(schemes, "chosen", {{"w", value}}));
    }
}

TEST_CASE("a registry gives other params to the scheme that a name has now, from several threads too") {
    Registry schemes = Registry::builtin();
    const auto bias_of = [&](const std::string& w) {
        Problems problems;
        return formulas_of(schemes.with_params("mine", {{"w", w}}, {}, problems)).front().formula;
    };
    const auto declare = [&](const std::string& bias) {
        Problems problems;
        const std::string text = "[scheme.mine]\nparams = { w = 3 }\nbias = \"" + bias + "\"\n";
        const auto file = farfield::scheme::read_toml(text, "s.toml");
        schemes.add(*file.find("scheme")->value.entries(), problems);
    };
    declare("-w*n");
    std::vector<std::thread> threads;
    std::vector<std::string> found(4);
    for (std::size_t i = 0; i < found.size(); ++i)
        threads.emplace_back([&, i] { found[i] = farfield::formula::print(bias_of(std::to_string(i + 5))); });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == farfield::formula::print(farfield::formula::parse("-" + std::to_string(i + 5) + "*n")));
    const Registry before = schemes;
    declare("w - n");
    CHECK(farfield::formula::print(bias_of("2")) == "2 - n");
    Problems problems;
    CHECK(farfield::formula::print(
              formulas_of(before.with_params("mine", {{"w", "2"}}, {}, problems)).front().formula) == "-2*n");
}
