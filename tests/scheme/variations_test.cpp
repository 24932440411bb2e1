// Schemes with many values of their params against Registry::with_params, which reads the scheme again each time.
#include "scheme/variations.hpp"

#include <catch2/catch.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/toml.hpp>

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

void check_same(const Registry& schemes, const std::string& name, const Params& params) {
    INFO(name << " " << params.front().first << "=" << params.front().second);
    Problems problems;
    Problems expected_problems;
    const Scheme varied = Variations(schemes, name).with_params(params, {}, problems);
    const Scheme expected = schemes.with_params(name, params, {}, expected_problems);
    CHECK(text_of(problems) == text_of(expected_problems));
    if (expected_problems.empty()) CHECK(text_of(varied) == text_of(expected));
}

}  // namespace

TEST_CASE("substituting numbers into a scheme has the same result as reading it again") {
    const Registry& schemes = Registry::builtin();
    std::size_t count = 0;
    for (const std::string& name : schemes.names()) {
        for (const auto& [param, number] : schemes.find(name)->params) {
            for (const char* value : {"7", "-0.25", "1e-3", "inf", "-inf", "nan", "two"}) {
                check_same(schemes, name, {{param, value}});
                check_same(schemes, name, {{param, "3"}, {param, value}});
                ++count;
            }
        }
    }
    CHECK(count > 100);
    check_same(schemes, "alibi", {{"no_such", "1"}});
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
        check_same(schemes, "sums", {{"v", value}});
        check_same(schemes, "sums", {{"w", value}});
        check_same(schemes, "chosen", {{"w", value}});
    }
}
