// The content of a study that was read.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/claim/claim.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/record.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/study/study.hpp>

#include "study/trainings.hpp"

namespace farfield::study {

/// A quantity after the expansion of sweeps.
struct Item {
    std::string name;  ///< "fit", or "fit[w=40]"
    std::string base;  ///< as declared: "fit"
    core::Entries settings;
    core::Place place;
    std::string kind;
    std::string label;                             ///< of its series in figures; default: that of its training
    std::unique_ptr<quantity::Prepared> prepared;  ///< null if it is measured
    std::unique_ptr<measure::Prepared> measured;   ///< of a kind that needs trainings, else null
    std::vector<std::string> trainings;            ///< that it measures: `of`, then `against` if there is one
    bool needs_models = false;                     ///< and not only their settings
    bool counts_threads = false;                   ///< its results depend on the number of threads
    std::vector<std::string> needs;
    std::vector<std::string_view> used_keys;  ///< of quantity::scheme_selection_keys(), on which its result depends
    std::vector<std::string_view> idle_keys;  ///< keys of a model on which its result does not depend
    bool is_trained = false;                  ///< its results come from trained models, or from results that do
    std::string waits_for;                    ///< training that was not requested
};

struct Study::Body {
    Found found;
    std::string folder;
    std::string title;
    std::string source;
    std::string doc;
    std::string hash;  ///< of the file's bytes
    std::vector<std::pair<std::string, std::string>> set;
    core::Entries document;
    scheme::Registry schemes;
    Trainings trainings;
    std::vector<Item> items;                                ///< sorted: each comes after the items that it needs
    std::map<std::string, std::size_t, std::less<>> index;  ///< of items by name
    std::vector<claim::Claim> claims;
    std::vector<core::FigureRecord> figures;
    std::vector<std::vector<std::string>> figure_needs;  ///< items whose series each figure shows
};

}  // namespace farfield::study
