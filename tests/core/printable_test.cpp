#include <catch2/catch.hpp>
#include <farfield/core/printable.hpp>
#include <string>
#include <string_view>

using namespace farfield;

TEST_CASE("control characters of a terminal are escaped, and all others stay") {
    CHECK(core::printable("a\x1b[31mb\x07\r\x7f") == "a\\x1b[31mb\\x07\\x0d\\x7f");
    CHECK(core::printable("one\n\ttwo") == "one\n\ttwo");
    CHECK(core::printable_line("one\n\ttwo") == "one\\n\\ttwo");
    // U+009B is the control sequence introducer of eight-bit terminals, U+202E turns the direction of writing.
    CHECK(core::printable("\u009b2J") == "\\u{9b}2J");
    CHECK(core::printable("\u202egnp.exe") == "\\u{202e}gnp.exe");
    CHECK(core::printable("\x9b\xff") == "\\x9b\\xff");
    CHECK(core::printable("Rényi, 位置, 𝛼 – 5 %") == "Rényi, 位置, 𝛼 – 5 %");
    CHECK(core::printable(std::string("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("blanks of any width cannot be seen") {
    for (const char* text : {"", " ", "\t\n", "\u00a0", "\u200b", "\u3000", "\ufeff", "\u202e", "\x07"}) {
        INFO(core::printable_line(text));
        CHECK(core::is_blank(text));
        CHECK_FALSE(core::is_blank(std::string(text) + "a"));
        CHECK(core::is_visible(std::string(text) + "a") == std::string(text).empty());
    }
    for (const char* text : {"a", "é", "位", "𝛼", "–", "\xff"}) CHECK(core::is_visible(text));
}

TEST_CASE("characters have the lengths of RFC 3629, and other bytes have none") {
    CHECK(core::character_length("a") == 1);
    CHECK(core::character_length("é") == 2);
    CHECK(core::character_length("位") == 3);
    CHECK(core::character_length("𝛼") == 4);
    CHECK(core::character_length("\xc0\x80") == 0);      // overlong
    CHECK(core::character_length("\xed\xa0\x80") == 0);  // a surrogate
    CHECK(core::character_length("\xe4\xbd") == 0);      // cut
}

TEST_CASE("each range of RFC 3629 has the right ends") {
    // The first and the last character of each length, and the byte sequences beside them.
    const auto length = [](std::string_view text) { return core::character_length(text); };
    CHECK(length("\x7f") == 1);
    CHECK(length("\x80") == 0);
    CHECK(length("\xc1\xbf") == 0);
    CHECK(length("\xc2\x80") == 2);
    CHECK(length("\xc2\x7f") == 0);
    CHECK(length("\xc2\xc0") == 0);
    CHECK(length("\xdf\xbf") == 2);
    CHECK(length("\xe0\x9f\xbf") == 0);
    CHECK(length("\xe0\xa0\x80") == 3);
    CHECK(length("\xed\x9f\xbf") == 3);
    CHECK(length("\xee\x80\x80") == 3);
    CHECK(length("\xef\xbf\xbf") == 3);
    CHECK(length("\xf0\x8f\xbf\xbf") == 0);
    CHECK(length("\xf0\x90\x80\x80") == 4);
    CHECK(length("\xf4\x8f\xbf\xbf") == 4);
    CHECK(length("\xf4\x90\x80\x80") == 0);
    CHECK(length("\xf5\x80\x80\x80") == 0);
}

TEST_CASE("control characters are exactly those of their ranges") {
    CHECK(core::printable("\u0080\u009f\u00a0") == "\\u{80}\\u{9f}\u00a0");
    CHECK(core::printable("\u2027\u2028\u202e\u202f") == "\u2027\\u{2028}\\u{202e}\u202f");
    CHECK(core::printable("\u2065\u2066\u2069\u206a") == "\u2065\\u{2066}\\u{2069}\u206a");
    CHECK(core::printable("\x1f \x7e\x7f") == "\\x1f ~\\x7f");
}

TEST_CASE("a long text is cut between characters") {
    CHECK(core::shortened("abcdef", 6) == "abcdef");
    CHECK(core::shortened("abcdef", 5) == "abcde...");
    CHECK(core::shortened("ab\u00e9", 3) == "ab...");
    CHECK(core::shortened("\u00e9", 1) == "...");
    CHECK(core::shortened(std::string(61, 'a')) == std::string(60, 'a') + "...");
    CHECK(core::shortened(std::string(60, 'a')) == std::string(60, 'a'));
}
