#include <catch2/catch.hpp>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/train/corpus.hpp>
#include <farfield/train/synthetic.hpp>
#include <tuple>

#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::train;
using Catch::Contains;
using farfield::tests::Folder;

namespace {

/// The variable PATH of the environment, put back at the end.
class OtherPath {
public:
    explicit OtherPath(const std::string& path) : before_(std::getenv("PATH")) { ::setenv("PATH", path.c_str(), 1); }
    ~OtherPath() { ::setenv("PATH", before_.c_str(), 1); }
    OtherPath(const OtherPath&) = delete;
    OtherPath& operator=(const OtherPath&) = delete;

private:
    std::string before_;
};

CorpusSettings builtin(const std::string& name) {
    CorpusSettings settings;
    settings.builtin = name;
    return settings;
}

CorpusSettings files(const Folder& folder, const std::vector<std::string>& patterns) {
    CorpusSettings settings;
    settings.files = patterns;
    settings.folder = folder.path();
    settings.held_out = 0;
    settings.block = 1000;
    return settings;
}

}  // namespace

TEST_CASE("paths, globs and folders name files, in the order of their names") {
    const Folder folder;
    folder.write("b.txt", "bbbb");
    folder.write("a.txt", "aaaa");
    folder.write("deep/c/d.md", "dddd");
    folder.write("deep/a.md", "eeee");
    // All of the text in one row: "aaaa", "bbbb", "eeee", "dddd" with a line break between each.
    const auto text = open_corpus(files(folder, {"*.txt", "deep"}));
    std::string read;
    for (const Token token : text->sample(0, 0, 0, 18).tokens) read += static_cast<char>(token);
    CHECK(read == "aaaa\nbbbb\neeee\nddd" + std::string(1, 'd'));
}

TEST_CASE("a corpus is of 1 GiB at most") {
    const Folder folder;
    folder.write("large", "");
    folder.write("small", "text");
    std::filesystem::resize_file(folder.path("large"), (std::uintmax_t{1} << 30) + 1);
    CHECK_THROWS_WITH(open_corpus(files(folder, {"small", "large"})), Contains("the file is over 1 GiB;"));
}

TEST_CASE("processes have these numbers of symbols by default") {
    for (const auto& [name, usual, of_five] :
         {std::tuple("urn", 32U, 5U), {"chain", 8U, 5U}, {"copy", 17U, 6U}, {"parity", 4U, 4U}}) {
        INFO(name);
        CorpusSettings settings = builtin(name);
        settings.order = 1;
        CHECK(open_corpus(settings)->vocabulary() == usual);
        settings.symbols = 5;
        CHECK(open_corpus(settings)->vocabulary() == of_five);
    }
    // A row of order 2 has 8^2 states; the alpha, the order and the seed are those of the settings.
    const CorpusSettings usual = builtin("chain");
    CHECK(open_corpus(usual)->identity() == make_chain(draw_chain(8, 2, 1, 0))->identity());
    CorpusSettings other = usual;
    other.seed = 4;
    other.alpha = 0.5;
    other.order = 1;
    CHECK(open_corpus(other)->identity() == make_chain(draw_chain(8, 1, 0.5, 4))->identity());
}

TEST_CASE("a missing file is named, with a suggestion") {
    const Folder folder;
    CHECK_THROWS_WITH(open_corpus(files(folder, {"none-*.txt"})),
                      Contains("none-*.txt") && Contains("there is no such file"));
    CHECK_THROWS_AS(open_corpus(files(folder, {"none-*.txt"})), core::MissingError);
}

TEST_CASE("the package of a builtin text that is not installed is named") {
    const Folder empty;
    const OtherPath path(empty.path());
    CHECK_THROWS_WITH(open_corpus(builtin("kjv")), Contains("bible-kjv") && Contains("there is no such command"));
}

TEST_CASE("a command that prints another text is refused") {
    const Folder folder;
    folder.write("bible", "#!/bin/sh\necho 'Ge1:1 In the beginning'\n");
    std::filesystem::permissions(folder.path("bible"), std::filesystem::perms::owner_all);
    const OtherPath path(folder.path() + ":/bin:/usr/bin");
    CHECK_THROWS_WITH(open_corpus(builtin("kjv")), Contains("1 verses instead of 31102"));
}

TEST_CASE("a chapter of the King James text is a document of its verses, without other lines") {
    const Folder folder;
    // 31102 verses, of which the first two are one chapter and each other one is a chapter of its own.
    folder.write("bible",
                 "#!/bin/sh\nprintf 'King James: a\\n\\nGenesis\\nnospace:1\\nGe1:1 In the: beginning\\nGe1:2 And\\n'\n"
                 "seq 3 31102 | sed 's/.*/Ps&:1 w&/'\n");
    std::filesystem::permissions(folder.path("bible"), std::filesystem::perms::owner_all);
    const OtherPath path(folder.path() + ":/bin:/usr/bin");
    CorpusSettings settings = builtin("kjv");
    settings.held_out = 0;
    const auto text = open_corpus(settings);
    std::string wanted = "In the: beginning\nAnd\n";
    for (int verse = 3; verse <= 31102; ++verse) wanted += "\nw" + std::to_string(verse) + "\n";
    REQUIRE(text->longest_row(Part::training) == wanted.size() - 1);
    CHECK(Tokeniser().decode(text->sample(0, 0, 0, wanted.size() - 1).tokens) == wanted);
}

TEST_CASE("the King James text, where it is installed, has its length and no references") {
    try {
        const auto text = open_corpus(builtin("kjv"));
        const Row row = text->held_out(0, 1, 4000);
        std::size_t letters = 0;
        for (const Token token : row.tokens) {
            letters += (token >= 'a' && token <= 'z') || token == ' ' || token == ',';
            CHECK(token < 128);
            CHECK_FALSE((token >= '0' && token <= '9'));
        }
        CHECK(letters > 3500);
    } catch (const core::MissingError& error) {
        WARN(error.what());
    }
}

TEST_CASE("every builtin has a name and a meaning, and opens or names the package to install") {
    REQUIRE(builtins().size() >= 7);
    for (const Builtin& each : builtins()) {
        CHECK_FALSE(each.meaning.empty());
        try {
            const auto source = open_corpus(builtin(std::string(each.name)));
            CHECK(source->vocabulary() > 1);
            CHECK(source->sample(0, 0, 0, 40).tokens.size() == 41);
            CHECK(source->held_out(0, 2, 40).tokens.size() == 41);
        } catch (const core::MissingError& error) {
            CHECK_FALSE(each.package.empty());
            CHECK_THAT(error.what(), Contains(std::string(each.package)));
        }
    }
}

TEST_CASE("an unknown builtin is reported with its neighbours") {
    try {
        open_corpus(builtin("kvj"));
        FAIL("the corpus was opened");
    } catch (const core::UserError& error) {
        CHECK(error.diagnostics().front().hint.find("'kjv'") != std::string::npos);
    }
}
