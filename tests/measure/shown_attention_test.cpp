// Quantities of heads, of a network that shows known attention and known vectors, some rows at a time.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "measure/measure_support.hpp"

using namespace measure_support;

namespace {

constexpr std::size_t layers = 3, heads = 2, length = 11;

/// A number of 0 to 1 that differs with every argument.
double mixed(std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    const double x = std::sin(1 + static_cast<double>(a) * 12.9 + static_cast<double>(b) * 78.2 +
                              static_cast<double>(c) * 37.7 + static_cast<double>(d) * 4.1) *
                     43758.5;
    return x - std::floor(x);
}

/// Attention of query q to key k <= q, which adds up to 1.
float attention(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) {
    double sum = 0;
    for (std::size_t i = 0; i <= q; ++i) sum += 0.1 + mixed(layer, head, q, i);
    return k > q ? 0 : static_cast<float>((0.1 + mixed(layer, head, q, k)) / sum);
}

class Shown : public measure::Network {
public:
    explicit Shown(std::size_t rows) : rows_(rows) {}

    void attention(std::span<const model::Token> tokens, model::Attention, model::Workspace<float>&,
                   const checkpoint::Forward::TakeRows& take) const override {
        REQUIRE(tokens.size() == length);
        for (std::size_t layer = 0; layer < layers; ++layer) {
            for (std::size_t head = 0; head < heads; ++head) {
                for (std::size_t first = 0; first < length; first += rows_) {
                    std::vector<float> rows;
                    for (std::size_t q = first; q < std::min(first + rows_, length); ++q)
                        for (std::size_t k = 0; k < length; ++k) rows.push_back(::attention(layer, head, q, k));
                    take(layer, head, first, rows);
                }
            }
        }
    }
    std::vector<model::Token> predicted(std::span<const model::Token>, std::size_t,
                                        model::Workspace<float>&) const override {
        return {};
    }
    void losses(const model::Batch&, std::size_t, model::Workspace<float>&, std::span<float>) const override {}
    std::vector<double> cached_losses(std::span<const model::Token>, std::size_t, std::size_t,
                                      model::Workspace<float>&) const override {
        return {};
    }
    std::vector<double> input_gradient(std::span<const model::Token>, model::Token, model::Workspace<float>&,
                                       std::size_t) const override {
        return {};
    }
    void vectors(std::span<const model::Token>, model::Workspace<float>&,
                 const checkpoint::Forward::TakeVectors&) const override {}

private:
    std::size_t rows_;
};

measure::Subject shown(std::size_t rows) {
    measure::Subject subject{
        "shown", {training_of(*scheme::Registry::builtin().find("nope"), train::make_urn(8, 1))}, {}};
    subject.trainings.front().config.layers = layers;
    subject.checkpoint = std::make_shared<const Shown>(rows);
    subject.is_checkpoint = true;
    return subject;
}

Approx near(double number) {
    return Approx(number).margin(1e-6);  // of float32
}

}  // namespace

TEST_CASE("the attention to the first token is that of each layer's heads, however many rows come at a time") {
    for (const std::size_t rows : {1, 4, 11}) {
        const auto result = measured("attention-sink", "length = 11\ncontexts = 2\neps = 0.3\n", shown(rows));
        double all = 0, above = 0;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            double sum = 0, high = 0;
            for (std::size_t head = 0; head < heads; ++head) {
                double mean = 0;
                for (std::size_t q = 0; q < length; ++q) mean += attention(layer, head, q, 0) / length;
                sum += mean;
                high += mean > 0.3;
            }
            const std::string index = "[layer=" + std::to_string(layer + 1) + "]";
            CHECK(value(result, "attention" + index) == near(sum / heads));
            CHECK(value(result, "share" + index) == near(high / heads));
            CHECK(result.series->find("layer")->values[layer] == static_cast<double>(layer + 1));
            CHECK(result.series->find("attention")->values[layer] == near(sum / heads));
            CHECK(result.series->find("share")->values[layer] == near(high / heads));
            all += sum / heads / layers;
            above += high / heads / layers;
        }
        CHECK(value(result, "attention") == near(all));
        CHECK(value(result, "share") == near(above));
    }
}

