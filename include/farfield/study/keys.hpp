// The key tables of a study file. The same tables check the file and document it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <farfield/core/keys.hpp>

namespace farfield::study {

/// A table of the file, as the reference page of study files shows it.
struct Part {
    std::string_view heading;  ///< "[study]"
    std::string_view meaning;
    std::span<const core::Key> keys;
};

/// Every table whose keys this module, the schemes, the claims and the reports define, in the order of the page. On the
/// page, the kinds of quantities follow.
std::vector<Part> parts();

/// The tables that a file may have at its top level.
std::span<const core::Key> file_keys();
std::span<const core::Key> study_keys();
/// Keys that every quantity has in addition to the keys of its kind.
std::span<const core::Key> quantity_keys();
std::span<const core::Key> model_keys();
std::span<const core::Key> train_keys();
std::span<const core::Key> corpus_keys();
std::span<const core::Key> checkpoint_keys();

/// Whether a table has a key of that name.
bool has_key(std::span<const core::Key> keys, std::string_view name);

/// The key tables in Markdown: the part of docs/study.md between its markers.
std::string document_parts();

/// The same as a JSON schema (Draft 4, as the TOML language server taplo reads it): the keys of every table, their
/// types, choices, ranges and meanings. Every study that the schema refuses is also refused when it is read, but not
/// the other way round.
std::string json_schema();

}  // namespace farfield::study
