// The order in which items are computed.
#pragma once

#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// Puts the items in an order in which each stands after what it needs (otherwise as declared) and fills the index. A
/// cycle and a need that does not exist are problems.
void order_items(Study::Body& body, core::Problems& problems);

/// Which items a run computes: all, or what `only` and the claims ask for with all they need. [item]
std::vector<bool> wanted_items(const Study::Body& body, const Options& options);

/// Whether `only` asks for a claim (or figure) of that name, or for everything.
bool asks_for(const Options& options, const std::string& name);

/// Whether it asks for an item: by its name or, if it is swept, by its base.
bool asks_for(const Options& options, const Item& item);

}  // namespace farfield::study
