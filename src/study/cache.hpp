// The cache of finished quantities between runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// The key of an item: the digest of everything that its result depends on (the program itself, its settings, its
/// scheme's settings, the bytes of files it reads, the keys of the items it needs).
std::string cache_key(const Study::Body& body, const Item& item, const std::vector<std::string>& keys_of_needs);

/// The result with that key in the folder, or nothing. A damaged file counts as missing.
std::optional<core::Result> load(const std::string& folder, const std::string& key);

/// The kind of processor that computed it; that of this computer if it is unknown.
std::string processor_of(const std::string& folder, const std::string& key);

/// Stores the result. Returns why it could not be stored, which is not a failure of the run; empty if it was stored.
std::string store(const std::string& folder, const std::string& key, const core::Result& result);

/// Settings in a canonical notation, from which the digest is computed.
std::string canonical(const core::Entries& entries);

}  // namespace farfield::study
