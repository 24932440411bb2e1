// Studies written as text, read and run.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/study.hpp>
#include <string>
#include <vector>

#include "support/folder.hpp"

namespace study_support {

using namespace farfield;
using tests::Folder;

inline study::Study read(const Folder& folder, const std::string& text, const study::Options& options = {}) {
    folder.write("s.toml", text);
    return study::read({folder.path("s.toml"), "s", true}, options);
}

inline core::StudyRecord run(const std::string& text, const study::Options& options = {}) {
    const Folder folder;
    return study::run(read(folder, text, options), options);
}

/// What is found wrong with the text, each as "line: found".
inline std::vector<std::string> problems_of(const std::string& text, const study::Options& options = {}) {
    const Folder folder;
    std::vector<std::string> messages;
    try {
        read(folder, text, options);
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics())
            messages.push_back(std::to_string(each.place.line) + ": " + each.found);
    }
    return messages;
}

inline const core::Result* find(const core::StudyRecord& record, const std::string& name) {
    for (const core::Result& result : record.quantities) {
        if (result.name == name) return &result;
    }
    return nullptr;
}

inline std::vector<std::string> names_of(const core::StudyRecord& record) {
    std::vector<std::string> names;
    for (const core::Result& result : record.quantities) names.push_back(result.name);
    return names;
}

/// A small training and what it is measured by, for studies that train.
namespace small_training {

inline const std::string corpus = "[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n";
inline const std::string model = "[model.m]\nlayers = 2\nheads = 2\nwidth = 8\n";
inline const std::string training =
    "[train.t]\nmodel = 'm'\nscheme = 'windowed'\ncorpus = 'c'\nlength = 8\nbatch = 4\nsteps = 12\n";
inline const std::string perplexity =
    "[quantity.ppl]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 24]\nsegments = 6\ntargets = 2\n";

}  // namespace small_training

}  // namespace study_support
