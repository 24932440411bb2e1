#include "measure/contexts.hpp"

#include <farfield/train/memory.hpp>

#include "measure/tasks.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {

void OverContexts::require_memory(const Inputs& inputs) const {
    if (inputs.subject.is_checkpoint) return;  // each pass asks by itself
    const train::Training& training = inputs.subject.trainings.front();
    std::vector<train::MemoryPart> parts = train::parts_of(
        model::footprint(training.config, training.scheme, model::Work::input_gradient, {1, length_, 1}),
        inputs.processors);
    const std::size_t numbers = length_ * length_ * inputs.processors;
    parts.push_back({"attention matrices", static_cast<double>(numbers * sizeof(float))});
    train::require_memory(parts, "attention of '" + inputs.subject.name + "' at length " + std::to_string(length_));
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
    const auto contexts = static_cast<std::size_t>(core::read_integer(settings, "contexts").value_or(32));
    return read_feed(settings, "contexts", contexts);
}

}  // namespace farfield::measure
