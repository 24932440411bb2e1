// Small trainings, and what is asked of them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/train/synthetic.hpp>
#include <farfield/train/training.hpp>
#include <string>

#include "support/folder.hpp"
#include "support/own_scheme.hpp"

namespace train_support {

using namespace farfield;
using namespace farfield::train;
using farfield::tests::Folder;
using farfield::tests::scheme_of;

/// A model of a few thousand parameters on the urn; a step takes less than a millisecond.
inline Training small(const std::string& scheme = "alibi", std::size_t steps = 40) {
    Training training;
    training.name = "small, seed 3";
    training.config.layers = 2;
    training.config.heads = 2;
    training.config.width = 16;
    training.config.vocabulary = 8;
    training.config.train_length = 16;
    training.scheme = *scheme::Registry::builtin().find(scheme);
    training.source = make_urn(8, 1);
    training.batch = 4;
    training.schedule = {2e-3, 4, steps, 0.1};
    training.seed = 3;
    return training;
}

/// What ended it before its time is thrown.
inline Trained train_one(const Training& training, const Control& control = {}) {
    Trained trained = train_all({training}, control).front();
    if (trained.failure) std::rethrow_exception(trained.failure);
    return trained;
}

/// Every bit of the parameters and of the losses.
inline void check_same(const Trained& a, const Trained& b) {
    REQUIRE(a.model->parameters().size() == b.model->parameters().size());
    CHECK(std::equal(a.model->parameters().begin(), a.model->parameters().end(), b.model->parameters().begin()));
    CHECK(a.losses == b.losses);
    CHECK(a.losses.size() > 0);
}

inline Control with_cache(const Folder& folder, std::size_t every = 0) {
    Control control;
    control.cache = folder.path();
    control.checkpoint_steps = every;
    return control;
}

}  // namespace train_support
