#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/train/text.hpp>
#include <set>

#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::train;
using Catch::Contains;
using farfield::tests::Folder;

namespace {

/// Byte t of document d is d: a row tells where it comes from.
std::vector<std::string> documents(std::size_t count, std::size_t bytes) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(bytes, static_cast<char>('A' + i));
    return all;
}

}  // namespace

TEST_CASE("a byte is a token") {
    const Tokeniser bytes;
    CHECK(bytes.vocabulary() == 256);
    CHECK(bytes.encode("A\xff\n") == std::vector<Token>{65, 255, 10});
    CHECK(bytes.decode({65, 255, 10}) == "A\xff\n");
    CHECK(bytes.decode({0, 255}) == std::string("\0\xff", 2));
    for (const Token wrong : {-1, 256}) CHECK_THROWS_WITH(bytes.decode({wrong}), Contains("0 to 255"));
}

TEST_CASE("a vocabulary cuts by the longest string that fits") {
    const Folder folder;
    folder.write("v.txt", "the\n the\\n\nth\n\\x41\\\\\n");
    const Tokeniser tokeniser = read_vocabulary(folder.path("v.txt"));
    CHECK(tokeniser.vocabulary() == 260);
    CHECK(tokeniser.encode("the the\nthA\\") == std::vector<Token>{256, 257, 258, 259});
    CHECK(tokeniser.decode(tokeniser.encode("then A\\ the\n")) == "then A\\ the\n");
}

TEST_CASE("a wrong vocabulary is reported with its line, a missing one with its path") {
    const Folder folder;
    folder.write("twice", "a b\nc\na b\n");
    folder.write("escape", "ab\na\\q\n");
    folder.write("empty", "ab\n\ncd\n");
    CHECK_THROWS_AS(read_vocabulary(folder.path("twice")), core::UserError);
    try {
        read_vocabulary(folder.path("escape"));
        FAIL("the file was read");
    } catch (const core::UserError& error) {
        CHECK(error.diagnostics().front().place.line == 2);
    }
    CHECK_THROWS_AS(read_vocabulary(folder.path("empty")), core::UserError);
    CHECK_THROWS_WITH(read_vocabulary(folder.path("none")), Contains(folder.path("none")));
}

TEST_CASE("documents held out are never trained on, and rows stay within one") {
    const auto text = make_text(documents(20, 300), {}, {0.1, true, 0, {}});
    std::set<Token> trained, held_out;
    for (std::uint32_t i = 0; i < 500; ++i) {
        const Row row = text->sample(0, i, 0, 50);
        REQUIRE(row.tokens.size() == 51);
        CHECK(std::set<Token>(row.tokens.begin(), row.tokens.end()).size() == 1);
        trained.insert(row.tokens.front());
    }
    for (std::size_t i = 0; i < 40; ++i) held_out.insert(text->held_out(i, 40, 50).tokens.front());
    CHECK(trained.size() == 18);
    CHECK(held_out == std::set<Token>{'A' + 9, 'A' + 19});
}

TEST_CASE("blocks held out are never trained on") {
    // Blocks of 100 bytes; every fourth is held out, and every byte of it is 'x'.
    std::string all;
    for (int block = 0; block < 16; ++block) all += std::string(100, block % 4 == 3 ? 'x' : 'o');
    const auto text = make_text({all}, {}, {0.25, false, 100, {}});
    for (std::uint32_t i = 0; i < 300; ++i) {
        const Row row = text->sample(5, 0, i, 80);
        CHECK(std::set<Token>(row.tokens.begin(), row.tokens.end()) == std::set<Token>{'o'});
    }
    for (std::size_t i = 0; i < 30; ++i) {
        const Row row = text->held_out(i, 30, 80);
        CHECK(std::set<Token>(row.tokens.begin(), row.tokens.end()) == std::set<Token>{'x'});
    }
}

TEST_CASE("a text of fewer blocks than one in the share has its share held out all the same") {
    // 1000 bytes in blocks of 400 have no tenth block; in blocks of a tenth they have, and it is the 'x's.
    const auto text = make_text({std::string(900, 'o') + std::string(100, 'x')}, {}, {0.1, false, 400, {}});
    const Row row = text->held_out(0, 1, 80);
    CHECK(std::set<Token>(row.tokens.begin(), row.tokens.end()) == std::set<Token>{'x'});
    for (std::uint32_t i = 0; i < 300; ++i) {
        const Row trained = text->sample(5, 0, i, 80);
        CHECK(std::set<Token>(trained.tokens.begin(), trained.tokens.end()) == std::set<Token>{'o'});
    }
}

TEST_CASE("a text shorter than a row is reported with both lengths") {
    const auto text = make_text(documents(1, 40), {}, {0.1, false, 20, {}});
    CHECK_THROWS_WITH(text->sample(0, 0, 0, 64), Contains("too short") && Contains("65 tokens for a row of length 64"));
    CHECK_THROWS_AS(text->held_out(0, 4, 16), core::UserError);
}

TEST_CASE("a text is identified by its tokens and its split") {
    const Split split{0.1, false, 64, {}};
    const std::string identity = make_text({"abc"}, {}, split)->identity();
    CHECK(make_text({"abc"}, {}, split)->identity() == identity);
    CHECK(make_text({"abd"}, {}, split)->identity() != identity);
    CHECK(make_text({"abc"}, {}, {0.2, false, 64, {}})->identity() != identity);
    CHECK(make_text({"abc"}, {}, {0.1, true, 64, {}})->identity() != identity);
}

