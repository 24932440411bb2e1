#include "measure/contexts.hpp"

#include <farfield/train/memory.hpp>

#include "measure/tasks.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {

Memory OverContexts::memory(const Measured& of) const {
    Memory memory{train::parts_of(of.footprint(model::Work::input_gradient, {1, length_, 1}), of.processors),
                  "attention of '" + of.name + "' at length " + std::to_string(length_)};
    const std::size_t numbers = length_ * length_ * of.processors;
    memory.parts.push_back({"attention matrices", static_cast<double>(numbers * sizeof(float))});
    return memory;
}

void OverContexts::read_texts(const Alive& models, const Inputs& inputs, const ReadText& read) const {
    require_memory(inputs);
    in_parallel(models.models.size(), inputs, [&](std::size_t model, model::Workspace<float>& workspace) {
        for (std::size_t text = 0; text < contexts_ && !inputs.interrupted(); ++text) {
            const train::Row row = inputs.subject.source().held_out(text, contexts_, length_);
            read(model, std::span(row.tokens).first(length_), workspace);
        }
    });
}

Feed read_contexts(const core::Entries& settings) {
    if (core::read_integer(settings, "length").value_or(0) < 2) return {};
    const auto contexts = core::Settings(settings, {&contexts_key, 1}).count("contexts");
    return read_feed(settings, "contexts", contexts);
}

}  // namespace farfield::measure
