// The numbers of the figures in reports of the doctor.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include <farfield/doctor/doctor.hpp>

namespace farfield::doctor {
namespace {

TEST_CASE("distances of a figure are 0, 1 and the last, with equal ratios between them") {
    CHECK(figure_distances(1) == std::vector<long long>{0});
    CHECK(figure_distances(2) == std::vector<long long>{0, 1});
    CHECK(figure_distances(5) == std::vector<long long>{0, 1, 2, 3, 4});
    const std::vector<long long> all = figure_distances(1000001);
    REQUIRE(all.size() > 200);
    CHECK(all.size() <= 401);
    CHECK(all[0] == 0);
    CHECK(all[1] == 1);
    CHECK(all.back() == 1000000);
    // 400 points from 1 to 10^6: neighbours have the ratio 10^(6/399), up to the rounding to integers.
    const double ratio = std::pow(10.0, 6.0 / 399);
    for (std::size_t i = 2; i < all.size(); ++i) {
        CHECK(all[i] > all[i - 1]);
        if (all[i - 1] >= 1000) CHECK(std::abs(static_cast<double>(all[i]) / all[i - 1] - ratio) <= 1e-3);
    }
}

TEST_CASE("logits of equal queries and keys are the mean cosine times the factors") {
    const Diagnosis found = diagnose_text(
        R"({"model_type": "llama", "head_dim": 4, "num_hidden_layers": 1, "max_position_embeddings": 64, "rope_theta": 100,
            "rope_scaling": {"rope_type": "yarn", "factor": 1.0, "attention_factor": 2.0,
                             "original_max_position_embeddings": 64}})",
        "config.json");
    REQUIRE(found.layer_types.size() == 1);
    const std::vector<double> logits = logits_at(found.layer_types[0], {0, 1, 63});
    REQUIRE(logits.size() == 3);
    // The frequencies are 1 and 100^(-1/2) = 0.1, and the attention factor counts for the query and the key.
    for (std::size_t i = 0; i < 3; ++i) {
        const double n = std::vector<double>{0, 1, 63}[i];
        CHECK(std::abs(logits[i] - 4 * (std::cos(n) + std::cos(n / 10)) / 2) <= 1e-14);
    }
    CHECK(logits_at(Positions{}, {0, 1}).empty());
}

}  // namespace
}  // namespace farfield::doctor
