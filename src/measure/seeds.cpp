#include "measure/seeds.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/numerics/statistics.hpp>

namespace farfield::measure {

Alive alive(const Subject& subject) {
    if (subject.is_checkpoint) return {{0}, {subject.checkpoint}, false};
    Alive found;
    for (std::size_t i = 0; i < subject.models.size(); ++i) {
        if (!subject.models[i]) continue;
        found.seeds.push_back(subject.trainings[i].seed);
        found.models.push_back(network_of(*subject.models[i]));
    }
    if (found.models.empty()) {
        throw core::MissingError("measuring '" + subject.name + "'", "the training of every seed diverged",
                                 "a smaller lr, a longer warmup, or clip");
    }
    return found;
}

Alive untrained(const Subject& subject) {
    Alive every;
    every.has_seeds = !subject.is_checkpoint;
    for (const train::Training& training : subject.trainings) every.seeds.push_back(training.seed);
    every.models.resize(every.seeds.size());
    return every;
}

void require_finite(std::span<const double> numbers, const Subject& subject, std::size_t length) {
    if (std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); })) return;
    throw core::MissingError("measuring '" + subject.name + "' at length " + std::to_string(length),
                             "the model's numbers overflow", "smaller numbers in the scheme's formulas");
}

std::string value_name(const std::string& name, const std::string& index) {
    return index.empty() ? name : name + "[" + index + "]";
}

void set_over_seeds(core::Result& result, const std::string& name, const std::string& index, const Alive& models,
                    std::span<const double> values) {
    result.set(value_name(name, index), core::Cell::of(numerics::mean(values)));
    if (values.size() > 1)
        result.set(value_name(name + "_sd", index), core::Cell::of(numerics::sample_deviation(values)));
    for (std::size_t i = 0; models.has_seeds && i < values.size(); ++i) {
        const std::string seed = "seed=" + std::to_string(models.seeds[i]);
        result.set(value_name(name, index.empty() ? seed : index + "," + seed), core::Cell::of(values[i]));
    }
}

}  // namespace farfield::measure
