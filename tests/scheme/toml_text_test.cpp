#include "scheme/toml_text.hpp"

#include <catch2/catch.hpp>

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/toml.hpp>
#include <string>

using namespace farfield;

namespace {

/// The place as "line:column+length".
std::string text_of(const core::Place& place) {
    return std::to_string(place.line) + ":" + std::to_string(place.column) + "+" + std::to_string(place.length);
}

std::string place_of(const std::string& text, const char* key) {
    return text_of(scheme::read_toml(text, "f.toml").find(key)->value.place);
}

core::Diagnostic problem(const std::string& text) {
    try {
        scheme::read_toml(text, "f.toml");
    } catch (const core::UserError& error) {
        return error.diagnostics().at(0);
    }
    FAIL("the text was read: " << text);
    return {};
}

}  // namespace

TEST_CASE("too_deep finds the first bracket or dot too many, and skips texts and comments") {
    const auto at = [](const std::string& text) { return scheme::too_deep(text, 2, 3); };
    CHECK_FALSE(at("a.b.c = 1"));
    CHECK(at("a.b.c.d = 1") == 5);
    CHECK_FALSE(at("a.b.c = 1.5\nd.e.f = 2.5"));  // '=' and a line's end begin anew
    CHECK_FALSE(at("x = [1.5, 2.5, 3.5, 4.5]"));
    CHECK_FALSE(at("[[[1]]]"));
    CHECK(at("[[[[1]]]]") == 3);
    CHECK(at("[{[{") == 3);
    CHECK_FALSE(at("[[[]]][[[]]]"));
    CHECK_FALSE(at("]]]][[[]]]"));  // a closing bracket without its own counts for nothing
    CHECK(at("]]]][[[[") == 7);
    CHECK_FALSE(at("a = \"[[[[\""));
    CHECK_FALSE(at("a = '[[[['"));
    CHECK(at("a = '[' [[[[") == 11);
    CHECK(at("'' [[[[") == 6);
    CHECK(at("\"\" [[[[") == 6);
    CHECK_FALSE(at("a = \"\\\"[[[[\""));            // an escaped quote ends no text,
    CHECK(at("a = 'x\\' [[[[") == 12);              // but in single quotes nothing is escaped
    CHECK_FALSE(at("a = \"\"\"\n\" [[[[ \"\"\""));  // one quote ends no text of three
    CHECK_FALSE(at("a = '''\n' [[[[ '''"));
    CHECK_FALSE(at("a = \"\"\"\n[[[[\n\"\"\""));
    CHECK(at("a = '' 'x\n[[[[") == 13);  // two texts, not one of three quotes
    CHECK(at("a = '''x''' [[[[") == 15);
    CHECK(at("a = 'unfinished\n[[[[") == 19);  // ends with its line
    CHECK_FALSE(at("a = 'unfinished"));
    CHECK_FALSE(at("a = '''unfinished [[[["));
    CHECK(at("a = '''''' [[[[") == 14);     // an empty text of three quotes
    CHECK_FALSE(at("a = ''''' [[[[ '''"));  // one that starts with two quotes
    CHECK_FALSE(at("# [[[[\n# a.b.c.d"));
    CHECK(at("# [\n[[[[") == 7);
}

TEST_CASE("open_string finds the start of the first text without an end") {
    const auto at = [](const std::string& text) { return scheme::open_string(text); };
    CHECK_FALSE(at("a = \"x\"\nb = 'y'\n"));
    CHECK(at("a = \"x\nb = \"y\"\n") == 4);
    CHECK(at("a = 'x\n") == 4);
    CHECK(at("a = 'x") == 4);
    CHECK(at("a = 'x' # it's\nb = \"y\n") == 19);  // a comment has no texts
    CHECK_FALSE(at("a = \"it's\""));
    CHECK_FALSE(at("a = \"x\\\"y\""));
    CHECK_FALSE(at("a = '''\nx\n'''"));
    CHECK(at("a = '''\nx\n''") == 4);
    CHECK_FALSE(at("# it's"));
    CHECK_FALSE(at(""));
}

