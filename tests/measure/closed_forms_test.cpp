// Measured numbers against closed forms, of models whose logits are the bias of their scheme alone.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/core/size_text.hpp>
#include <farfield/model/footprint.hpp>

#include "measure/measure_support.hpp"

using namespace measure_support;

namespace {

measure::Subject biased(const std::string& bias, std::size_t seeds = 1) {
    return subject_of(training_of(scheme_of("bias = '" + bias + "'"), train::make_urn(8, 1)), seeds, true);
}

core::Result resolution(const std::string& bias, int length) {
    return measured("attention-resolution", "length = " + std::to_string(length) + "\ncontexts = 2\n", biased(bias));
}

}  // namespace

TEST_CASE("s at a distance is the mean over all queries that have a key there") {
    // Of -q the mean over q = n..L-1 is -(n + L - 1)/2; of -k over k = 0..L-1-n it is -(L - 1 - n)/2.
    constexpr int length = 9;
    const auto queries = resolution("-q", length), keys = resolution("-k", length);
    for (std::size_t n = 0; n < length; ++n) {
        INFO(n);
        const double at = static_cast<double>(n);
        CHECK(std::abs(queries.series->find("s")->values[n] + (at + length - 1) / 2) < 1e-5);
        CHECK(std::abs(keys.series->find("s")->values[n] + (length - 1 - at) / 2) < 1e-5);
    }
}

TEST_CASE("one distance far above all others has all of the attention, wherever it is") {
    // p = 1 there, and nothing at the next: R = 1 (1 - 0). e^1000 is beyond doubles.
    for (int at = 0; at <= 10; ++at) {
        INFO(at);
        CHECK(std::abs(value(resolution("if(n == " + std::to_string(at) + ", 1000, 0)", 12), "R") - 1) < 1e-12);
    }
    // Before the last distance, which follows the sums, half of the attention: R = (1/2) (1/2 - 0).
    CHECK(std::abs(value(resolution("if(n == 3 or n == 7, 1000, 0)", 12), "R") - 2 * 0.25) < 1e-12);
    // Neighbours: the first falls by nothing, the second by 1/2.
    CHECK(std::abs(value(resolution("if(n == 3 or n == 4, 1000, 0)", 12), "R") - 0.25) < 1e-12);
}

TEST_CASE("each layer and head has the resolution of its own bias") {
    // Two distances of equal logits at n < w: R = 1/w^2, with w = 1 to 4 for the four heads.
    const auto result = resolution("if(n < h + 2*(layer - 1), 1000, 0)", 12);
    for (int layer = 1; layer <= 2; ++layer) {
        double sum = 0;
        for (int head = 1; head <= 2; ++head) {
            const int w = head + 2 * (layer - 1);
            const std::string name = "R[layer=" + std::to_string(layer) + ",head=" + std::to_string(head) + "]";
            INFO(name);
            CHECK(std::abs(value(result, name) - 1.0 / (w * w)) < 1e-6);
            sum += 1.0 / (w * w);
        }
        CHECK(std::abs(value(result, "R[layer=" + std::to_string(layer) + "]") - sum / 2) < 1e-6);
    }
    CHECK(std::abs(value(result, "R") - (1 + 1.0 / 4 + 1.0 / 9 + 1.0 / 16) / 4) < 1e-6);
}

TEST_CASE("where no share of fewer tokens is above the threshold, the field is all tokens") {
    const auto subject = subject_of(training_of(*scheme::Registry::builtin().find("nope"), train::make_urn(8, 1)));
    const auto result = measured("gradient-field", "length = 12\ncontexts = 3\nthreshold = 0.999999\n", subject);
    CHECK(value(result, "erf") == 12);
}

TEST_CASE("learned values of layers alone and of heads alone are counted as formulas count them") {
    const auto values = [](const std::string& per) {
        const auto scheme =
            scheme_of("bias = \"-a[n % 3]\"\nlearn = { a = { init = 0.5, size = 3, per = " + per + " } }\n");
        const auto subject = subject_of(training_of(scheme, train::make_urn(8, 1)));
        auto changed = std::make_shared<model::Model<float>>(*subject.models[0]);
        // Row-major over layer or head, then entry: the second's last entry.
        changed->parameters()[changed->layout().at("scheme.a").offset + 3 + 2] = 7;
        return measured("learned", "", {subject.name, subject.trainings, {changed}});
    };
    for (const std::string axis : {"layer", "h"}) {
        INFO(axis);
        const auto result = values(axis == "h" ? "\"head\"" : "\"layer\"");
        CHECK(result.values.size() == 2 * 6);  // each also as that of the seed
        for (const char* at : {"1", "2"})
            for (const char* entry : {"0", "1", "2"}) {
                const std::string name = "a[" + axis + "=" + at + "," + entry + "]";
                INFO(name);
                CHECK(value(result, name) == (name == "a[" + axis + "=2,2]" ? 7 : 0.5));
            }
    }
    const auto shared = scheme_of("bias = \"-a*n\"\nlearn = { a = { init = 0.5 } }\n");
    const auto result = measured("learned", "", subject_of(training_of(shared, train::make_urn(8, 1))));
    CHECK(result.values.size() == 2);
    CHECK(value(result, "a") == 0.5);
}

