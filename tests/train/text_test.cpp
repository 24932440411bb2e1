#include <catch2/catch.hpp>
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
    CHECK_THROWS_AS(bytes.decode({256}), core::PreconditionError);
}

TEST_CASE("a vocabulary cuts by the longest string that fits") {
    const Folder folder;
    folder.write("v.txt", "the\n the\\n\nth\n\\x41\\\\\n");
    const Tokeniser tokeniser = read_vocabulary(folder.path("v.txt"));
    CHECK(tokeniser.vocabulary() == 260);
    CHECK(tokeniser.encode("the the\nthA\\") == std::vector<Token>{256, 257, 258, 259});
    CHECK(tokeniser.decode(tokeniser.encode("then A\\ the\n")) == "then A\\ the\n");
}

TEST_CASE("a wrong vocabulary is told with its line, a missing one with its path") {
    const Folder folder;
    folder.write("twice", "a b\nc\na b\n");
    folder.write("escape", "ab\na\\q\n");
    folder.write("empty", "ab\n\ncd\n");
    CHECK_THROWS_AS(read_vocabulary(folder.path("twice")), core::UserError);
    try {
        read_vocabulary(folder.path("escape"));
        FAIL("it was read");
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

TEST_CASE("a text shorter than a row is told with both lengths") {
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
