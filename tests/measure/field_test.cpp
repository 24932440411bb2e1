#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/numerics/philox.hpp>
#include <farfield/numerics/statistics.hpp>
#include <numeric>

#include "measure/measure_support.hpp"

using namespace measure_support;

namespace {

scheme::Scheme windowed(const std::string& w) {
    core::Problems problems;
    return scheme::Registry::builtin().with_params("windowed", {{"w", w}}, {}, problems);
}

const core::Column& column(const core::Result& result, const std::string& name) {
    return *result.series->find(name);
}

}  // namespace

TEST_CASE("a windowed model's gradient is zero beyond its exact reach, and its field within") {
    // R = 2 layers of w = 4: 2 (4 - 1) + 1 = 7 inputs reach the last output.
    const auto result = measured("gradient-field", "length = 32\ncontexts = 6\n",
                                 subject_of(training_of(windowed("4"), train::make_urn(8, 1))));
    for (std::size_t n = 0; n < 32; ++n) {
        INFO(n);
        CHECK((column(result, "s").values[n] > 0) == (n < 7));
    }
    CHECK(value(result, "erf") <= 7);
    CHECK(value(result, "erf") >= 1);
    CHECK(value(result, "censored") == 0);
    for (const char* name : {"erf", "erf_lo", "erf_hi", "share", "share_lo", "share_hi"})
        CHECK(result.find(name)->censored.empty());
    CHECK(std::abs(value(result, "share") - 1) < 1e-12);
}

TEST_CASE("the field by what enters the second of two layers ends with the window") {
    const auto subject = subject_of(training_of(windowed("4"), train::make_urn(8, 1)));
    const auto result = measured("gradient-field", "length = 32\ncontexts = 6\nlayer = 2\n", subject);
    for (std::size_t n = 0; n < 32; ++n) CHECK((column(result, "s").values[n] > 0) == (n < 4));
    CHECK_THROWS_WITH(measured("gradient-field", "length = 32\ncontexts = 6\nlayer = 3\n", subject),
                      Catch::Contains("layer 3 of a model with 2") && Catch::Contains("1 to 2"));
}

TEST_CASE("one context is enough, and a field within the input has no note of censored seeds") {
    const auto result = measured("gradient-field", "length = 32\ncontexts = 1\n",
                                 subject_of(training_of(windowed("4"), train::make_urn(8, 1))));
    CHECK(value(result, "censored") == 0);
    for (const auto& [name, text] : result.notes) CHECK(name != "censored");
    // Every sample of one context is that context.
    for (const char* name : {"erf_lo", "erf_hi"}) CHECK(value(result, name) == value(result, "erf"));
    for (const char* name : {"share_lo", "share_hi"}) CHECK(value(result, name) == value(result, "share"));
}

TEST_CASE("shares add up to one from the nearest token on") {
    const auto result =
        measured("gradient-field", "length = 24\ncontexts = 5\n",
                 subject_of(training_of(*scheme::Registry::builtin().find("nope"), train::make_urn(8, 1)), 2));
    const auto& c = column(result, "c").values;
    const auto& s = column(result, "s").values;
    REQUIRE(c.size() == 24);
    double sum = 0;
    for (std::size_t n = 0; n < 24; ++n) {
        sum += s[n];
        CHECK(std::abs(c[n] - sum) < 1e-12);
    }
    CHECK(std::abs(c[23] - 1) < 1e-12);
    CHECK(std::abs(value(result, "share") - c[15]) < 1e-12);  // of the last Ltr = 16
    CHECK(value(result, "erf_lo") <= value(result, "erf"));
    CHECK(value(result, "erf") <= value(result, "erf_hi"));
    CHECK(value(result, "share_lo") <= value(result, "share"));
    CHECK(value(result, "share") <= value(result, "share_hi"));
}

TEST_CASE("a gradient that reaches all inputs evenly is censored") {
    // Without positions and with equal tokens no input differs from another but the last one.
    const auto text = train::make_text({std::string(4000, 'a')}, {}, {0.5, false, 100, {}});
    const auto result = measured("gradient-field", "length = 20\ncontexts = 4\nthreshold = 0.999\n",
                                 subject_of(training_of(*scheme::Registry::builtin().find("nope"), text)));
    CHECK(value(result, "erf") == 20);
    CHECK(value(result, "censored") == 1);
    CHECK(result.find("erf_sd") == nullptr);  // of one seed
}

