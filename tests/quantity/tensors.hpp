// Quantities of the tensors that tests/references/compare/tensors.py wrote.
#pragma once

#include <string>

#include "quantity/compute.hpp"
#include "quantity/root.hpp"

namespace farfield::quantity {

inline std::string tensor_folder() {
    return (root() / "tests/references/compare/tensors").string();
}

/// The result of the kind for keys whose files are of that folder.
inline core::Result compute_of_tensor(const Kind& kind, const std::string& toml) {
    return compute(kind, toml, {}, scheme::Registry::builtin(), tensor_folder());
}

/// Its problems as the user reads them; "" if there are none.
inline std::string refusal_of_tensor(const Kind& kind, const std::string& toml) {
    return refusal(kind, toml, {}, scheme::Registry::builtin(), tensor_folder());
}

}  // namespace farfield::quantity
