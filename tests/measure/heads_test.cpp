// Quantities over every head, of models whose attention is known: all weights 0, so that it is even.
#include <catch2/catch.hpp>
#include <cmath>

#include "measure/measure_support.hpp"

using namespace farfield;
using namespace measure_support;

namespace {

constexpr std::size_t length = 8;

measure::Subject even(std::size_t seeds = 1) {
    const auto scheme = *scheme::Registry::builtin().find("nope");
    return subject_of(training_of(scheme, train::make_urn(8, 1)), seeds, true);
}

/// Query q attends to each of its q + 1 keys by 1/(q + 1).
double share(std::size_t query) {
    return 1 / static_cast<double>(query + 1);
}

Approx near(double number) {
    return Approx(number).margin(1e-6);  // of float32
}

}  // namespace

TEST_CASE("even attention to the first token is the mean of 1/(q + 1)") {
    double mean = 0;
    for (std::size_t q = 0; q < length; ++q) mean += share(q) / length;
    const core::Result low = measured("attention-sink", "length = 8\ncontexts = 3\n", even(2));
    CHECK(value(low, "attention") == near(mean));  // 0.3397
    CHECK(value(low, "attention[layer=2]") == near(mean));
    CHECK(value(low, "share") == 1);
    CHECK(value(low, "share[seed=1]") == 1);
    const core::Result high = measured("attention-sink", "length = 8\ncontexts = 3\neps = 0.35\n", even());
    CHECK(value(high, "share") == 0);
    CHECK(value(high, "share[layer=1]") == 0);
    CHECK(value(high, "attention") == near(mean));
}

TEST_CASE("even attention by distance is the mean over the queries that have the distance") {
    for (const std::size_t skip : {0, 1, 3}) {
        CAPTURE(skip);
        const core::Result result = measured("attention-by-distance",
                                             "length = 8\ncontexts = 2\nskip = " + std::to_string(skip) + "\n", even());
        const core::Column* p = result.series->find("p");
        const core::Column* c = result.series->find("c");
        double within = 0;
        for (std::size_t n = 0; n < length; ++n) {
            CAPTURE(n);
            double sum = 0, count = 0;
            for (std::size_t q = n + skip; q < length; ++q) {
                sum += share(q);
                count += 1;
                if (q >= length / 2) within += share(q) / (length - length / 2);
            }
            CHECK(p->values[n] == near(count > 0 ? sum / count : 0));
            CHECK(c->values[n] == near(within));
            if (n == 3) CHECK(value(result, "within[4]") == near(within));
        }
        CHECK(value(result, "total") == near(within));
    }
}

TEST_CASE("losses by position have the mean of the losses of whole segments") {
    const auto scheme = *scheme::Registry::builtin().find("alibi");
    const measure::Subject subject = subject_of(training_of(scheme, train::make_urn(8, 1)), 2);
    const core::Result whole = measured("perplexity", "lengths = [12]\nsegments = 5\nprotocol = 'pieces'\n", subject);
    for (const std::size_t bin : {1, 3, 12}) {
        CAPTURE(bin);
        const core::Result bins =
            measured("loss-by-position", "length = 12\nsegments = 5\nbin = " + std::to_string(bin) + "\n", subject);
        double mean = 0;
        for (std::size_t begin = 0; begin < 12; begin += bin)
            mean += value(bins, "nll[" + std::to_string(begin) + "]") * static_cast<double>(bin) / 12;
        CHECK(mean == near(value(whole, "nll[12]")));
    }
    // Of bins of 5, the last has 2 positions.
    const core::Result bins = measured("loss-by-position", "length = 12\nsegments = 5\nbin = 5\n", subject);
    const double mean =
        (5 * value(bins, "nll[0,seed=1]") + 5 * value(bins, "nll[5,seed=1]") + 2 * value(bins, "nll[10,seed=1]")) / 12;
    CHECK(mean == near(value(whole, "nll[12,seed=1]")));
    CHECK(bins.find("se[0]") != nullptr);
    // One segment has no spread, and its losses are those of the segment.
    const core::Result one = measured("loss-by-position", "length = 12\nsegments = 1\nbin = 12\n", subject);
    CHECK(one.find("se[0]") == nullptr);
    REQUIRE(one.series.has_value());
    CHECK(one.series->columns.size() == 2);
    model::Workspace<float> workspace(1);
    const train::Row row = subject.source().held_out(0, 1, 12);
    std::vector<float> losses(12);
    double sum = 0;
    subject.models[1]->losses({std::span(row.tokens).first(12), std::span(row.tokens).subspan(1), 1, 12, 12}, workspace,
                              losses);
    for (const float loss : losses) sum += loss;
    CHECK(value(one, "nll[0,seed=1]") == near(sum / 12));
}

