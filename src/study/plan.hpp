// The order in which items are computed, and which of them trained models decide.
#pragma once

#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// Sorts the items so that each comes after the items it needs (otherwise in the order of declaration), and fills the
/// index. Cycles and unknown names are problems.
void order_items(Study::Body& body, core::Problems& problems);

/// Marks the sorted items whose results come from trained models, directly or through the items that they need.
void mark_trained(Study::Body& body);

/// Whether an item has the name and is marked.
bool is_trained(const Study::Body& body, const std::string& name);

/// Items that need an item which waits for a training also wait, and so do the claims on them. The items are sorted.
void mark_waiting(Study::Body& body);

/// Which items a run computes: all, or those that `only` and the claims request, with everything they need. [item]
std::vector<bool> wanted_items(const Study::Body& body, const Options& options);

/// Whether `only` requests a claim (or figure) of that name, or everything.
bool asks_for(const Options& options, const std::string& name);

/// Whether `only` requests an item, by its name or, if it is swept, by its base name.
bool asks_for(const Options& options, const Item& item);

}  // namespace farfield::study
