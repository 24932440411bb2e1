#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/error.hpp>

#include "measure/measure_support.hpp"

using namespace measure_support;

namespace {

std::shared_ptr<const train::Source> urn() {
    return train::make_urn(8, 1);
}

const scheme::Scheme& builtin(const std::string& name) {
    return *scheme::Registry::builtin().find(name);
}

/// Loss of one target after exactly these tokens, by a pass of its own.
double loss_after(const model::Model<float>& model, std::span<const train::Token> context, train::Token next) {
    model::Workspace<float> workspace;
    std::vector<float> logits(model.config().vocabulary);
    model.last_logits(context, workspace, logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    return std::log(sum) - logits[static_cast<std::size_t>(next)];
}

}  // namespace

TEST_CASE("a model of zeros has the perplexity of its vocabulary at every length, by every protocol") {
    const auto subject = subject_of(training_of(builtin("alibi"), urn()), 2, true);
    for (const std::string protocol : {"last-token", "pieces", "sliding-cache"}) {
        const std::string targets = protocol == "pieces" ? "" : "targets = 3\n";
        const auto result =
            measured("perplexity", "lengths = [16, 24, 50]\nsegments = 6\n" + targets + "protocol = '" + protocol + "'",
                     subject);
        for (const std::string length : {"16", "24", "50"}) {
            CHECK(std::abs(value(result, "ppl[" + length + "]") - 8) < 1e-5);
            CHECK(std::abs(value(result, "nll[" + length + ",seed=1]") - std::log(8.0)) < 1e-6);
            CHECK(value(result, "ppl_sd[" + length + "]") < 1e-9);
        }
        CHECK(std::abs(value(result, "delta[50]")) < 1e-9);
        CHECK(std::abs(value(result, "delta_se[50]")) < 1e-9);
        CHECK(result.find("delta[16]") == nullptr);
    }
}

TEST_CASE("last-token scores the same last tokens with more context before them") {
    const auto training = training_of(builtin("alibi"), urn());
    const auto subject = subject_of(training);
    const auto result = measured("perplexity", "lengths = [8, 20]\nsegments = 5\ntargets = 2\n", subject);
    for (const std::size_t length : {8, 20}) {
        double expected = 0;
        for (std::size_t s = 0; s < 5; ++s) {
            const train::Row row = training.source->held_out(s, 5, 20);
            const std::span<const train::Token> tokens = row.tokens;
            for (const std::size_t t : {18, 19}) {
                const auto context = tokens.subspan(20 - length, t + 1 - (20 - length));
                expected += loss_after(*subject.models[0], context, row.tokens[t + 1]) / 10;
            }
        }
        CHECK(std::abs(value(result, "nll[" + std::to_string(length) + "]") - expected) < 1e-5);
    }
}

TEST_CASE("unless stated, the last 16 tokens are scored, or as many as the smallest length has") {
    const auto subject = subject_of(training_of(builtin("alibi"), urn()));
    const auto losses = [&](const std::string& lengths, const std::string& more) {
        return measured("perplexity", "lengths = " + lengths + "\nsegments = 4\n" + more, subject);
    };
    const std::vector<std::pair<std::string, std::string>> defaults = {
        {"[8, 20]", "8"}, {"[20, 8]", "8"}, {"[16, 24]", "16"}, {"[24, 40]", "16"}, {"[3, 5, 4]", "3"}};
    for (const auto& [lengths, targets] : defaults) {
        INFO(lengths);
        const core::Result stated = losses(lengths, "targets = " + targets);
        const core::Result unstated = losses(lengths, "");
        for (const auto& [name, cell] : stated.values) CHECK(value(unstated, name) == *cell.number);
    }
}

TEST_CASE("pieces score every token once, with the context of its own piece") {
    const auto training = training_of(builtin("alibi"), urn());
    const auto subject = subject_of(training);
    const auto result = measured("perplexity", "lengths = [8, 20]\nsegments = 3\nprotocol = 'pieces'\n", subject);
    for (const std::size_t length : {8, 20}) {
        double expected = 0;
        for (std::size_t s = 0; s < 3; ++s) {
            const train::Row row = training.source->held_out(s, 3, 20);
            const std::span<const train::Token> tokens = row.tokens;
            for (std::size_t t = 0; t < 20; ++t) {
                const std::size_t from = t / length * length;
                expected += loss_after(*subject.models[0], tokens.subspan(from, t + 1 - from), row.tokens[t + 1]) / 60;
            }
        }
        CHECK(std::abs(value(result, "nll[" + std::to_string(length) + "]") - expected) < 1e-5);
    }
}

TEST_CASE("a cache as long as the context gives the loss of the context") {
    const auto subject = subject_of(training_of(builtin("alibi"), urn()));
    const std::string lengths = "lengths = [12, 40]\nsegments = 4\ntargets = 4\n";
    const auto full = measured("perplexity", lengths, subject);
    const auto cached = measured("perplexity", lengths + "protocol = 'sliding-cache'\nwindow = 40\n", subject);
    CHECK(std::abs(value(full, "nll[40]") - value(cached, "nll[40]")) < 1e-5);
    CHECK(std::abs(value(full, "delta[40]") - value(cached, "delta[40]")) < 1e-5);
}

// Keys are multiplied by up to e^88 = 1.65e38, which is a float; a key of 3 times that is not.
TEST_CASE("numbers that overflow in the model leave no value") {
    const auto scheme = scheme_of("rotate = { angle = \"0\", scale = \"exp(-p)\" }\n");
    const auto subject = subject_of(training_of(scheme, urn()));
    auto large = std::make_shared<model::Model<float>>(*subject.models[0]);
    for (float& weight : large->parameters()) weight *= 100;
    const measure::Subject other{subject.name, subject.trainings, {large}};
    for (const auto& [kind, settings] :
         std::vector<std::pair<std::string, std::string>>{{"perplexity", "lengths = [16, 89]\nsegments = 4\n"},
                                                          {"perplexity", "lengths = [89, 16]\nsegments = 4\n"},
                                                          {"gradient-field", "length = 89\ncontexts = 3\n"},
                                                          {"attention-resolution", "length = 89\ncontexts = 2\n"}}) {
        INFO(kind);
        CHECK_THROWS_WITH(measured(kind, settings, other),
                          Catch::Contains("at length 89") && Catch::Contains("overflow"));
    }
}

TEST_CASE("a windowed model's loss does not change beyond its exact reach") {
    // Two layers of window 3 see 2 (3 - 1) + 1 = 5 tokens; the last two targets need 6 inputs. Chi et al., section 5.
    core::Problems problems;
    const auto windowed = scheme::Registry::builtin().with_params("windowed", {{"w", "3"}}, {}, problems);
    const auto result = measured("perplexity", "lengths = [6, 7, 64]\nsegments = 8\ntargets = 2\n",
                                 subject_of(training_of(windowed, urn())));
    CHECK(std::abs(value(result, "delta[7]")) < 1e-6);
    CHECK(std::abs(value(result, "delta[64]")) < 1e-6);
}

TEST_CASE("the deltas' error is that of paired differences of segments, averaged over seeds") {
    const auto training = training_of(builtin("nope"), urn());
    const auto subject = subject_of(training, 2);
    const auto result = measured("perplexity", "lengths = [4, 20]\nsegments = 7\ntargets = 1\n", subject);
    std::vector<double> differences;
    for (std::size_t s = 0; s < 7; ++s) {
        const train::Row row = training.source->held_out(s, 7, 20);
        const std::span<const train::Token> tokens = row.tokens;
        double sum = 0;
        for (const auto& model : subject.models) {
            sum += loss_after(*model, tokens.first(20), row.tokens[20]) -
                   loss_after(*model, tokens.subspan(16, 4), row.tokens[20]);
        }
        differences.push_back(sum / 2);
    }
    double mean = 0, squares = 0;
    for (const double each : differences) mean += each / 7;
    for (const double each : differences) squares += (each - mean) * (each - mean);
    CHECK(std::abs(value(result, "delta[20]") - mean) < 1e-5);
    CHECK(std::abs(value(result, "delta_se[20]") - std::sqrt(squares / 6 / 7)) < 1e-5);
    CHECK(std::abs(value(result, "delta[20]") -
                   (value(result, "delta[20,seed=0]") + value(result, "delta[20,seed=1]")) / 2) < 1e-12);
}

TEST_CASE("the bound of a process is that of its closed form") {
    const auto result = measured("perplexity", "lengths = [4, 32]\nsegments = 2000\ntargets = 1\n",
                                 subject_of(training_of(builtin("alibi"), urn())));
    // Five standard errors of 2000 losses whose standard deviation is below 1.
    CHECK(std::abs(value(result, "optimal[4]") - train::urn_nll(8, 1, 4)) < 0.11);
    CHECK(std::abs(value(result, "optimal[32]") - train::urn_nll(8, 1, 32)) < 0.11);
    CHECK(value(result, "optimal[4]") <= value(result, "nll[4]"));
}

TEST_CASE("parity is scored at its answer alone, on rows of each length") {
    const auto result = measured("perplexity", "lengths = [8, 12]\nsegments = 50\n",
                                 subject_of(training_of(builtin("alibi"), train::make_parity()), 1, true));
    CHECK(std::abs(value(result, "nll[12]") - std::log(4.0)) < 1e-6);
    CHECK(value(result, "accuracy[12]") == 0);  // each of four symbols has a quarter: nothing is above one half
    CHECK(value(result, "optimal[12]") == 0);
}

// 8192 tokens go through at a time: 128 rows of 64, so that the last of these 140 are a pass of their own.
TEST_CASE("rows that may not be cut are scored at their own targets, in every pass") {
    const auto training = training_of(builtin("alibi"), train::make_copy(4));
    auto subject = subject_of(training);
    // Larger weights, so that the model is sure of some targets.
    auto sure = std::make_shared<model::Model<float>>(*subject.models[0]);
    for (float& weight : sure->parameters()) weight *= 6;
    subject.models[0] = sure;
    const auto result = measured("perplexity", "lengths = [64, 10]\nsegments = 140\n", subject);
    for (const std::size_t length : {64, 10}) {
        double losses = 0, known = 0;
        for (std::size_t s = 0; s < 140; ++s) {
            const train::Row row = training.source->held_out(s, 140, length);
            const std::span<const train::Token> tokens = row.tokens;
            double sum = 0, sure_of = 0, scored = 0;
            for (std::size_t t = 0; t < length; ++t) {
                if (row.weights[t] == 0) continue;
                const double loss = loss_after(*subject.models[0], tokens.first(t + 1), row.tokens[t + 1]);
                sum += loss;
                sure_of += std::exp(-loss) > 0.5;
                scored += 1;
            }
            CHECK(scored == static_cast<double>(length / 2));
            losses += sum / scored / 140;
            known += sure_of / scored / 140;
        }
        const std::string index = "[" + std::to_string(length) + "]";
        CHECK(known > 0.05);
        CHECK(known < 0.95);
        CHECK(value(result, "nll" + index) == Approx(losses).epsilon(1e-5));
        CHECK(value(result, "accuracy" + index) == Approx(known).margin(1e-9));
    }
}

TEST_CASE("a training that diverged in one seed leaves the others, in all nothing") {
    auto subject = subject_of(training_of(builtin("alibi"), urn()), 2, true);
    subject.models[0] = nullptr;
    const auto result = measured("perplexity", "lengths = [8]\nsegments = 4\ntargets = 1\n", subject);
    CHECK(result.find("nll[8,seed=0]") == nullptr);
    CHECK(std::abs(value(result, "nll[8]") - std::log(8.0)) < 1e-6);
    subject.models[1] = nullptr;
    CHECK_THROWS_AS(measured("perplexity", "lengths = [8]\nsegments = 4\n", subject), core::MissingError);
}

TEST_CASE("invalid lengths are reported") {
    const auto subject = subject_of(training_of(builtin("alibi"), urn()));
    for (const std::string lengths : {"[]", "[0]", "[8, 8]", "[1.5]", "['a']"})
        CHECK_THROWS_AS(measured("perplexity", "lengths = " + lengths, subject), core::UserError);
    CHECK_THROWS_AS(measured("perplexity", "lengths = [8]\ntargets = 9", subject), core::UserError);
}

TEST_CASE("the losses of a checkpoint's rows are those of each row, adjacent or apart") {
    const checkpoint::Checkpoint file(FARFIELD_SOURCE "/tests/fuzz/corpus/checkpoint/tiny.gguf");
    const auto forward = std::make_shared<const checkpoint::Forward>(file, 2);
    const scheme::Scheme scheme = file.scheme(scheme::Registry::builtin(), {}, {});
    const auto network = measure::network_of(forward, scheme);
    const std::vector<model::Token> tokens = {0, 1, 2, 3, 3, 1, 0, 2, 1};
    const std::span<const model::Token> all = tokens;
    model::Workspace<float> workspace;
    constexpr std::size_t length = 3;
    for (const std::size_t stride : {0, 3, 4, 5}) {
        const std::size_t step = stride == 0 ? length : stride;  // 0: one row follows the other
        for (const std::size_t last : {1, 2, 3}) {
            CAPTURE(stride, last);
            std::vector<float> found(2 * last), alone(last);
            network->losses({all.first(step + length), all.subspan(1, step + length), 2, length, stride}, last,
                            workspace, found);
            for (std::size_t row = 0; row < 2; ++row) {
                const auto targets = all.subspan(row * step + 1, length).last(last);
                forward->losses(scheme, all.subspan(row * step, length), targets, alone);
                for (std::size_t i = 0; i < last; ++i) CHECK(found[row * last + i] == alone[i]);
            }
        }
    }
}