TEST_CASE("the limits of nesting are sixteen dots and 64 brackets") {
    const auto brackets = [](int count) {
        return "a = " + std::string(static_cast<std::size_t>(count), '[') +
               std::string(static_cast<std::size_t>(count), ']') + "\n";
    };
    CHECK_NOTHROW(scheme::read_toml(brackets(64), "f.toml"));
    CHECK(problem(brackets(65)).found == "nested too deeply");
    CHECK(text_of(problem(brackets(65)).place) == "1:69+1");
    const auto dots = [](int count) {
        std::string key = "a";
        for (int i = 0; i < count; ++i) key += ".a";
        return key + " = 1\n";
    };
    CHECK_NOTHROW(scheme::read_toml(dots(16), "f.toml"));
    CHECK(problem(dots(17)).found == "nested too deeply");
    CHECK(text_of(problem(dots(17)).place) == "1:34+1");
}

TEST_CASE("offsets and places count characters, not bytes") {
    const scheme::TomlText text("a\xC3\xA9z\r\nbc", "f.toml");
    CHECK(text.offset(1, 1) == 0);
    CHECK(text.offset(1, 3) == 3);
    CHECK(text.offset(1, 2) == 1);
    CHECK(text.offset(2, 2) == 7);
    CHECK(text.offset(2, 1) == 6);
    CHECK(text.offset(1, 3) == 3);
    CHECK(text.offset(2, 9) == 8);  // beyond the line's end
    CHECK(text.offset(0, 1) == 8);  // no such line: the end
    CHECK(text.offset(3, 1) == 8);
    CHECK(text_of(text.place(3, 9)) == "1:4+1");
    CHECK(text_of(text.place(6, 2)) == "2:1+2");
    CHECK(text_of(text.place(8, 5)) == "2:3+1");
    CHECK(text.place(6, 1).excerpt == "bc");
    CHECK(text.place(0, 1).excerpt == "a\xC3\xA9z");
}

TEST_CASE("a line of 4096 bytes is shown, and a longer one is not") {
    const std::string line(4096, 'x');
    CHECK(scheme::TomlText(line, "f").place(0, 1).excerpt == line);
    CHECK(scheme::TomlText(line + "x", "f").place(0, 1).excerpt.empty());
    CHECK(scheme::TomlText(line, "f", false).place(0, 1).excerpt.empty());
}

TEST_CASE("the place of a text is inside its quotes, after the line break that it does not hold") {
    CHECK(place_of("a = 'xyz'\n", "a") == "1:6+3");
    CHECK(place_of("a = ''\n", "a") == "1:6+1");
    CHECK(place_of("a = '' # none\n", "a") == "1:6+1");
    CHECK(place_of("a = '''xyz'''\n", "a") == "1:8+3");
    CHECK(place_of("a = '''\nxyz'''\n", "a") == "2:1+3");
    CHECK(place_of("a = '''\r\nxyz'''\r\n", "a") == "2:1+3");
    // One line break is left out and no more, whatever ends the lines.
    CHECK(place_of("a = '''\r\n\nxyz'''\n", "a") == "2:1+1");
    CHECK(place_of("a = '''\n\nxyz'''\n", "a") == "2:1+1");
    CHECK(place_of("a = 0x1F\n", "a") == "1:5+4");
}

TEST_CASE("a number's text is decimal, whatever base it was written in") {
    const auto number = [](const std::string& written) {
        return scheme::read_toml("a = " + written, "f.toml").find("a")->value.text;
    };
    CHECK(number("0x1F") == "31");
    CHECK(number("0b101") == "5");
    CHECK(number("0o17") == "15");
    CHECK(number("0") == "0");
    CHECK(number("-0") == "-0");
    CHECK(number("+0") == "0");
    CHECK(number("-17") == "-17");
    CHECK(number("0xCAFE_F00D") == "3405705229");
    CHECK(number("-0.25") == "-0.25");
    CHECK(number("0.5e1") == "0.5e1");
    CHECK(number("1_000.5") == "1000.5");
}

