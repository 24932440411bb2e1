// The tables of a study file, as key tables: what reads them also documents them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <farfield/core/keys.hpp>

namespace farfield::study {

/// A part of the file, as the reference page of study files shows it.
struct Part {
    std::string_view heading;  ///< "[study]"
    std::string_view meaning;
    std::span<const core::Key> keys;
};

/// Every part whose keys this room, the schemes, the claims and the reports define, in the order of the page. The kinds
/// of quantities follow them there.
std::vector<Part> parts();

/// The tables that a file may have at its top.
std::span<const core::Key> file_keys();
std::span<const core::Key> study_keys();
/// Keys that every quantity has beside those of its kind.
std::span<const core::Key> quantity_keys();
std::span<const core::Key> model_keys();
std::span<const core::Key> train_keys();
std::span<const core::Key> corpus_keys();
std::span<const core::Key> checkpoint_keys();

/// The page of key tables in Markdown: what docs/study.md holds between its markers.
std::string document_parts();

/// The same as a JSON schema (Draft 4, as the TOML language server taplo reads it): the keys of every table, their
/// types, choices, ranges and meanings. What it refuses, reading refuses too; the inverse does not hold.
std::string json_schema();

}  // namespace farfield::study
