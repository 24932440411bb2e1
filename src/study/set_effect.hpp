// Whether the values of --set reach what a study computes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>

namespace farfield::study {

/// Reports each path of --set whose value nothing in the document depends on: of a scheme, a model, a corpus or a
/// training that no item names, of a parameter that every user of its scheme gives a value of its own, of a key that is
/// swept. The values stand in the document already; `study` is its name.
void check_set(const core::Entries& document, const std::string& study,
               const std::vector<std::pair<std::string, std::string>>& set, core::Problems& problems);

}  // namespace farfield::study
