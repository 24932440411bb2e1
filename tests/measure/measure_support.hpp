// Models whose weights are known, as quantities read them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/train/synthetic.hpp>
#include <farfield/train/text.hpp>
#include <memory>
#include <string>
#include <vector>

#include "support/own_scheme.hpp"

namespace measure_support {

using namespace farfield;
using farfield::tests::scheme_of;

/// A training that need not be done: its models are drawn, not trained.
inline train::Training training_of(const scheme::Scheme& scheme, std::shared_ptr<const train::Source> source) {
    train::Training training;
    training.config.layers = 2;
    training.config.heads = 2;
    training.config.width = 16;
    training.config.vocabulary = source->vocabulary();
    training.config.train_length = 16;
    training.scheme = scheme;
    training.source = std::move(source);
    training.batch = 4;
    return training;
}

/// Untrained models of these seeds; all weights 0 if `zero`.
inline measure::Subject subject_of(const train::Training& training, std::size_t seeds = 1, bool zero = false) {
    measure::Subject subject{"subject", {}, {}};
    for (std::size_t seed = 0; seed < seeds; ++seed) {
        subject.trainings.push_back(training);
        subject.trainings.back().seed = seed;
        auto model = std::make_shared<model::Model<float>>(training.config, training.scheme, seed);
        if (zero) std::fill(model->parameters().begin(), model->parameters().end(), 0.0F);
        subject.models.push_back(std::move(model));
    }
    return subject;
}

/// Every value and column of a result is in the outline.
inline void check_outline(const core::Result& outline, const core::Result& result) {
    for (const auto& [name, cell] : result.values) {
        CAPTURE(name);
        CHECK(outline.find(name));
    }
    if (!result.series) return;
    // A table: all columns have as many rows.
    for (const core::Column& column : result.series->columns)
        CHECK(column.values.size() == result.series->columns.front().values.size());
    REQUIRE(outline.series);
    for (const core::Column& column : result.series->columns) {
        CAPTURE(column.name);
        CHECK(outline.series->find(column.name));
    }
}

/// The quantity declared by the text, of the subject, whose outline is checked.
inline core::Result measured(const std::string& kind, const std::string& toml, const measure::Subject& subject,
                             const measure::Subject* against = nullptr, std::size_t processors = 2) {
    core::Problems problems;
    const core::Entries settings = scheme::read_toml(toml, "s.toml");
    const auto prepared = measure::find_kind(kind)->prepare(settings, problems);
    if (prepared) prepared->check(subject.trainings.front().scheme, problems);
    problems.raise();
    const measure::Inputs inputs = {subject, against, processors, [] { return false; }};
    core::Result result = prepared->run(inputs);
    const core::Result outline = prepared->outline(inputs);
    check_outline(outline, result);
    // Which values other kinds have is known only when they were measured.
    if (kind == "learned") CHECK(outline.values.size() == result.values.size());
    return result;
}

inline double value(const core::Result& result, const std::string& name) {
    const core::Cell* cell = result.find(name);
    if (!cell || !cell->number) throw std::runtime_error("no value " + name);
    return *cell->number;
}

}  // namespace measure_support
