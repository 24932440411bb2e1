#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>

#include "formula/form.hpp"
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

bool is_order(formula::Op op) {
    return op == formula::Op::less || op == formula::Op::less_equal || op == formula::Op::greater ||
           op == formula::Op::greater_equal;
}

template <class Kind>
void check_facts(const Kind& kind) {
    std::string page = text_of(root() / "docs/quantities" / (std::string(kind.name) + ".md"));
    if (page.find("(curve.md)") != std::string::npos) page += text_of(root() / "docs/quantities/curve.md");
    for (const std::string_view facts : kind.facts)
        for (const formula::Node& fact : formula::read_facts(facts)) {
            INFO(kind.name << ": " << formula::print(fact));
            const bool is_of_rows = fact->children[0]->kind == formula::Kind::index;
            REQUIRE((is_of_rows || fact->children[0]->kind == formula::Kind::name));
            const formula::Node whole = formula::make(formula::Op::floor, {fact->children[0]});
            CHECK((is_order(fact->op) || fact->op == formula::Op::differs ||
                   (fact->op == formula::Op::equals && formula::equal(fact->children[1], whole))));
            for (const std::string& field : formula::free_names(is_of_rows ? fact->children[1] : fact))
                CHECK((page.find("`" + field + "`") != std::string::npos ||
                       page.find("`" + field + "[") != std::string::npos));
        }
}

TEST_CASE("the statements of a kind about its fields compare fields that its page names") {
    for (const Kind& kind : kinds()) check_facts(kind);
    for (const measure::Kind& kind : measure::kinds()) check_facts(kind);
    CHECK(find_kind("curve")->facts.size() == 2);
}

/// A number as results.json holds it; nothing for null and for texts such as "inf".
std::optional<double> number_in(const nlohmann::json& values, const std::string& field) {
    const auto found = values.find(field);
    return found != values.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

/// The comparisons of facts, made of a quantity's values on record; how many there were.
std::size_t compare_facts(const std::vector<std::string_view>& kind_facts, const nlohmann::json& values) {
    std::size_t compared = 0;
    for (const std::string_view facts : kind_facts)
        for (const formula::Node& fact : formula::read_facts(facts))
            for (const auto& [field, value] : values.items()) {  // rows are not on record
                const std::size_t bracket = std::min(field.find('['), field.size());
                if (field.substr(0, bracket) != fact->children[0]->text) continue;
                const formula::Node& side = fact->children[1];
                const auto left = number_in(values, field);
                if (!left) continue;
                const bool is_whole = fact->op == formula::Op::equals;
                const auto right = side->kind == formula::Kind::name
                                       ? number_in(values, side->text + field.substr(bracket))
                                   : is_whole ? std::optional(std::floor(*left))
                                              : std::optional(evaluate::reference(side, {}));
                if (!right) continue;
                INFO(formula::print(fact) << " of " << field << ": " << *left << " and " << *right);
                ++compared;
                if (!is_order(fact->op)) {
                    CHECK((*left == *right) == is_whole);
                    continue;
                }
                // Sums of shares and means of seeds may be above a bound by their roundings.
                const double room = fact->op == formula::Op::less || fact->op == formula::Op::less_equal
                                        ? *right - *left
                                        : *left - *right;
                CHECK(room >= -1e-14 * std::max(std::fabs(*left), std::fabs(*right)));
            }
    return compared;
}

TEST_CASE("the statements of a kind about its fields hold for all results on record") {
    std::size_t compared = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root() / "results")) {
        if (file.path().filename() != "results.json") continue;
        const nlohmann::json results = nlohmann::json::parse(text_of(file.path()));
        const nlohmann::json quantities = results.value("quantities", nlohmann::json::object());
        for (const auto& [name, quantity] : quantities.items()) {
            INFO(file.path() << ": " << name);
            if (!quantity.contains("values")) continue;
            const std::string kind = quantity.at("kind");
            const nlohmann::json& values = quantity.at("values");
            if (const Kind* own = find_kind(kind)) compared += compare_facts(own->facts, values);
            if (const measure::Kind* own = measure::find_kind(kind)) compared += compare_facts(own->facts, values);
        }
    }
    CHECK(compared > 10'000);
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
