#include <farfield/core/diagnostic.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace farfield::core;

namespace {

Place place(const std::string& file, std::size_t line, std::size_t column) {
    return {file, line, column, 1, ""};
}

std::string shown(const std::string& line, std::size_t column, std::size_t length) {
    return format(Diagnostic{{"f.toml", 3, column, length, line}, "found", "", ""});
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a problem is shown with its place, its line and a caret under the offending text") {
    CHECK(
        format(Diagnostic{{"f.toml", 14, 10, 2, "bias = \"2*hh\""}, "unknown name 'hh'", "a name", "known here: h."}) ==
        "f.toml:14:10: unknown name 'hh'; expected a name\n"
        "   bias = \"2*hh\"\n"
        "            ^~\n"
        "   known here: h.");
    CHECK(format(Diagnostic{{}, "found", "", ""}) == "found");
    CHECK(format(Diagnostic{{}, "found", "wanted", ""}) == "found; expected wanted");
    CHECK(format(Diagnostic{{"f.toml", 0, 0, 1, ""}, "found", "", "hint"}) == "f.toml: found\n   hint");
    CHECK(format(Diagnostic{{"", 1, 2, 1, ""}, "found", "", ""}) == "1:2: found");
}

TEST_CASE("the caret is under its character, whatever precedes it") {
    CHECK(shown("abc", 1, 3) == "f.toml:3:1: found\n   abc\n   ^~~");
    CHECK(shown("abc", 3, 9) == "f.toml:3:3: found\n   abc\n     ^");   // no longer than the line
    CHECK(shown("abc", 4, 1) == "f.toml:3:4: found\n   abc\n      ^");  // behind its end
    CHECK(shown("abc", 2, 0) == "f.toml:3:2: found\n   abc\n    ^");
    CHECK(shown("a\tb", 3, 1) == "f.toml:3:3: found\n   a\tb\n    \t^");
    CHECK(shown("\xC3\xA9x", 3, 1) == "f.toml:3:3: found\n   \xC3\xA9x\n    ^");
    CHECK(shown("x\xC3\x97y", 2, 2) == "f.toml:3:2: found\n   x\xC3\x97y\n    ^");  // one character of two bytes
    CHECK(shown("x\xC3\x97y", 2, 3) == "f.toml:3:2: found\n   x\xC3\x97y\n    ^~");
    // Indentation is left out, up to the place.
    CHECK(shown("    ab", 6, 1) == "f.toml:3:6: found\n   ab\n    ^");
    CHECK(shown("    ab", 2, 1) == "f.toml:3:2: found\n      ab\n   ^");
    CHECK(shown("   ", 2, 1) == "f.toml:3:2: found\n      \n    ^");
    CHECK(shown("a\x1b[m\x7fz", 1, 1) == "f.toml:3:1: found\n   a?[m?z\n   ^");
}

TEST_CASE("a long line is cut around its place") {
    const std::string line = std::string(400, 'a') + "X" + std::string(400, 'b');
    // 160 characters from 80 before the column on.
    CHECK(shown(line, 401, 1) == "f.toml:3:401: found\n   " + std::string(79, 'a') + "X" + std::string(80, 'b') +
                                     "\n   " + std::string(79, ' ') + "^");
    CHECK(shown(line, 80, 1) ==
          "f.toml:3:80: found\n   " + std::string(160, 'a') + "\n   " + std::string(79, ' ') + "^");
    CHECK(shown(line, 60, 1) ==
          "f.toml:3:60: found\n   " + std::string(160, 'a') + "\n   " + std::string(59, ' ') + "^");
    for (const std::size_t column : {std::size_t{120}, std::size_t{200}})
        CHECK(shown(line, column, 1) == "f.toml:3:" + std::to_string(column) + ": found\n   " + std::string(160, 'a') +
                                            "\n   " + std::string(79, ' ') + "^");
    const std::string just(160, 'a');
    CHECK(shown(just, 160, 1) == "f.toml:3:160: found\n   " + just + "\n   " + std::string(159, ' ') + "^");
    // No cut within a character of two bytes.
    std::string accents;
    for (int i = 0; i < 200; ++i) accents += "\xC3\xA9";
    const std::string text = shown(accents, 201, 2);
    const std::string cut = text.substr(text.find("\n   ") + 4);
    CHECK(cut.starts_with("\xC3\xA9"));
    CHECK(cut.substr(0, cut.find('\n')).ends_with("\xC3\xA9"));
    CHECK(shown(accents, 81, 2).find("\n   \xC3\xA9") != std::string::npos);
}

TEST_CASE("problems are counted, kept once, and at most fifty of them") {
    const Diagnostic one{{}, "one", "", ""};
    CHECK(format(std::vector{one}) == "one\n1 problem.");
    CHECK(format(std::vector{one, one}) == "one\none\n2 problems.");
    CHECK(format(std::vector{one}, 1) == "one\nand 1 more\n2 problems.");
    CHECK(format(std::vector{one}, 2) == "one\nand 2 more\n3 problems.");
    Problems problems;
    problems.raise();
    problems.add(place("f", 1, 1), "one");
    problems.add(place("f", 1, 1), "one", "another wish");
    CHECK(problems.size() == 1);
    CHECK(problems.reports() == 2);
    problems.add(place("f", 1, 2), "one");
    problems.add(place("f", 2, 1), "one");
    problems.add(place("g", 1, 1), "one");
    problems.add(place("f", 1, 1), "two");
    CHECK(problems.size() == 5);
    CHECK_THROWS_AS(problems.raise(), UserError);
    for (std::size_t i = 0; i < 46; ++i) {
        CHECK_FALSE(problems.is_full());
        problems.add(place("h", i + 1, 1), "more");
        if (problems.size() >= Problems::most_kept) break;
    }
    CHECK(problems.is_full());
    problems.add(place("h", 99, 1), "beyond");
    CHECK(problems.list().size() == 50);
    CHECK(problems.size() == 51);
    Problems others;
    others.add(UserError({one}, 3));
    CHECK(others.size() == 4);
    CHECK(others.reports() == 4);
}

TEST_CASE("the problems of another list are added once, and counted beyond fifty") {
    Problems first;
    for (std::size_t i = 0; i < 60; ++i) first.add(place("f", i + 1, 1), "one");
    Problems second;
    for (std::size_t i = 55; i < 120; ++i) second.add(place("f", i + 1, 1), "one");
    second.add(UserError({Diagnostic{{}, "last", "", ""}}, 3));
    first.add(second);
    CHECK(first.size() == 120 + 1 + 3);
    CHECK(first.list().size() == 50);
    CHECK(first.list().back().place.line == 50);
    Problems none;
    none.add(second);
    CHECK(none.size() == second.size());
    CHECK(none.list().front().place.line == 56);
}

TEST_CASE("the nearest name is at most a third of the name away, and a swap is one edit") {
    const auto near = [](const char* name, const Names& known) { return suggestion(name, known); };
    CHECK(near("bias", {"bais"}) == "Did you mean 'bais'?");
    CHECK(near("hh", {"h", "H"}) == "Did you mean 'h'?");
    CHECK(near("a", {"b"}) == "Did you mean 'b'?");
    CHECK(near("ab", {"cd"}) == "");
    CHECK(near("ab", {"xa"}) == "");  // half of a swap is none
    CHECK(near("ab", {"bx"}) == "");
    CHECK(near("abc", {"abd"}) == "Did you mean 'abd'?");
    CHECK(near("abc", {"acb"}) == "Did you mean 'acb'?");  // a swap
    CHECK(near("abc", {"cba"}) == "");
    CHECK(near("window", {"windwo"}) == "Did you mean 'windwo'?");
    CHECK(near("window", {"wondiw"}) == "Did you mean 'wondiw'?");  // two edits of six
    CHECK(near("window", {"xxndiw"}) == "");
    CHECK(near("receptive", {"recepti", "receptiv", "reception"}) == "Did you mean 'receptiv'?");
    CHECK(near("receptive", {"eceptiv"}) == "Did you mean 'eceptiv'?");
    CHECK(near("abcdef", {"badcef"}) == "Did you mean 'badcef'?");
    CHECK(near("", {"a"}) == "Did you mean 'a'?");
    CHECK(near("x", {}) == "");
    // Longer names than 64 characters are not compared.
    const std::string most(64, 'a');
    CHECK(suggestion(most, {most}) == "Did you mean '" + most + "'?");
    CHECK(suggestion(most + "a", {most}).empty());
    CHECK(suggestion(most, {most + "a"}).empty());
}

TEST_CASE("known names are listed up to twelve") {
    CHECK(known_here("x", {}) == "");
    CHECK(known_here("zz", {"a", "b"}) == "known here: a, b");
    CHECK(known_here("aa", {"a", "b"}) == "known here: a, b. Did you mean 'a'?");
    Names many;
    for (char name = 'a'; name <= 'l'; ++name) many.emplace_back(3, name);
    CHECK(known_here("zzz", many) == "known here: aaa, bbb, ccc, ddd, eee, fff, ggg, hhh, iii, jjj, kkk, lll");
    many.emplace_back("mmm");
    CHECK(known_here("zzz", many) == "known here: aaa, bbb, ccc, ddd, eee, fff, ggg, hhh, iii, jjj, kkk, lll, ...");
    CHECK(known_here("mmn", many).ends_with("lll, ... Did you mean 'mmm'?"));
}
