// Texts and processes by the names and settings of a study.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/place.hpp>
#include <farfield/train/source.hpp>
#include <farfield/train/text.hpp>

namespace farfield::train {

/// [corpus.NAME] of a study.
struct CorpusSettings {
    std::vector<std::string> files;  ///< paths, globs and folders (all files under them)
    std::string folder;              ///< where relative ones start
    std::string builtin;             ///< a name of builtins(), in place of files
    std::string tokens = "bytes";    ///< or the path of a vocabulary (train/text.hpp)
    bool by_document = false;        ///< hold out whole documents, not blocks of the whole text
    double held_out = 0.1;           ///< share that no training sees
    std::size_t block = 65536;       ///< tokens of a block
    std::size_t symbols = 0;         ///< of a process; 0: its default
    std::size_t order = 2;           ///< of the chain
    double alpha = 1;                ///< concentration of the Dirichlet distributions
    std::uint64_t seed = 0;          ///< of the chain's probabilities
    core::Place place;               ///< where it is declared
};

/// A built-in text or process, which needs no file of the user.
struct Builtin {
    std::string_view name;
    std::string_view meaning;
    std::string_view package;  ///< Debian's, that provides it; empty if none is needed
};

std::span<const Builtin> builtins();
/// Whether the name is that of a built-in process, which generates its rows instead of reading a text.
bool is_process(std::string_view name);

/// Reads or generates the corpus. Throws core::MissingError, naming the package or file, if the text is not installed;
/// core::UserError at the place if the settings are invalid. With an encoding, a text is tokenized with it instead of
/// with the settings. A process has its own tokens, so an encoding for it is a core::UserError.
std::shared_ptr<const Source> open_corpus(const CorpusSettings& settings, const Encoding* encoding = nullptr);

}  // namespace farfield::train