TEST_CASE("a message of the parser is divided into the text found, the text wanted and the context") {
    const core::Diagnostic unclosed = problem("[table\n");
    CHECK(unclosed.wanted == "']'");
    CHECK(unclosed.found.starts_with("this is not TOML: the end of the line"));
    CHECK(unclosed.found.find("saw") == std::string::npos);
    CHECK(unclosed.found.find(" (reading table") != std::string::npos);
    CHECK(unclosed.hint.empty());
    CHECK(problem("a = 1 bc\n").place.length == 1);
    // Of two faults the first is reported: an open text before it, but none after it.
    const core::Diagnostic open = problem("a = 1\ntitle = \"A bias\nkind = \"curve\"\n");
    CHECK(open.found == "this string has no closing quote");
    CHECK(open.wanted == "\" at its end, on this line");
    CHECK(open.place.line == 2);
    CHECK(open.place.column == 9);
    CHECK(open.place.length == 7);
    CHECK(problem("a = '''x\ny").wanted == "''' after it");
    CHECK(problem("a = \ntitle = \"A bias\n").place.line == 1);
    CHECK(problem("bias = n\n").hint == "A text needs quotes.");
    CHECK(problem("bias = -n\n").hint == "A text needs quotes.");
    CHECK(problem("bias =n\n").hint == "A text needs quotes.");
    CHECK(problem("bias = truth\n").hint == "A text needs quotes.");
    CHECK(problem("bias = truex\n").hint.empty());
    CHECK(problem("bias = \n").hint.empty());
    CHECK(problem("bias n\n").hint.empty());
    CHECK(problem("bias = 1 n\n").hint.empty());
    CHECK(problem("bias = 1 = n\n").hint == "A text needs quotes.");
}

TEST_CASE("what other languages write is answered by what TOML writes") {
    const std::vector<std::pair<std::string, std::string>> others = {
        {"heads: 8", "A key and its value are joined by '='."},
        {"a = { b: 8 }", "A key and its value are joined by '='."},
        {"heads == 8", "A key and its value are joined by one '='."},
        {"slope = 0,5", "The decimal point is '.'."},
        {"heads = 8;", "A line ends without ';'."},
        {"heads = 8 // of them", "A comment begins with '#'."},
        {"causal = True", "Write true."},
        {"causal = FALSE", "Write false."},
        {"bias = None", "To give no value, leave out the key."},
        {"bias = null", "To give no value, leave out the key."},
        {"bias = nullable", "A text needs quotes."},
        {"slope = .5", "A number begins with a digit: 0.5."},
        {"slope = 5.", "A number ends with a digit: 5.0."},
        {"slope = 1/2", "A formula needs quotes."},
        {"slope = 2 * n", "A formula needs quotes."},
        {"slopes = (1, 2)", "A list is written [1, 2]."},
        {"slopes = [1, 2", ""},
        {"title = 'it's'", "A text that contains a quotation mark needs quotes of the other kind around it."},
        {"title = \"a \"b\"\"", "A text that contains a quotation mark needs quotes of the other kind around it."},
    };
    for (const auto& [text, hint] : others) {
        INFO(text);
        CHECK(problem(text + "\n").hint == hint);
        CHECK(problem(text).hint == hint);
    }
}

TEST_CASE("a string that ends at the opening quote of the next one lacks its own closing quote") {
    const std::string found = "this string, or one before it, has no closing quote";
    for (const std::string text : {"a = { b = \"2, c = \"3\" }", "a = [\"2, \"3\"]", "a = ['2, '3']"}) {
        INFO(text);
        CHECK(problem(text).found == found);
        CHECK(problem(text).place.column == text.find_first_of("'\"") + 1);
    }
    for (const std::string text : {"a = 'it's'", "a = \"2\" 3\"", "a = 2, \"3\"", "a = \"2\"\nb = c\"\""}) {
        INFO(text);
        CHECK(problem(text).found != found);
    }
}
