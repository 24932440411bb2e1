// Every kind of quantity. The table is explicit, because a linker drops self-registering objects from a static library.
#include <vector>

#include "quantity/kinds.hpp"

namespace farfield::quantity {

std::span<const Kind> kinds() {
    static const std::vector<Kind> rows = {
#define KIND(name) name##_kind(),
#include "quantity/kinds.def"
    };
    return rows;
}

const Kind* find_kind(std::string_view name) {
    for (const Kind& kind : kinds())
        if (kind.name == name) return &kind;
    return nullptr;
}

}  // namespace farfield::quantity
