#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/train/corpus.hpp>
#include <farfield/train/synthetic.hpp>
#include <farfield/train/text.hpp>
#include <filesystem>

#include "train/read_files.hpp"

namespace farfield::train {

namespace {

using Documents = std::vector<std::string> (*)();
using Make = std::shared_ptr<const Source> (*)(const CorpusSettings&);

std::vector<std::string> installed(const std::string& path, const std::string& package) {
    return read_files({path}, "", "install the Debian package " + package + " (./farfield --install corpora)");
}

std::vector<std::string> cpp_headers() {
    return installed("/usr/include/eigen3/Eigen", "libeigen3-dev");
}

std::vector<std::string> documentation() {
    return installed("/usr/share/doc/debian-policy/policy.html/_sources/*.rst.txt", "debian-policy");
}

std::size_t symbols_of(const CorpusSettings& settings, std::size_t otherwise) {
    return settings.symbols == 0 ? otherwise : settings.symbols;
}

std::shared_ptr<const Source> urn(const CorpusSettings& settings) {
    return make_urn(symbols_of(settings, 32), settings.alpha);
}

std::shared_ptr<const Source> chain(const CorpusSettings& settings) {
    const std::size_t symbols = symbols_of(settings, 8);
    if (!has_few_states(symbols, settings.order))
        throw core::UserError({core::Diagnostic{settings.place,
                                                "a chain of " + std::to_string(symbols) + " symbols and order " +
                                                    std::to_string(settings.order) + " has more than 2^20 states",
                                                "a smaller 'order', or fewer 'symbols'",
                                                {}}});
    return make_chain(draw_chain(symbols, settings.order, settings.alpha, settings.seed));
}

std::shared_ptr<const Source> copy(const CorpusSettings& settings) {
    return make_copy(symbols_of(settings, 16));
}

std::shared_ptr<const Source> parity(const CorpusSettings&) {
    return make_parity();
}

/// A builtin corpus and its source: documents or a process.
struct Listed {
    Builtin builtin;
    Documents documents;
    Make make;
};

constexpr std::array rows = {
    Listed{{"kjv", "the King James text, a document a chapter", "bible-kjv"}, read_king_james, nullptr},
    Listed{{"cpp-headers", "the headers of Eigen: C++", "libeigen3-dev"}, cpp_headers, nullptr},
    Listed{{"documentation", "Debian's policy manual: technical English", "debian-policy"}, documentation, nullptr},
    Listed{{"urn", "symbols drawn from a distribution that each row draws anew", ""}, nullptr, urn},
    Listed{{"chain", "a Markov chain of the given order", ""}, nullptr, chain},
    Listed{{"copy", "random symbols, and the same again", ""}, nullptr, copy},
    Listed{{"parity", "random bits and their parity", ""}, nullptr, parity},
};

constexpr auto table = [] {
    std::array<Builtin, rows.size()> builtins{};
    for (std::size_t i = 0; i < rows.size(); ++i) builtins[i] = rows[i].builtin;
    return builtins;
}();

const Listed& find_builtin(const CorpusSettings& settings) {
    const auto* const found =
        std::find_if(rows.begin(), rows.end(), [&](const Listed& row) { return row.builtin.name == settings.builtin; });
    if (found != rows.end()) return *found;
    std::vector<std::string> known;
    known.reserve(rows.size());
    for (const Listed& row : rows) known.emplace_back(row.builtin.name);
    throw core::UserError({core::Diagnostic{settings.place, "unknown corpus '" + settings.builtin + "'", "",
                                            core::known_here(settings.builtin, known)}});
}

Tokeniser tokeniser_of(const CorpusSettings& settings) {
    if (settings.tokens == "bytes") return {};
    return read_vocabulary((std::filesystem::path(settings.folder) / settings.tokens).string());
}

}  // namespace

std::span<const Builtin> builtins() {
    return table;
}

bool is_process(std::string_view name) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Listed& row) { return row.builtin.name == name && row.make != nullptr; });
}

std::shared_ptr<const Source> open_corpus(const CorpusSettings& settings, const Encoding* encoding) {
    const Listed* builtin = settings.builtin.empty() ? nullptr : &find_builtin(settings);
    if (builtin && builtin->make && encoding)
        throw core::UserError({core::Diagnostic{settings.place,
                                                "the corpus '" + settings.builtin + "' is a process, not a text",
                                                "a text for a checkpoint: files, kjv, cpp-headers or documentation",
                                                {}}});
    if (builtin && builtin->make) return builtin->make(settings);
    const std::vector<std::string> documents =
        builtin ? builtin->documents()
                : read_files(settings.files, settings.folder,
                             "paths and globs relative to the study, or builtin = \"kjv\" in place of files",
                             settings.place);
    const Split split = {settings.held_out, settings.by_document, settings.block, settings.place};
    return encoding ? make_encoded_text(documents, *encoding, split)
                    : make_text(documents, tokeniser_of(settings), split);
}

}  // namespace farfield::train
