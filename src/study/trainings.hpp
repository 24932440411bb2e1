// The models, corpora and trainings that a study declares.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/train/corpus.hpp>
#include <farfield/train/training.hpp>

#include "study/sweep.hpp"

namespace farfield::study {

using Labels = std::map<std::string, std::vector<std::string>>;

/// The file and the scheme of a [checkpoint.NAME].
struct CheckpointSettings {
    std::string builtin;  ///< a name of checkpoint::builtins(), in place of a path
    std::string path;
    std::optional<std::string> scheme;  ///< without one, that of the file
    std::vector<std::pair<std::string, std::string>> params;
};

/// A [train.NAME] after the expansion of sweeps, without its data, which a run opens; or a [checkpoint.NAME], whose
/// training has only the scheme until the file is opened.
struct TrainItem {
    std::string name;  ///< "windows[w=8]"
    train::Training training;
    train::CorpusSettings corpus;
    std::string corpus_text;  ///< canonical settings of the corpus, which trainings with the same settings share
    std::vector<std::uint64_t> seeds;
    std::string label;       ///< label in figures of quantities that measure it
    std::string start = {};  ///< the training from whose weights it starts; empty: random ones
    core::Entries settings;  ///< for the places of its keys
    std::optional<CheckpointSettings> checkpoint = {};
};

struct Trainings {
    std::vector<TrainItem> items;
    Labels labels;  ///< of swept trainings and checkpoints, as references from quantities

    std::map<std::string, std::size_t, std::less<>> index;  ///< of items by name

    const TrainItem* find(std::string_view name) const;
};

/// The tables [HEADING.NAME] of a study; none if it has no such heading.
const core::Entries& table_under(const core::Entries& document, std::string_view heading);

/// Reads [model], [corpus], [train] and [checkpoint], whose schemes are known with these labels. `folder` is the
/// study's.
Trainings read_trainings(const core::Entries& document, const scheme::Registry& schemes, const Labels& scheme_labels,
                         const std::string& folder, core::Problems& problems);

}  // namespace farfield::study
