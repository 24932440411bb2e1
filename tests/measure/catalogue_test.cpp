#include <catch2/catch.hpp>
#include <farfield/measure/kind.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace farfield;

TEST_CASE("every kind that is measured has a page that names its keys") {
    std::set<std::string_view> names;
    for (const measure::Kind& kind : measure::kinds()) {
        INFO("kind " << kind.name);
        CHECK(names.insert(kind.name).second);
        CHECK(measure::find_kind(kind.name) == &kind);
        CHECK_FALSE(kind.summary.empty());
        const std::filesystem::path page =
            std::filesystem::path(FARFIELD_SOURCE) / "docs/quantities" / (std::string(kind.name) + ".md");
        std::ostringstream text;
        text << std::ifstream(page).rdbuf();
        CHECK(text.str().find("# " + std::string(kind.name)) == 0);
        for (const core::Key& key : kind.keys) {
            INFO("key " << key.name);
            CHECK_FALSE(key.meaning.empty());
            CHECK(text.str().find("`" + std::string(key.name) + "`") != std::string::npos);
        }
    }
    CHECK(measure::find_kind("curve") == nullptr);
}