TEST_CASE("attention by distance is a mean over heads and queries, however many rows come at a time") {
    for (const std::size_t rows : {1, 4, 11}) {
        for (const std::size_t skip : {0, 2, 10}) {
            CAPTURE(rows, skip);
            const auto result =
                measured("attention-by-distance", "length = 11\ncontexts = 2\nskip = " + std::to_string(skip) + "\n",
                         shown(rows));
            double within = 0;
            for (std::size_t n = 0; n < length; ++n) {
                double sum = 0, count = 0;
                for (std::size_t q = n + skip; q < length; ++q) {
                    for (std::size_t layer = 0; layer < layers; ++layer) {
                        for (std::size_t head = 0; head < heads; ++head) {
                            const double here = attention(layer, head, q, q - n);
                            sum += here;
                            count += 1;
                            // Of the queries from 5 on, 6 of 11.
                            if (q >= 5) within += here / (6 * layers * heads);
                        }
                    }
                }
                CHECK(result.series->find("n")->values[n] == static_cast<double>(n));
                CHECK(result.series->find("p")->values[n] == near(count > 0 ? sum / count : 0));
                CHECK(result.series->find("c")->values[n] == near(within));
            }
            CHECK(value(result, "total") == near(within));
        }
    }
}

TEST_CASE("the resolution is that of each head's mean logits, however many rows come at a time") {
    // The numbers shown are taken as logits. Eq. (4), with sums over n = 0..9.
    for (const std::size_t rows : {1, 4, 11}) {
        const auto result = measured("attention-resolution", "length = 11\ncontexts = 2\n", shown(rows));
        std::vector<double> all(length, 0);
        double mean = 0;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            for (std::size_t head = 0; head < heads; ++head) {
                std::vector<double> s(length, 0);
                for (std::size_t n = 0; n < length; ++n) {
                    for (std::size_t q = n; q < length; ++q)
                        s[n] += attention(layer, head, q, q - n) / static_cast<double>(length - n);
                    all[n] += s[n] / (layers * heads);
                }
                double total = 0, sum = 0;
                for (std::size_t n = 0; n + 1 < length; ++n) {
                    total += std::exp(s[n]);
                    sum += std::exp(s[n]) * (std::exp(s[n]) - std::exp(s[n + 1]));
                }
                const double own = sum / (total * total);
                CHECK(value(result, "R[layer=" + std::to_string(layer + 1) + ",head=" + std::to_string(head + 1) +
                                        "]") == near(own));
                mean += own / (layers * heads);
            }
        }
        CHECK(value(result, "R") == near(mean));
        for (std::size_t n = 0; n < length; ++n) CHECK(result.series->find("s")->values[n] == near(all[n]));
    }
}

TEST_CASE("queries and keys of each pair have their own norms, and the slow half begins in the middle") {
    // Heads of 2, 4, 6 and 12 entries: 1, 2, 3 and 6 pairs, of which 0, 1, 1 and 3 are the slower half.
    for (const std::size_t width : {4, 8, 12, 24}) {
        train::Training training = training_of(*scheme::Registry::builtin().find("rotary"), train::make_urn(8, 1));
        training.config.width = width;
        training.config.ffn = 0;
        const measure::Subject subject = subject_of(training, 2);
        const auto result = measured("frequency-use", "length = 8\ncontexts = 2\n", subject);
        const std::size_t pairs = width / 4;
        double slow_share = 0;
        model::Workspace<float> workspace(1);
        for (std::size_t seed = 0; seed < 2; ++seed) {
            std::vector<double> query(pairs, 0), key(pairs, 0);
            for (std::size_t text = 0; text < 2; ++text) {
                const train::Row row = subject.source().held_out(text, 2, 8);
                subject.models[seed]->vectors(
                    std::span(row.tokens).first(8), workspace,
                    [&](std::size_t, std::size_t, std::span<const float> q, std::span<const float> k) {
                        for (std::size_t i = 0; i < pairs; ++i) {
                            const bool halves = training.scheme.rotate->pairs == scheme::Pairs::halves;
                            const std::size_t a = halves ? i : 2 * i, b = halves ? i + pairs : 2 * i + 1;
                            query[i] += std::hypot(q[a], q[b]) / (2 * 8 * 4);
                            key[i] += std::hypot(k[a], k[b]) / (2 * 8 * 4);
                        }
                    });
            }
            double all = 0, slow = 0;
            for (std::size_t i = 0; i < pairs; ++i) {
                const std::string index = "[i=" + std::to_string(i) + ",seed=" + std::to_string(seed) + "]";
                CHECK(value(result, "q" + index) == near(query[i]));
                CHECK(value(result, "k" + index) == near(key[i]));
                all += query[i] * key[i];
                slow += i < pairs - pairs / 2 ? 0 : query[i] * key[i];
            }
            slow_share += slow / all / 2;
        }
        CHECK(value(result, "slow") == near(slow_share));
    }
}
