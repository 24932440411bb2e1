#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <farfield/scheme/toml.hpp>
#include <functional>

#include "compute.hpp"
#include "quantity/kinds.hpp"
#include "support/trials.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

using Sees = std::function<bool(int q, int k)>;

/// Positions that reach the last output, by plain loops over every query and key of every layer.
int brute_force(const std::vector<Sees>& layers, int length) {
    std::vector<bool> reached(static_cast<std::size_t>(length));
    reached.back() = true;
    for (auto sees = layers.rbegin(); sees != layers.rend(); ++sees) {
        std::vector<bool> next = reached;
        for (int q = 0; q < length; ++q)
            for (int k = 0; k < length; ++k)
                if (reached[static_cast<std::size_t>(q)] && (*sees)(q, k)) next[static_cast<std::size_t>(k)] = true;
        reached = next;
    }
    return static_cast<int>(std::count(reached.begin(), reached.end(), true));
}

double value(const core::Result& result, const char* name) {
    const core::Cell* cell = result.find(name);
    REQUIRE(cell);
    REQUIRE(cell->number);
    return *cell->number;
}

core::Result of_mask(const std::string& mask, int layers, int length, const std::string& more = "") {
    return compute(receptive_field_kind(), "mask = '" + mask + "'\nlayers = " + std::to_string(layers) +
                                               "\nlength = " + std::to_string(length) + "\n" + more);
}

TEST_CASE("the exact reach is that of plain loops, for masks of every shape") {
    struct Example {
        const char* formula;
        Sees sees;
    };
    const std::vector<Example> examples = {
        {"n < 5", [](int q, int k) { return q - k < 5; }},
        {"n >= 3 and n < 6", [](int q, int k) { return q - k >= 3 && q - k < 6; }},
        {"n == 0 or n == 7", [](int q, int k) { return q == k || q - k == 7; }},
        {"n % 3 == 0 and n < 20", [](int q, int k) { return (q - k) % 3 == 0 && q - k < 20; }},
        {"floor(q/4) - floor(k/4) <= 1", [](int q, int k) { return q / 4 - k / 4 <= 1; }},
        {"k < 2 or n < 3", [](int q, int k) { return k < 2 || q - k < 3; }},
        {"(q + k) % 5 == 0", [](int q, int k) { return (q + k) % 5 == 0; }},
        {"q % 2 == 0 ? n < 3 : n < 9", [](int q, int k) { return q % 2 == 0 ? q - k < 3 : q - k < 9; }},
        {"n <= 0.1*q", [](int q, int k) { return 10 * (q - k) <= q; }},
        {"(k + 3) % (n + 2) == 1", [](int q, int k) { return (k + 3) % (q - k + 2) == 1; }},
    };
    for (const Example& example : examples) {
        // The language has no conditional of booleans, so that one is written with `and`.
        const bool is_conditional = std::string(example.formula).find('?') != std::string::npos;
        const std::string formula = is_conditional ? "n < (q % 2 == 0 ? 3 : 9)" : example.formula;
        for (const int layers : {1, 2, 5}) {
            const Sees causal = [&](int q, int k) { return k <= q && example.sees(q, k); };
            const int expected = brute_force(std::vector<Sees>(static_cast<std::size_t>(layers), causal), 41);
            INFO(formula << ", " << layers << " layers");
            const core::Result result = of_mask(formula, layers, 41);
            CHECK(value(result, "exact") == expected);
            CHECK(result.find("exact")->rigour == core::Rigour::exact);
            CHECK(value(result, "bound") >= expected);
            if (result.find("closed_form")->number) CHECK(value(result, "closed_form") == expected);
        }
    }
}

TEST_CASE("twelve layers of window 100 reach 1189 inputs, under the published bound of 1200") {
    const core::Result result =
        compute(receptive_field_kind(), "scheme = 'windowed'\nparams = { w = 100 }\nlayers = 12\nlength = 8192");
    CHECK(value(result, "exact") == 12 * 99 + 1);
    CHECK(value(result, "closed_form") == 12 * 99 + 1);
    CHECK(value(result, "bound") == 1200);
}

TEST_CASE("a window of 42 keeps twelve layers within 512 inputs, as does 43, and 44 does not") {
    CHECK(value(of_mask("n < 43", 12, 8192), "exact") == 505);
    CHECK(value(of_mask("n < 44", 12, 8192), "exact") == 517);
}

TEST_CASE("blocks of 512 with the previous one visible reach back a block a layer") {
    for (const int layers : {1, 3, 24}) {
        const core::Result result = of_mask("floor(q/512) - floor(k/512) <= 1", layers, 4096);
        const int expected = std::min(4096, 512 * (layers + 1));
        CHECK(value(result, "exact") == expected);
        CHECK(value(result, "closed_form") == expected);
        CHECK(value(result, "bound") == layers * 1024);
    }
}

