// Which kinds of layers a model has.
#pragma once

#include <string>
#include <vector>

#include "doctor/engine.hpp"
#include "doctor/lookup.hpp"

namespace farfield::doctor {

struct LayerKind {
    std::string type;  ///< "" where all are alike
    long long count = 0;
    long long window = 0;  ///< tokens a query reaches, itself included; 0: all
};

/// At least one; those without a window first. Findings on layer types, patterns and windows are added to the lookup.
std::vector<LayerKind> layer_kinds(Lookup& lookup, const ModelType& model, long long& layer_count, bool is_declared);

}  // namespace farfield::doctor