TEST_CASE("the error of a bin is that of its segments, averaged over seeds") {
    const auto scheme = *scheme::Registry::builtin().find("alibi");
    const measure::Subject subject = subject_of(training_of(scheme, train::make_urn(8, 1)), 2);
    model::Workspace<float> workspace(1);
    for (const std::size_t segments : {2, 5}) {
        CAPTURE(segments);
        const core::Result result = measured(
            "loss-by-position", "length = 12\nbin = 5\nsegments = " + std::to_string(segments) + "\n", subject);
        REQUIRE(result.series->find("position")->values == std::vector<double>{0, 5, 10});
        for (std::size_t bin = 0; bin < 3; ++bin) {
            const std::size_t begin = 5 * bin, end = std::min<std::size_t>(begin + 5, 12);
            std::vector<double> means;
            for (std::size_t s = 0; s < segments; ++s) {
                const train::Row row = subject.source().held_out(s, segments, 12);
                const std::span<const train::Token> tokens = row.tokens;
                double sum = 0;
                for (const auto& model : subject.models) {
                    std::vector<float> losses(12);
                    model->losses({tokens.first(12), tokens.subspan(1), 1, 12, 12}, workspace, losses);
                    for (std::size_t i = begin; i < end; ++i) sum += losses[i];
                }
                means.push_back(sum / static_cast<double>(2 * (end - begin)));
            }
            const auto count = static_cast<double>(segments);
            double mean = 0, squares = 0;
            for (const double each : means) mean += each / count;
            for (const double each : means) squares += (each - mean) * (each - mean);
            const double error = std::sqrt(squares / (count - 1) / count);
            CHECK(error > 1e-3);
            CHECK(value(result, "se[" + std::to_string(begin) + "]") == near(error));
            CHECK(result.series->find("se")->values[bin] == near(error));
        }
    }
}

TEST_CASE("unless stated, a bin is a sixteenth of the length, and at least one position") {
    const auto scheme = *scheme::Registry::builtin().find("alibi");
    const measure::Subject subject = subject_of(training_of(scheme, train::make_urn(8, 1)));
    // 48/16 = 3, and 40/16 = 2.5 is rounded down; 8 is less than 16.
    for (const auto& [whole, bin] : {std::pair(48, 3), {40, 2}, {8, 1}}) {
        const core::Result result =
            measured("loss-by-position", "length = " + std::to_string(whole) + "\nsegments = 2\n", subject);
        std::vector<double> positions;
        for (int position = 0; position < whole; position += bin) positions.push_back(position);
        CHECK(result.series->find("position")->values == positions);
    }
}

TEST_CASE("norms by pair follow the scheme's pairs of columns") {
    for (const char* pairs : {"interleaved", "halves"}) {
        CAPTURE(pairs);
        const scheme::Scheme scheme = scheme_of(
            "extends = 'rotary'\nrotate = { angle = 'p * base^(-2*i/d)', pairs = '" + std::string(pairs) + "' }\n");
        const measure::Subject subject = subject_of(training_of(scheme, train::make_urn(8, 1)));
        const core::Result result = measured("frequency-use", "length = 8\ncontexts = 2\n", subject);
        const std::size_t columns = 8, half = 4;
        std::vector<double> expected(half, 0);
        model::Workspace<float> workspace(1);
        for (std::size_t text = 0; text < 2; ++text) {
            const train::Row row = subject.source().held_out(text, 2, 8);
            subject.models[0]->vectors(std::span(row.tokens).first(8), workspace,
                                       [&](std::size_t, std::size_t, std::span<const float> q, std::span<const float>) {
                                           REQUIRE(q.size() == columns);
                                           for (std::size_t i = 0; i < half; ++i) {
                                               const bool halves = std::string_view(pairs) == "halves";
                                               const std::size_t a = halves ? i : 2 * i;
                                               const std::size_t b = halves ? i + half : 2 * i + 1;
                                               expected[i] += std::hypot(q[a], q[b]) / (2 * 8 * 4);
                                           }
                                       });
        }
        for (std::size_t i = 0; i < half; ++i)
            CHECK(value(result, "q[i=" + std::to_string(i) + "]") == near(expected[i]));
    }
    core::Problems problems;
    const auto prepared =
        measure::find_kind("frequency-use")->prepare(scheme::read_toml("of = 't'\nlength = 8\n", "s.toml"), problems);
    prepared->check(*scheme::Registry::builtin().find("alibi"), problems);
    CHECK(problems.size() == 1);
}