TEST_CASE("blocks longer than all positions leave a causal mask") {
    // Sizes of blocks beyond every position, and beyond every integer of 64 bits.
    for (const char* size : {"41", "100", "10^8", "10^12", "10^30", "10^300"}) {
        INFO(size);
        const std::string formula = std::string("floor(q/") + size + ") - floor(k/" + size + ") <= 1";
        CHECK(value(of_mask(formula, 1, 41), "exact") == 41);
    }
    // Blocks of 5/2, which are no whole number: 0-2, 3-4, 5-7, 8-9, ...
    const Sees halves = [](int q, int k) { return k <= q && 2 * q / 5 == 2 * k / 5; };
    for (const int length : {10, 41, 43})
        CHECK(value(of_mask("floor(q/2.5) == floor(k/2.5)", 2, length), "exact") ==
              brute_force({halves, halves}, length));
}

TEST_CASE("a mask beyond the last position, or before the first, does not count") {
    for (const char* beyond : {"q >= 41", "q + k > 80", "k - q > 81 - 2*q"}) {
        INFO(beyond);
        const core::Result result = of_mask(std::string("n < 3 or ") + beyond, 2, 41);
        CHECK(value(result, "exact") == 5);
        CHECK(value(result, "bound") == 6);
        // Thirds convolved with thirds are 1, 2, 3, 2, 1 ninths.
        CHECK(value(result, "predicted") == 5);
    }
    CHECK(value(of_mask("n == 0 and (q + k) % 2 == 0", 2, 41), "bound") == 2);
    // The first position sees itself alone; the last one sees everything.
    CHECK(value(of_mask("n < 3 or q == 40", 2, 41), "exact") == 41);
    CHECK(value(of_mask("n < 3 or q == 40", 2, 41), "bound") == 82);
    CHECK(value(of_mask("n < 3 or q == 0", 2, 41), "bound") == 6);
}

TEST_CASE("a size whose reciprocal's reciprocal is another double is a size of blocks") {
    const int size = 100000;
    REQUIRE(1 / (1.0 / size) != size);
    const std::string formula = "floor(q/" + std::to_string(size) + ") - floor(k/" + std::to_string(size) + ") <= 1";
    const core::Result result = of_mask(formula, 1, 3 * size);
    CHECK(value(result, "closed_form") == 2 * size);
    CHECK(value(result, "exact") == 2 * size);
}

TEST_CASE("masks may differ from layer to layer, the first being the input's") {
    const std::string masks = "masks = ['n < 3', 'n == 10', 'q % 2 == 0']\nlength = 41";
    const std::vector<Sees> layers = {[](int q, int k) { return k <= q && q - k < 3; },
                                      [](int q, int k) { return q - k == 10; },
                                      [](int q, int k) { return k <= q && q % 2 == 0; }};
    CHECK(value(compute(receptive_field_kind(), masks), "exact") == brute_force(layers, 41));
}

TEST_CASE("the mask of a scheme may depend on the layer") {
    scheme::Registry schemes = scheme::Registry::builtin();
    core::Problems problems;
    const auto file = scheme::read_toml("[scheme.mine]\nmask = 'n < 3*layer'\n", "mine.toml");
    schemes.add(*file.find("scheme")->value.entries(), problems);
    const core::Result result =
        compute(receptive_field_kind(), "scheme = 'mine'\nlayers = 2\nlength = 41", {}, schemes);
    const std::vector<Sees> layers = {[](int q, int k) { return k <= q && q - k < 3; },
                                      [](int q, int k) { return k <= q && q - k < 6; }};
    CHECK(value(result, "exact") == brute_force(layers, 41));
}

TEST_CASE("a last query without a visible key has no prediction, and the counts stay") {
    const core::Result result = of_mask("k >= 6", 1, 6);
    CHECK(value(result, "exact") == 1);  // the last input, by the residual connection
    CHECK_FALSE(result.find("predicted")->number);
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].second == "a layer hides all keys from the last query");
}

TEST_CASE("without causality later positions count too") {
    CHECK(value(of_mask("abs(n) < 3", 2, 100, "causal = false"), "exact") == 5);
    const Sees both = [](int q, int k) { return (q + 2 * k) % 7 == 0; };
    for (int length = 38; length < 45; ++length)
        CHECK(value(of_mask("(q + 2*k) % 7 == 0", 2, length, "causal = false"), "exact") ==
              brute_force({both, both}, length));
}

TEST_CASE("a million positions take a moment") {
    const auto begin = std::chrono::steady_clock::now();
    CHECK(value(of_mask("n < 50000", 12, 1000000), "exact") == 12 * 49999 + 1);
    CHECK(value(of_mask("floor(q/1000) - floor(k/1000) <= 1", 12, 1000000), "exact") == 13000);
    CHECK(value(of_mask("k < 4 or n < 1000", 12, 1000000), "exact") == 12 * 999 + 1 + 4);
    CHECK((farfield::tests::is_sanitized || std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)));
}

