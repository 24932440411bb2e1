// The models, corpora and trainings that a study declares.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/train/corpus.hpp>
#include <farfield/train/training.hpp>

#include "study/sweep.hpp"

namespace farfield::study {

using Labels = std::map<std::string, std::vector<std::string>>;

/// A [train.NAME] after sweeps were written out: all but its data, which a run opens.
struct TrainItem {
    std::string name;  ///< "windows[w=8]"
    train::Training training;
    train::CorpusSettings corpus;
    std::string corpus_text;  ///< the corpus's settings in one notation: trainings with the same share it
    std::vector<std::uint64_t> seeds;
    std::string label;       ///< of what is measured of it, in figures
    core::Entries settings;  ///< for the places of its keys
};

struct Trainings {
    std::vector<TrainItem> items;
    Labels labels;  ///< of swept trainings, as references from quantities

    std::map<std::string, std::size_t, std::less<>> index;  ///< of items by name

    const TrainItem* find(std::string_view name) const;
};

/// Reads [model], [corpus] and [train], whose schemes are known with these labels. `folder` is the study's.
Trainings read_trainings(const core::Entries& document, const scheme::Registry& schemes, const Labels& scheme_labels,
                         const std::string& folder, core::Problems& problems);

}  // namespace farfield::study
