// The kinds of layers of a model.
#pragma once

#include <string>
#include <vector>

#include "doctor/engine.hpp"
#include "doctor/lookup.hpp"

namespace farfield::doctor {

struct LayerKind {
    std::string type;  ///< "" if all layers are equal
    long long count = 0;
    long long window = 0;  ///< visible tokens of a query, including itself; 0: all
};

/// At least one; those without a window first. `layer_order` becomes the type of each layer if they differ. Findings on
/// layer types, patterns and windows are added to the lookup.
std::vector<LayerKind> layer_kinds(Lookup& lookup, const ModelType& model, long long& layer_count,
                                   std::vector<std::string>& layer_order, bool is_declared);

}  // namespace farfield::doctor