TEST_CASE("answers of rows that go through in several passes are those of each row") {
    // 8192 tokens go through at a time, three rows of 2500 answers; the fourth row begins a pass.
    auto training = training_of(*scheme::Registry::builtin().find("nope"), train::make_parity());
    training.config.layers = 1;
    training.config.heads = 1;
    training.config.width = 2;
    const auto subject = subject_of(training);
    constexpr std::size_t segments = 4, length = 2500;
    const auto result = measured("perplexity", "lengths = [2500]\nsegments = 4\n", subject);
    double expected = 0;
    model::Workspace<float> workspace;
    std::vector<float> logits(training.config.vocabulary);
    for (std::size_t s = 0; s < segments; ++s) {
        const train::Row row = training.source->held_out(s, segments, length);
        double nll = 0, scored = 0;
        for (std::size_t t = 0; t < length; ++t) {
            if (row.weights[t] == 0) continue;
            subject.models[0]->last_logits(std::span<const train::Token>(row.tokens).first(t + 1), workspace, logits);
            double sum = 0;
            for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
            nll += std::log(sum) - logits[static_cast<std::size_t>(row.tokens[t + 1])];
            scored += 1;
        }
        expected += nll / scored / segments;
    }
    CHECK(std::abs(value(result, "nll[2500]") - expected) < 1e-5);
}

TEST_CASE("memory is said in bytes of what is counted") {
    const auto told = [](const std::string& kind, const std::string& toml, std::size_t processors,
                         std::size_t seeds) -> std::string {
        core::Problems problems;
        const measure::Subject subject = biased("-n", seeds);
        try {
            measure::find_kind(kind)
                ->prepare(scheme::read_toml(toml, "s.toml"), problems)
                ->require_memory({subject, nullptr, processors, [] { return false; }});
        } catch (const core::MissingError& error) {
            return error.what();
        }
        return "";
    };
    for (const std::size_t processors : {1, 3}) {
        const double many = static_cast<double>(processors);
        CHECK_THAT(told("attention-resolution", "length = 16777216\n", processors, 1),
                   Catch::Contains("attention matrices " + core::size_text(0x1p48 * sizeof(float) * many)));
    }
    for (const std::size_t seeds : {1, 3})
        CHECK_THAT(told("gradient-field", "length = 8\ncontexts = 100000000000000\n", 1, seeds),
                   Catch::Contains("shares of the contexts " +
                                   core::size_text(8e14 * sizeof(double) * static_cast<double>(seeds))));
    CHECK_THAT(told("perplexity", "lengths = [3, 8]\nsegments = 100000000000000\n", 1, 1),
               Catch::Contains("tokens " + core::size_text(9e14 * sizeof(train::Token))));
}

TEST_CASE(
    "losses take what a pass of each length takes, of one long row or of so many short ones as have 8192 tokens") {
    const measure::Subject subject = biased("-n*(1 + q/100)");
    const train::Training& training = subject.trainings.front();
    const auto pass = [&](std::size_t rows, std::size_t length) {
        return model::footprint(training.config, training.scheme, model::Work::losses, {rows, length, 1});
    };
    for (const std::size_t processors : {1, 3}) {
        core::Problems problems;
        model::Footprints footprints;
        const measure::Memory memory =
            measure::find_kind("perplexity")
                ->prepare(scheme::read_toml("lengths = [16, 100, 10000]\nsegments = 5\n", "s.toml"), problems)
                ->memory({subject.name, training, 1, processors, footprints});
        const auto bytes = [&](const std::string& name) {
            for (const train::MemoryPart& part : memory.parts)
                if (part.name == name) return part.bytes;
            return 0.0;
        };
        const auto times = static_cast<double>(processors);
        // 8192/16 = 512 rows, 8192/100 = 81.
        const model::Footprint passes[] = {pass(512, 16), pass(81, 100), pass(1, 10000)};
        double activations = 0, tables = 0;
        for (const model::Footprint& each : passes) {
            activations = std::max(activations, static_cast<double>(each.activations));
            tables += static_cast<double>(each.tables);
            CHECK(bytes("packed weights") == times * static_cast<double>(each.packed));
        }
        CHECK(bytes("activations") == times * activations);
        CHECK(bytes("tables of positions") == times * tables);
        CHECK(bytes("tokens") == 5 * 10001 * sizeof(train::Token));
    }
}

TEST_CASE("a length that is too short prepares nothing") {
    for (const auto& [kind, toml] : {std::pair("attention-resolution", "length = 1"),
                                     {"attention-resolution", ""},
                                     {"gradient-field", "length = 0"},
                                     {"gradient-field", ""}}) {
        INFO(kind << " " << toml);
        core::Problems problems;
        CHECK(measure::find_kind(kind)->prepare(scheme::read_toml(toml, "s.toml"), problems) == nullptr);
    }
    // Which keys a kind cannot do without.
    for (const measure::Kind& kind : measure::kinds())
        for (const core::Key& key : kind.keys) {
            INFO(kind.name << " " << key.name);
            CHECK(key.required == (key.name == "of" || key.name == "length" || key.name == "lengths"));
        }
}
