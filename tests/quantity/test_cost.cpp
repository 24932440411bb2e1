#include <catch2/catch.hpp>

#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

double number(const core::Result& result, const char* name) {
    REQUIRE(result.find(name));
    CHECK(result.find(name)->rigour == core::Rigour::exact);
    return *result.find(name)->number;
}

TEST_CASE("scores are those counted token by token") {
    const long long length = 100;
    const long long window = 7;
    long long cached = 0;
    long long full = 0;
    long long re_encoded = 0;
    for (long long token = 1; token <= length; ++token) {
        cached += std::min(token, window);
        full += token;
        re_encoded += token <= window ? token : 0;
        for (long long again = 1; token > window && again <= window; ++again) re_encoded += again;
    }
    const core::Result result = compute(cost_kind(), "length = 100\nwindow = 7\nheads = 3\nhead_dim = 8\nlayers = 2");
    CHECK(number(result, "scores_cached") == cached);
    CHECK(number(result, "scores_full") == full);
    CHECK(number(result, "scores_re_encoded") == re_encoded);
    CHECK(number(result, "operations_cached") == cached * 4 * 8 * 3 * 2);
    CHECK(number(result, "operations_full") == full * 4 * 8 * 3 * 2);
    CHECK(number(result, "operations_re_encoded") == re_encoded * 4 * 8 * 3 * 2);
    CHECK(number(result, "row_bytes") == 3 * length * 2);
    CHECK(number(result, "cache_bytes") == 2 * 2 * 3 * 8 * 2 * window);
    CHECK(number(result, "full_cache_bytes") == 2 * 2 * 3 * 8 * 2 * length);
    CHECK(number(result, "matrix_bytes") == 3 * length * length * 2);
}

TEST_CASE("at w = 2048 and L = 8192 caching beats full attention and re-encoding does not") {
    const core::Result result = compute(cost_kind(), "length = 8192\nwindow = 2048");
    // By hand: 2048*2049/2 + 6144*2048, 8192*8193/2, 6145 * 2048*2049/2.
    CHECK(number(result, "scores_cached") == 14681088);
    CHECK(number(result, "scores_full") == 33558528);
    CHECK(number(result, "scores_re_encoded") == 12893291520.0);
}

TEST_CASE("the default window is the scheme's, or the length") {
    CHECK(number(compute(cost_kind(), "length = 50\nscheme = 'windowed'\nparams = { w = 10 }"), "scores_cached") ==
          55 + 40 * 10);
    CHECK(number(compute(cost_kind(), "length = 50\nscheme = 'alibi'"), "scores_cached") == 1275);
    CHECK(number(compute(cost_kind(), "length = 50\nscheme = 'windowed'\nparams = { w = inf }"), "scores_cached") ==
          1275);
    CHECK(number(compute(cost_kind(), "length = 50\nformat = 'fp32'"), "row_bytes") == 200);
}

TEST_CASE("learned values of a scheme are counted head by head and layer by layer") {
    const auto learned = [](const std::string& scheme) {
        return number(
            compute(cost_kind(), "length = 50\nheads = 4\nhead_dim = 8\nlayers = 3\nscheme = '" + scheme + "'"),
            "learned_parameters");
    };
    CHECK(learned("alibi") == 0);
    CHECK(learned("t5") == 32 * 4);                   // a table of 32 biases for each head, shared by layers
    CHECK(learned("kerple-log") == 2 * 4);            // two numbers for each head
    CHECK(learned("rotary-longrope") == 2 * 64);      // two tables of 64, shared by all
    CHECK(learned("learned-absolute") == 1024 * 32);  // a vector of 4 heads' width for each position
    // Shaw: in each layer, distances from 0 to 16 have a vector of a head's width each, for keys and for values.
    CHECK(learned("shaw") == 2 * 17 * 8 * 3);
}

TEST_CASE("a length is needed") {
    CHECK_THAT(refusal(cost_kind(), "window = 7"), Contains("lacks the key 'length'"));
}

}  // namespace
}  // namespace farfield::quantity
