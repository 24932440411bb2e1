#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/toml.hpp>
#include <filesystem>

#include "support/folder.hpp"

using namespace farfield;

namespace {

core::Entries read(const std::string& text) {
    return scheme::read_toml(text, "mine.toml");
}

const core::Value& value(const core::Entries& entries, std::string_view key) {
    const core::Entry* entry = entries.find(key);
    REQUIRE(entry != nullptr);
    return entry->value;
}

core::Diagnostic only_problem(const std::string& text) {
    try {
        read(text);
    } catch (const core::UserError& error) {
        REQUIRE(error.diagnostics().size() == 1);
        return error.diagnostics().front();
    }
    FAIL("the text was read: " << text);
    return {};
}

/// What the file shows at a place: the characters that the caret and its wave stand under.
std::string shown(const core::Place& place) {
    REQUIRE(place.known());
    return place.excerpt.substr(place.column - 1, place.length);
}

}  // namespace

TEST_CASE("keys keep the order in which they were written") {
    const core::Entries entries = read("z = 1\na = 2\n[m]\n[b]\nx = 1\n[a1]\n");
    std::vector<std::string> keys;
    for (const core::Entry& entry : entries.list) keys.push_back(entry.key);
    CHECK(keys == std::vector<std::string>{"z", "a", "m", "b", "a1"});
}

TEST_CASE("numbers keep their own decimal text") {
    const core::Entries entries = read(
        "a = 0.40\nb = 1e4\nc = -3\nd = +1_000\ne = 0xff\nf = inf\ng = -nan\nh = 0.1\ni = -1.5E-3 # why\n"
        "list = [0.10, 2 ]\n");
    CHECK(value(entries, "a").text == "0.40");
    CHECK(value(entries, "b").text == "1e4");
    CHECK(value(entries, "c").text == "-3");
    CHECK(value(entries, "d").text == "1000");
    CHECK(value(entries, "e").text == "255");
    CHECK(value(entries, "f").text == "inf");
    CHECK(value(entries, "g").text == "-nan");
    CHECK(std::isnan(value(entries, "g").number()));
    CHECK(value(entries, "i").text == "-1.5E-3");
    CHECK(value(entries, "d").number() == 1000);
    CHECK(std::holds_alternative<long long>(value(entries, "c").data));
    CHECK(std::holds_alternative<double>(value(entries, "b").data));
    CHECK((*value(entries, "list").list())[0].text == "0.10");
    CHECK((*value(entries, "list").list())[1].text == "2");
}

TEST_CASE("a string's place is that of its first character, inside whatever quotes") {
    const core::Entries entries = read(
        "a = \"n < w\"\n"
        "  b = 'q - k'\n"
        "c = \"\"\"\nlong\nlines\"\"\"\n"
        "d = '''on one line'''\n"
        "e = \"\"\n"
        "\"\xC3\xA9t\xC3\xA9\" = \"\xC3\xA9\"\r\n"
        "t = { f = \"x\", g = 2.50 }\n");
    const core::Place a = value(entries, "a").place;
    CHECK(a.file == "mine.toml");
    CHECK(a.line == 1);
    CHECK(a.column == 6);
    CHECK(a.excerpt == "a = \"n < w\"");
    CHECK(shown(a) == "n < w");
    CHECK(shown(value(entries, "b").place) == "q - k");
    CHECK(value(entries, "b").place.line == 2);
    CHECK(shown(value(entries, "c").place) == "long");
    CHECK(value(entries, "c").place.line == 4);
    CHECK(*value(entries, "c").string() == "long\nlines");
    CHECK(shown(value(entries, "d").place) == "on one line");
    CHECK(value(entries, "e").place.column == 6);
    CHECK(shown(value(entries, "\xC3\xA9t\xC3\xA9").place) == "\xC3\xA9");
    const core::Entries& table = *value(entries, "t").entries();
    CHECK(shown(value(table, "f").place) == "x");
    CHECK(shown(value(table, "g").place) == "2.50");
    CHECK(shown(table.find("g")->key_place) == "g");
}

TEST_CASE("keys have places of their own, also in headers and dotted keys") {
    const core::Entries entries = read("[scheme.alibi]\nbias = \"n\"\nrotate.angle = \"p\"\n");
    const core::Entries& schemes = *value(entries, "scheme").entries();
    const core::Entry* alibi = schemes.find("alibi");
    REQUIRE(alibi != nullptr);
    CHECK(shown(alibi->key_place) == "alibi");
    CHECK(shown(alibi->value.entries()->find("rotate")->key_place) == "rotate");
    CHECK(shown(entries.find("scheme")->key_place) == "scheme");
}

TEST_CASE("a syntax error is one problem with its place") {
    const core::Diagnostic problem = only_problem("a = 1\nbias = n < w\n");
    CHECK(problem.place.line == 2);
    CHECK(problem.place.excerpt == "bias = n < w");
    CHECK(problem.found.find("not TOML") != std::string::npos);
    CHECK(problem.hint == "A text needs quotes.");
    CHECK(only_problem("a = 1\na = 2\n").place.line == 2);
    CHECK(only_problem("[table\n").wanted == "']'");
    CHECK(only_problem("[a]\n[b]\n[a]\n").place.line == 3);
    CHECK(only_problem("a = \"unfinished\n").place.line == 1);
    CHECK(only_problem("a = 2020-01-01\n").hint == "Put it in quotes.");
    CHECK(only_problem("a = \"\xFF\"\n").place.known());
    CHECK(only_problem("a = 99999999999999999999\n").place.line == 1);
}

TEST_CASE("nesting is bounded before the parser recurses") {
    std::string dots = "a";
    for (int i = 0; i < 100000; ++i) dots += ".a";
    CHECK(only_problem(dots + " = 1\n").found == "nested too deeply");
    CHECK(only_problem("[" + dots + "]\n").found == "nested too deeply");
    CHECK(only_problem("a = " + std::string(100000, '[')).found == "nested too deeply");
    CHECK_NOTHROW(read("doc = '" + dots + "'\n# " + dots + "\nlist = [0.1, 0.2]\n"));
}

TEST_CASE("a byte order mark and Windows line ends change no place") {
    const core::Entries entries = read(
        "\xEF\xBB\xBF"
        "a = 1\r\nb = \"x\"\r\n");
    CHECK(shown(entries.find("a")->key_place) == "a");
    CHECK(value(entries, "b").place.excerpt == "b = \"x\"");
    CHECK(shown(value(entries, "b").place) == "x");
}

TEST_CASE("files that cannot be read are input errors and are named") {
    const tests::Folder folder;
    CHECK_THROWS_AS(scheme::read_toml_file(folder.path()), core::UserError);
    CHECK_THROWS_AS(scheme::read_toml_file(folder.path("none.toml")), core::UserError);
    const std::string good = folder.path("good.toml");
    folder.write("good.toml", "a = 1\n");
    CHECK(scheme::read_toml_file(good).find("a")->value.place.file == good);
    const std::string huge = folder.path("huge.toml");
    folder.write("huge.toml", "a = 1\n");
    std::filesystem::resize_file(huge, (std::uintmax_t{64} << 20) + 1);
    CHECK_THROWS_AS(scheme::read_toml_file(huge), core::UserError);
}