TEST_CASE("shares that rounding leaves below the threshold need all tokens") {
    // The shares of even attention add up to 1 or to a number just below, the threshold.
    const auto result =
        measured("gradient-field", "length = 24\ncontexts = 9\nthreshold = 0.9999999999999999\n",
                 subject_of(training_of(*scheme::Registry::builtin().find("nope"), train::make_urn(8, 1))));
    for (const char* name : {"erf", "erf_lo", "erf_hi"}) CHECK(value(result, name) >= 23);
}

TEST_CASE("some seeds that are censored are counted, and leave a lower bound of the mean") {
    // Without positions and with equal tokens all 20 inputs count alike; windows of 2 in 2 layers reach 3 at most.
    const auto text = train::make_text({std::string(4000, 'a')}, {}, {0.5, false, 100, {}});
    const train::Training training = training_of(*scheme::Registry::builtin().find("nope"), text);
    measure::Subject subject = subject_of(training, 2);
    subject.models[1] = std::make_shared<model::Model<float>>(training.config, windowed("2"), 1);
    const auto result = measured("gradient-field", "length = 20\ncontexts = 4\nthreshold = 0.999\n", subject);
    const double short_one = value(result, "erf[seed=1]");
    CHECK(short_one <= 3);
    CHECK(value(result, "erf[seed=0]") == 20);
    CHECK(value(result, "erf") == (20 + short_one) / 2);
    CHECK(value(result, "censored") == 1);
    for (const char* name : {"erf", "erf_lo", "erf_hi"}) {
        INFO(name);
        const core::Cell& cell = *result.find(name);
        CHECK(cell.censored == "1 of 2 seeds");
        CHECK(cell.enclosure == core::Enclosure{*cell.number, INFINITY});
        CHECK(cell.rigour == core::Rigour::none);
    }
    CHECK(result.find("erf[seed=0]")->censored == "1 of 1 seed");
    CHECK(result.find("erf[seed=1]")->censored.empty());
    CHECK_FALSE(result.find("erf_sd")->number);
    for (const char* name : {"share", "share_lo", "share_hi"}) CHECK(result.find(name)->censored.empty());
    REQUIRE(result.notes.back().first == "censored");
    CHECK(result.notes.back().second == "1 of 2 seeds need all 20 tokens that were fed: erf is a lower bound");
}

TEST_CASE("a bootstrap's ends are those of the middle 95 % of the means") {
    const auto training = training_of(*scheme::Registry::builtin().find("nope"), train::make_urn(8, 1));
    const auto subject = subject_of(training);
    const auto result = measured("gradient-field", "length = 40\ncontexts = 60\n", subject);
    std::vector<double> shares;  // of the last Ltr = 16 inputs
    model::Workspace<float> workspace;
    for (std::size_t context = 0; context < 60; ++context) {
        const train::Row row = training.source->held_out(context, 60, 40);
        const auto norms =
            subject.models[0]->input_gradient(std::span(row.tokens).first(40), row.tokens[40], workspace);
        shares.push_back(std::accumulate(norms.end() - 16, norms.end(), 0.0) /
                         std::accumulate(norms.begin(), norms.end(), 0.0));
    }
    const double error = numerics::sample_deviation(shares) / std::sqrt(60.0);
    const double mean = numerics::mean(shares);
    CHECK(value(result, "share") == Approx(mean).epsilon(1e-6));
    // The means of a thousand draws, by the generator's stream "boot": 25 are left out at each end.
    std::vector<double> means;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        numerics::Random random(0, 0x626f6f74, i);
        double sum = 0;
        for (int draw = 0; draw < 60; ++draw) sum += shares[random.below(60)];
        means.push_back(sum / 60);
    }
    std::sort(means.begin(), means.end());
    CHECK(value(result, "share_lo") == Approx(means[24]).epsilon(1e-9));
    CHECK(value(result, "share_hi") == Approx(means[975]).epsilon(1e-9));
    // Means of 60 are close to normal: 1.96 errors to both sides. Of a thousand the ends of 95 % are known to 0.1 error
    // each; the extremes are at about 3.2 errors.
    CHECK((mean - value(result, "share_lo")) / error == Approx(1.96).margin(0.3));
    CHECK((value(result, "share_hi") - mean) / error == Approx(1.96).margin(0.3));
}
