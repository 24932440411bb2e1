// Every kind that needs trained models. The table is explicit, like that of the other kinds.
#include <vector>

#include "measure/kinds.hpp"

namespace farfield::measure {

std::span<const Kind> kinds() {
    static const std::vector<Kind> rows = {
#define KIND(name) name##_kind(),
#include "measure/kinds.def"
    };
    return rows;
}

const Kind* find_kind(std::string_view name) {
    for (const Kind& kind : kinds())
        if (kind.name == name) return &kind;
    return nullptr;
}

void Prepared::require_memory(const Inputs& inputs) const {
    const Subject& subject = inputs.subject;
    if (subject.is_checkpoint) return;
    model::Footprints footprints;
    const Memory needed =
        memory({subject.name, subject.trainings.front(), subject.trainings.size(), inputs.processors, footprints});
    train::require_memory(needed.parts, needed.what);
}

}  // namespace farfield::measure