TEST_CASE("the prediction convolves the bias's own attention") {
    // Window 2, equal contents: (1/2, 1/2); squared (1/4, 1/2, 1/4), of which three inputs hold over 0.99 and two over
    // 0.7.
    CHECK(value(of_mask("n < 2", 1, 50), "predicted") == 2);
    CHECK(value(of_mask("n < 2", 2, 50), "predicted") == 3);
    CHECK(value(of_mask("n < 2", 2, 50, "mass = 0.7"), "predicted") == 2);
    // Half residual: one layer is (3/4, 1/4), of which the nearest holds over 0.7.
    CHECK(value(of_mask("n < 2", 1, 50, "mass = 0.7\nresidual = 0.5"), "predicted") == 1);
}

TEST_CASE("the prediction of a model without positions is its share of all inputs") {
    // Of L equal inputs more than the mass m: floor(m L) + 1.
    for (const int length : {7, 100, 101})
        for (const char* mass : {"0.515", "0.775", "0.935"}) {
            INFO(length << ", " << mass);
            const std::string toml = "scheme = 'nope'\nlayers = 1\nlength = " + std::to_string(length) + "\nmass = ";
            CHECK(value(compute(receptive_field_kind(), toml + mass), "predicted") ==
                  std::floor(std::stod(mass) * length) + 1);
        }
}

TEST_CASE("the prediction of ALiBi is the geometric sequence's") {
    // Slope 1/2 (h = H = 1 would be 2^-8; head 1 of 8 is 2^-1): weights e^(-n/2), sum beyond n is e^(-(n+1)/2).
    // 0.99 needs e^(-c/2) < 0.01: c > 2 ln 100 = 9.21.
    const core::Result result =
        compute(receptive_field_kind(), "scheme = 'alibi'\nhead = 1\nheads = 8\nlayers = 1\nlength = 4096");
    CHECK(value(result, "predicted") == 10);
    CHECK(value(result, "exact") == 4096);
}

TEST_CASE("a mask that is the same for all queries and keys, or has such a part, is refused") {
    const auto told = [](const std::string& keys) {
        return refusal(receptive_field_kind(), keys + "\nlayers = 2\nlength = 9");
    };
    for (const std::string mask :
         {"n >= 0", "n < -1", "n < 3 or q < 0", "n < 3 and k <= q", "max(n, 0) == n", "n == q - k"}) {
        INFO(mask);
        CHECK_FALSE(told("mask = '" + mask + "'").empty());
        CHECK_FALSE(refusal(receptive_field_kind(), "masks = ['n < 2', '" + mask + "']\nlength = 9").empty());
    }
    CHECK_THAT(told("mask = 'n >= 0'"), Contains("is true whatever q, k and n are"));
    for (const std::string mask : {"n >= 0", "n < -1", "n < 3 and k <= q", "max(n, 0) == n"}) {
        INFO(mask);
        CHECK(told("mask = '" + mask + "'\ncausal = false").empty());
    }
    for (const std::string mask : {"n < 3", "n > 0", "n < 3 and q > 4", "q - k < 3 or k == 0", "n < L/2"}) {
        INFO(mask);
        CHECK(told("mask = '" + mask + "'").empty());
    }
}

TEST_CASE("a mask counts if the parts that decide it have a value") {
    // At n = 0 the first part settles it; 1/n > 0.3 up to n = 3.
    CHECK(value(of_mask("n == 0 or 1/n > 0.3", 1, 10), "exact") == 4);
    CHECK(value(of_mask("not (n > 0 and 1/n < 0.3)", 1, 10), "exact") == 4);
    // Of extended reals tanh(1/0) is above 0.1. The query itself is always seen, whatever a mask says of n = 0.
    CHECK_THAT(refusal(receptive_field_kind(), "mask = 'tanh(1/(n - 2)) > 0.1'\nlength = 9\nlayers = 1"),
               Contains("the mask cannot be decided at"));
    // A tie is decided by rationals only where every part has a value.
    for (const char* without : {"0*log(10 - q)", "0*sqrt(12 - q)", "0/(q - 15)"})
        CHECK_THAT(refusal(receptive_field_kind(),
                           "mask = 'n <= 0.1*q + " + std::string(without) + "'\nlength = 21\nlayers = 1"),
                   Contains("the mask cannot be decided at"));
}

TEST_CASE("missing keys are named") {
    CHECK_THAT(refusal(receptive_field_kind(), "scheme = 'windowed'\nlayers = 2"), Contains("'length'"));
    CHECK_THAT(refusal(receptive_field_kind(), "scheme = 'windowed'\nlength = 2"), Contains("'layers'"));
    CHECK_THAT(refusal(receptive_field_kind(), "mask = 'n + 1'\nlength = 9\nlayers = 1"), Contains("a condition"));
    CHECK_THAT(refusal(receptive_field_kind(), "masks = ['n < 2']\nlength = 9\nlayers = 2"),
               Contains("as many masks as layers"));
    CHECK_THAT(refusal(receptive_field_kind(), "length = 9\nlayers = 2"), Contains("nothing to compute from"));
}

}  // namespace
}  // namespace farfield::quantity
