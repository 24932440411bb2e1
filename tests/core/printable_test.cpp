#include <catch2/catch.hpp>
#include <farfield/core/printable.hpp>
#include <string>

using namespace farfield;

TEST_CASE("what a terminal obeys is written out, and all else stays") {
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

TEST_CASE("characters have the lengths of RFC 3629, and what is not a character has none") {
    CHECK(core::character_length("a") == 1);
    CHECK(core::character_length("é") == 2);
    CHECK(core::character_length("位") == 3);
    CHECK(core::character_length("𝛼") == 4);
    CHECK(core::character_length("\xc0\x80") == 0);      // overlong
    CHECK(core::character_length("\xed\xa0\x80") == 0);  // a surrogate
    CHECK(core::character_length("\xe4\xbd") == 0);      // cut
}
