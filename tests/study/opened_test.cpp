// What a process opens once, and what it reads each time.
#include "study/opened.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/checkpoint/tokeniser.hpp>
#include <filesystem>

#include "study/body.hpp"
#include "study/study_support.hpp"

using namespace study_support;

namespace {

/// The corpus of a study in the folder, as two trainings of it would open it.
struct Corpus {
    explicit Corpus(const Folder& folder, const std::string& keys)
        : study(read(folder, "[corpus.c]\n" + keys +
                                 "[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
                                 "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 2\n"
                                 "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n")) {}

    std::shared_ptr<const train::Source> open() const {
        return study::open_once(*study.body()->trainings.find("t"), nullptr);
    }

    study::Study study;
};

}  // namespace

TEST_CASE("a builtin text in bytes is opened once for all studies, a process each time") {
    const Folder folder;
    const Corpus text(folder, "builtin = 'documentation'\n");
    const Corpus other(folder, "builtin = 'documentation'\n");
    const Corpus held(folder, "builtin = 'documentation'\nheld_out = 0.2\n");
    CHECK(text.open() == text.open());
    CHECK(text.open() == other.open());
    CHECK(text.open() != held.open());
    CHECK(text.open()->identity() != held.open()->identity());
    const Corpus urn(folder, "builtin = 'urn'\nsymbols = 4\n");
    CHECK(urn.open()->identity() == urn.open()->identity());
}

TEST_CASE("a checkpoint of a file is opened once while the file is the same, and a text is in its tokens") {
    const Folder folder;
    const std::filesystem::path original = FARFIELD_SOURCE "/tests/fuzz/corpus/checkpoint/sentences.gguf";
    const std::string path = folder.path("model.gguf");
    std::filesystem::copy_file(original, path);
    const study::OpenCheckpoint opened = study::open_once(path);
    CHECK(study::open_once(path).header == opened.header);
    CHECK(opened.identity == opened.header->identity());
    CHECK(opened.encoding->vocabulary == opened.header->shape().vocabulary);
    const std::vector<model::Token> line = checkpoint::Tokeniser(*opened.header).encode("\n");
    CHECK(opened.encoding->line_break == (line.empty() ? 0 : line.front()));
    std::filesystem::remove(path);
    std::filesystem::copy_file(original, path);
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(study::open_once(path).header != opened.header);
}

TEST_CASE("files of the user are read each time: texts, and vocabularies of builtin texts") {
    const Folder folder;
    folder.write("text.txt", std::string(4000, 'a'));
    folder.write("words.txt", "a\nb\n");
    const std::string text = "files = ['text.txt']\nblock = 16\n";
    for (const std::string& keys :
         {text, text + "tokens = 'words.txt'\n", std::string("builtin = 'documentation'\ntokens = 'words.txt'\n")}) {
        INFO(keys);
        folder.write("text.txt", std::string(4000, 'a'));
        folder.write("words.txt", "a\nb\n");
        const Corpus corpus(folder, keys);
        const std::string before = corpus.open()->identity();
        CHECK(corpus.open()->identity() == before);
        folder.write(keys.find("tokens") == keys.npos ? "text.txt" : "words.txt", std::string(4000, 'a') + "\nbb\n");
        CHECK(corpus.open()->identity() != before);
    }
}
