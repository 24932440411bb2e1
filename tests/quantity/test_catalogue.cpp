#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>

#include "quantity/root.hpp"

namespace farfield::quantity {
namespace {

std::string with(std::string name, char old, char fresh) {
    for (char& letter : name)
        if (letter == old) letter = fresh;
    return name;
}

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

TEST_CASE("every kind has a source, a test and a page that names its keys") {
    for (const Kind& kind : kinds()) {
        const std::string name(kind.name);
        const std::string file = with(name, '-', '_');
        INFO("kind " << name);
        CHECK(std::filesystem::exists(root() / "src/quantity" / (file + ".cpp")));
        CHECK(std::filesystem::exists(root() / "tests/quantity" / ("test_" + file + ".cpp")));
        const std::string page = text_of(root() / "docs/quantities" / (name + ".md"));
        CHECK(page.find("# " + name) == 0);
        for (const core::Key& key : kind.keys) {
            INFO("key " << key.name);
            CHECK(page.find("`" + std::string(key.name) + "`") != std::string::npos);
        }
    }
}

/// The comparisons that `and` joins.
std::vector<formula::Node> parts_of(const formula::Node& facts) {
    if (facts->op != formula::Op::logical_and) return {facts};
    std::vector<formula::Node> parts = parts_of(facts->children[0]);
    parts.push_back(facts->children[1]);
    return parts;
}

template <class Kind>
void check_facts(const Kind& kind) {
    std::string page = text_of(root() / "docs/quantities" / (std::string(kind.name) + ".md"));
    if (page.find("(curve.md)") != std::string::npos) page += text_of(root() / "docs/quantities/curve.md");
    for (const std::string_view facts : kind.facts)
        for (const formula::Node& fact : parts_of(formula::parse(std::string(facts)))) {
            INFO(kind.name << ": " << formula::print(fact));
            CHECK((fact->op == formula::Op::less || fact->op == formula::Op::less_equal ||
                   fact->op == formula::Op::greater || fact->op == formula::Op::greater_equal));
            CHECK(fact->children[0]->kind == formula::Kind::name);
            for (const std::string& field : formula::free_names(fact))
                CHECK((page.find("`" + field + "`") != std::string::npos ||
                       page.find("`" + field + "[") != std::string::npos));
        }
}

TEST_CASE("what a kind states of its fields are comparisons of fields that its page names") {
    for (const Kind& kind : kinds()) check_facts(kind);
    for (const measure::Kind& kind : measure::kinds()) check_facts(kind);
    CHECK(find_kind("curve")->facts.size() == 1);
}

TEST_CASE("every file of a kind is in the catalogue") {
    for (const auto& page : std::filesystem::directory_iterator(root() / "docs/quantities")) {
        INFO(page.path());
        const std::string name = page.path().stem().string();
        const bool is_known = find_kind(name) || measure::find_kind(name) || name == "README";
        CHECK(is_known);
    }
}

TEST_CASE("kinds have distinct names, a summary and keys with a meaning") {
    std::set<std::string_view> names;
    for (const Kind& kind : kinds()) {
        INFO("kind " << kind.name);
        CHECK(names.insert(kind.name).second);
        CHECK(find_kind(kind.name) == &kind);
        CHECK_FALSE(kind.summary.empty());
        CHECK(kind.prepare);
        for (const core::Key& key : kind.keys) CHECK_FALSE(key.meaning.empty());
    }
    CHECK(find_kind("no such kind") == nullptr);
}

}  // namespace
}  // namespace farfield::quantity