TEST_CASE("a text has as many rows as begin in its stretches, the longest of which is the longest row") {
    // Ten documents of 30 bytes, every fifth held out; a row of length 12 has 13 tokens.
    const auto apart = make_text(documents(10, 30), {}, {0.2, true, 0, {}});
    CHECK(apart->rows(Part::training, 12) == 8 * 18);
    CHECK(apart->rows(Part::held_out, 12) == 2 * 18);
    CHECK(apart->rows(Part::held_out, 29) == 2);
    CHECK(apart->rows(Part::held_out, 30) == 0);
    CHECK(apart->longest_row(Part::training) == 29);
    // One text of 300 bytes in blocks of 50, with the share held out every third: 100 tokens before each.
    const auto joined = make_text({std::string(300, 'a')}, {}, {1.0 / 3, false, 50, {}});
    CHECK(joined->rows(Part::training, 12) == 2 * 88);
    CHECK(joined->rows(Part::held_out, 12) == 2 * 38);
    CHECK(joined->longest_row(Part::training) == 99);
    CHECK(joined->longest_row(Part::held_out) == 49);
    CHECK(make_text({}, {}, {0.1, false, 50, {}})->longest_row(Part::held_out) == 0);
}

TEST_CASE("rows held out are spread evenly over all that begin there, and rows to train on begin anywhere") {
    // Every byte of the block held out is another one.
    std::string all(150, 'o');
    for (int i = 0; i < 50; ++i) all += static_cast<char>(i);
    const auto text = make_text({all}, {}, {0.25, false, 50, {}});
    REQUIRE(text->rows(Part::held_out, 9) == 41);
    for (std::size_t i = 0; i < 41; ++i) CHECK(text->held_out(i, 41, 9).tokens.front() == static_cast<Token>(i));
    // Four of them: at 41/8, 3*41/8, 5*41/8 and 7*41/8.
    const std::vector<Token> begins = {5, 15, 25, 35};
    for (std::size_t i = 0; i < 4; ++i) {
        const Row row = text->held_out(i, 4, 9);
        for (std::size_t t = 0; t < 10; ++t) CHECK(row.tokens[t] == begins[i] + static_cast<Token>(t));
        CHECK(row.weights == std::vector<float>(9, 1));
    }
    CHECK_THROWS_AS(text->held_out(0, 42, 9), core::UserError);
    CHECK_THROWS_AS(text->held_out(0, 0, 9), core::UserError);
    std::set<Token> begun;
    const auto trained = make_text({all.substr(150)}, {}, {0, false, 50, {}});
    for (std::uint32_t i = 0; i < 1000; ++i) begun.insert(trained->sample(0, i, 0, 9).tokens.front());
    CHECK(begun.size() == 41);  // a start is left out with probability 41 (40/41)^1000 < 1e-9
    CHECK(*begun.rbegin() == 40);
}

TEST_CASE("by block, a line break joins documents; by document, nothing does") {
    const auto line = [](const Row& row) { return Tokeniser().decode(row.tokens); };
    const std::vector<std::string> texts = {"ab", "cd", "ef"};
    CHECK(line(make_text(texts, {}, {0, false, 100, {}})->sample(0, 0, 0, 7)) == "ab\ncd\nef");
    CHECK(make_text(texts, {}, {0, true, 100, {}})->rows(Part::training, 1) == 3);
    const Encoding upper{300, 299, [](std::string_view text) { return std::vector<Token>(text.size(), 256); }};
    const auto encoded = make_encoded_text(texts, upper, {0, false, 100, {}});
    CHECK(encoded->sample(0, 0, 0, 7).tokens == std::vector<Token>{256, 256, 299, 256, 256, 299, 256, 256});
    CHECK(encoded->vocabulary() == 300);
    CHECK(encoded->encode("xyz") == std::vector<Token>(3, 256));
}

TEST_CASE("the share held out is that of the blocks, whichever it is") {
    // Blocks of ten: the n-th is held out where floor(n share) rises, n from 1.
    for (const double share : {0.1, 0.3, 0.5, 0.75}) {
        std::string all;
        for (int block = 1; block <= 20; ++block)
            all += std::string(10, std::floor(block * share) > std::floor((block - 1) * share) ? 'x' : 'o');
        const auto text = make_text({all}, {}, {share, false, 10, {}});
        INFO(share);
        for (std::uint32_t i = 0; i < 100; ++i) CHECK(text->sample(0, i, 0, 4).tokens == std::vector<Token>(5, 'o'));
        for (std::size_t i = 0; i < 10; ++i) CHECK(text->held_out(i, 10, 4).tokens == std::vector<Token>(5, 'x'));
    }
}

TEST_CASE(
    "bytes of a vocabulary file in hexadecimal have either case, and broken escapes are refused with their line") {
    const Folder folder;
    folder.write("v", "\\xfF\\x09\n\\x5a\\t\n");
    CHECK(read_vocabulary(folder.path("v")).decode({256, 257}) == "\xff\tZ\t");
    // Of other escapes what follows is text, whether it could be hexadecimal or not.
    folder.write("v", "\\nab\n\\t09\n\\\\41\n");
    CHECK(read_vocabulary(folder.path("v")).decode({256, 257, 258}) == "\nab\t09\\41");
    for (const char* broken : {"\\x", "\\x4", "\\xg0", "\\x0g", "\\x/0", "\\x:0", "\\x@0", "\\x`0", "a\\", "\\a"}) {
        INFO(broken);
        folder.write("broken", std::string("ab\n") + broken + "\n");
        try {
            read_vocabulary(folder.path("broken"));
            FAIL("the file was read");
        } catch (const core::UserError& error) {
            const core::Diagnostic& told = error.diagnostics().front();
            CHECK_THAT(core::format(told), Contains("unknown escape"));
            CHECK((told.place.line == 2 && told.place.column == 1 && told.place.length == 1));
        }
    }
}
