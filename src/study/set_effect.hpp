// Whether the values of --set affect what a study computes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>

namespace farfield::study {

/// Reports each path of --set whose value has no effect on the document: a path in a scheme, a model, a corpus or a
/// training that no item names, a parameter to which every user of its scheme gives its own value, or a swept key. The
/// document contains the values already; `study` is its name.
void check_set(const core::Entries& document, const std::string& study,
               const std::vector<std::pair<std::string, std::string>>& set, core::Problems& problems);

}  // namespace farfield::study
