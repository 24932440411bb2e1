#include <catch2/catch.hpp>

#include "checks.hpp"
#include "compute.hpp"
#include "quantity/convolution.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Catch::Contains;

core::Result profile(const std::string& toml) {
    return compute(profile_kind(), toml, {}, scheme::Registry::builtin());
}

TEST_CASE("without a bias attention is spread evenly") {
    const core::Result result = profile("scheme = 'nope'\ndistances = { to = 99 }\nmass = 0.985\nwithin = 25");
    check_field(result, "min", 0.01, 1e-17);
    check_field(result, "max", 0.01, 1e-17);
    check_field(result, "width", 99);  // 98 hundredths are below 0.985, 99 above
    check_field(result, "share", 0.25, 1e-15);
}

TEST_CASE("a width on the edge is not certain") {
    // 99 of 100 equal shares are 0.99 on paper, not more than it: rounding decides, and the enclosure says so.
    const core::Result result = profile("scheme = 'nope'\ndistances = { to = 99 }");
    const core::Cell& width = *result.find("width");
    REQUIRE(width.enclosure);
    CHECK(width.enclosure->contains(100));
    CHECK(width.enclosure->lo == 99);
}

TEST_CASE("a mass that is not reached has no width") {
    const core::Result result = profile("scheme = 'nope'\ndistances = { to = 99 }\nresidual = 0\nlayers = 3");
    check_null(result, "width");
    check_null(result, "share");
}

TEST_CASE("a layer of all heads is the mean of their rows, before layers are convolved") {
    // Heads of slopes 1/16 and 1/256 over two distances: p_h = 1/(1 + e^(-slope)) at distance 0.
    const double first = (1 / (1 + std::exp(-1.0 / 16)) + 1 / (1 + std::exp(-1.0 / 256))) / 2;
    const std::string two = "scheme = 'alibi'\nheads = 2\nall_heads = true\ndistances = { to = 1 }\n";
    check_field(profile(two), "first", first, 1e-15);
    check_field(profile(two), "last", 1 - first, 1e-15);
    check_field(profile(two + "layers = 2"), "last", 2 * first * (1 - first), 1e-15);
    CHECK(profile(two).find("first")->enclosure->contains(first));
    const std::string alone = "scheme = 'alibi'\nhead = 1\nheads = 2\nall_heads = true\ndistances = { to = 1 }";
    CHECK_THAT(refusal(profile_kind(), alone), Contains("study.toml:4:13") && Contains("together with 'head'"));
    CHECK_THAT(refusal(profile_kind(), "formula = '-n'\nall_heads = true\ndistances = { to = 1 }"),
               Contains("without a scheme"));
}

TEST_CASE("rows without enclosures have the numbers of rows with them") {
    const std::string two = "scheme = 'alibi'\nheads = 2\nall_heads = true\ndistances = { to = 5 }\n";
    const std::string one = "scheme = 'alibi'\nhead = 2\nheads = 2\ndistances = { to = 5 }\n";
    for (const std::string& row : {one, two}) {
        for (const char* more : {"", "layers = 3\n", "residual = 0.25\n"}) {
            INFO(row << more);
            const core::Result enclosed = profile(row + more + "within = 2\n");
            const core::Result bare = profile(row + more + "within = 2\nenclosures = 'never'");
            for (const char* name : {"first", "last", "min", "max", "share"}) {
                INFO(name);
                CHECK(enclosed.find(name)->enclosure);
                CHECK_FALSE(bare.find(name)->enclosure);
                CHECK(std::abs(*bare.find(name)->number - *enclosed.find(name)->number) <= 1e-15);
            }
            const auto& values = bare.series->columns[1].values.here();
            for (std::size_t n = 0; n < 6; ++n)
                CHECK(std::abs(values[n] - enclosed.series->columns[1].values.here()[n]) <= 1e-15);
        }
    }
}

TEST_CASE("evidence has the logits of each head, the residual and the mass") {
    const core::Result result =
        profile("scheme = 'alibi'\nheads = 2\nall_heads = true\ndistances = { to = 5 }\nmass = 0.75");
    std::vector<std::string> keys;
    for (const auto& [key, text] : result.evidence.facts)
        if (!key.starts_with("setting.")) keys.push_back(key);
    CHECK(keys == std::vector<std::string>{"logits.1", "logits.2", "residual", "mass"});
}

TEST_CASE("a window masks the keys beyond it") {
    const core::Result result = profile("scheme = 'windowed'\nparams = { w = 4 }\ndistances = { to = 9 }");
    check_field(result, "first", 0.25, 1e-16);
    check_field(result, "last", 0);
    check_field(result, "width", 4);
}

TEST_CASE("ALiBi's profile is a geometric row") {
    // Head 1 of 8: logits -n/2, r = e^(-1/2); p_0 = (1 - r)/(1 - r^L); nearest m hold (1 - r^m)/(1 - r^L).
    const int L = 200;
    const double r = std::exp(-0.5);
    const double whole = 1 - std::pow(r, L);
    const core::Result result = profile("scheme = 'alibi'\nhead = 1\nheads = 8\ndistances = { to = 199 }\nwithin = 3");
    check_field(result, "first", (1 - r) / whole, 1e-15);
    check_field(result, "share", (1 - r * r * r) / whole, 1e-15);
    check_field(result, "width", std::ceil(std::log(1 - 0.99 * whole) / std::log(r)));
}

TEST_CASE("two layers of a geometric row are the sum of two geometric steps") {
    const double r = std::exp(-0.5);
    const double first = (1 - r) / (1 - std::pow(r, 200));
    const core::Result result = profile("scheme = 'alibi'\nhead = 1\nheads = 8\ndistances = { to = 199 }\nlayers = 2");
    for (std::size_t n = 0; n < 200; ++n) {
        const double expected = static_cast<double>(n + 1) * std::pow(r, static_cast<double>(n)) * first * first;
        const double value = result.series->columns[1].values[n];
        if (!(std::abs(value - expected) <= 1e-13 * expected))
            FAIL("n = " << n << ": " << value << ", not " << expected);
    }
}

TEST_CASE("a residual path keeps its share at distance 0") {
    const core::Result result = profile("scheme = 'nope'\ndistances = { to = 3 }\nresidual = 0.5");
    check_field(result, "first", 0.625, 1e-15);
    check_field(result, "last", 0.125, 1e-15);
}

TEST_CASE("the profile of another quantity's row is its softmax") {
    const Known known = {{"row", compute(curve_kind(), "formula = 'n == 2 ? log(3) : 0'\ndistances = { to = 4 }")}};
    check_field(compute(profile_kind(), "of = 'row'\nrange = { to = 2 }", known), "last", 0.6, 1e-15);
}

TEST_CASE("a long row is convolved by FFT within its stated error") {
    // R-fold sums of geometric steps: C(n + R - 1, n) r^n (1 - r)^R, here R = 5 of a row of 20,000.
    const std::size_t length = 20'000;
    const double r = 0.999;
    Row row;
    for (std::size_t n = 0; n < length; ++n) {
        const double share = (1 - r) * std::pow(r, static_cast<double>(n));
        row.values.push_back(share);
        row.enclosures.push_back({share * (1 - 1e-12), share * (1 + 1e-12)});
    }
    const Row power = convolution_power(row, 5);
    double expected = std::pow(1 - r, 5);
    for (std::size_t n = 0; n < length; ++n) {
        if (n > 0) expected *= r * static_cast<double>(n + 4) / static_cast<double>(n);
        const core::Enclosure& enclosure = power.enclosures[n];
        if (!(enclosure.lo <= expected && expected <= enclosure.hi && enclosure.width() <= 1e-11)) FAIL("n = " << n);
    }
}

TEST_CASE("a product that underflows is still enclosed") {
    // 1e-200 times itself is 1e-400, above 0 and below every double.
    Row row;
    for (const double share : {1e-200, 3e-200, 0.5}) {
        row.values.push_back(share);
        row.enclosures.push_back(core::Enclosure::exactly(share));
    }
    const Row square = convolution_power(row, 2);
    for (const std::size_t n : {0, 1}) {
        CHECK(square.enclosures[n].lo == 0);
        CHECK(square.enclosures[n].hi > 0);
        CHECK(square.enclosures[n].hi < 1e-320);
    }
    CHECK(square.enclosures[2].contains(1e-200));
    CHECK(square.enclosures[2].width() < 1e-214);
}

TEST_CASE("convolution by FFT and by sums agree") {
    const auto row_of = [](std::size_t length) {
        Row row;
        for (std::size_t n = 0; n < length; ++n) row.values.push_back(std::pow(1.0 + static_cast<double>(n), -2.0) / 2);
        return row;
    };
    const Row direct = convolution_power(row_of(4096), 3);
    const Row fast = convolution_power(row_of(4097), 3);
    for (std::size_t n = 0; n < 4096; ++n)
        if (!(std::abs(direct.values[n] - fast.values[n]) <= 1e-15)) FAIL("n = " << n);
}

TEST_CASE("curves that are not a row of attention are refused") {
    const auto text = [](const std::string& toml) {
        return refusal(profile_kind(), toml, {}, scheme::Registry::builtin());
    };
    CHECK_THAT(text("formula = '-inf'\ndistances = { to = 3 }"), Contains("no logit"));
    CHECK_THAT(text("formula = 'n'\ndistances = { from = 1, to = 3 }"), Contains("0, 1, 2"));
    CHECK_THAT(text("formula = 'n'\ndistances = { to = 3 }\nresidual = 2"), Contains("0 to 1"));
    CHECK_THAT(text("formula = 'n'\ndistances = { to = 3 }\nlayers = 0"), Contains("layers"));
}

TEST_CASE("a logit without a value leaves nothing of the row certified") {
    // tanh(1/0) has no value, though an interval of extended reals has one: [-1, 1].
    const core::Result result = profile("formula = 'tanh(1/n)'\ndistances = { to = 5 }");
    for (const char* name : {"min", "argmin", "max", "argmax", "first", "last", "width"}) {
        INFO(name);
        const core::Cell* cell = result.find(name);
        if (cell != nullptr) CHECK_FALSE(cell->enclosure);
    }
}

TEST_CASE("a row that masks every key is refused, and nothing is certified of one whose logit has no value") {
    const auto with_own = [](const std::string& own) {
        scheme::Registry schemes;
        core::Problems problems;
        schemes.add(*scheme::read_toml("[scheme.own]\n" + own, "study.toml").find("scheme")->value.entries(), problems);
        REQUIRE(problems.empty());
        return schemes;
    };
    const std::string row = "scheme = 'own'\ndistances = { to = 3 }";
    // In doubles 3 + 1e-17 is 3, so that the last key would be seen.
    CHECK_THAT(refusal(profile_kind(), row, {}, with_own("mask = 'n == q + 1e-17'\n")),
               Contains("no logit of the row is finite"));
    // log(0) has no value, whatever is hidden.
    const core::Result result = compute(profile_kind(), row, {}, with_own("bias = 'log(n)'\nmask = 'n < 2'\n"));
    REQUIRE(result.series->columns[1].enclosures.size() == 4);
    for (const core::Enclosure& weight : result.series->columns[1].enclosures) CHECK_FALSE(weight.lo <= weight.hi);
}

TEST_CASE("one row stands for several layers only if no formula depends on the layer") {
    scheme::Registry schemes;
    core::Problems problems;
    const std::string own =
        "[scheme.mixed]\nbias = 'if(layer == 2, 0, -n)'\n"
        "[scheme.masked]\nbias = '-n'\nmask = { formula = 'n < 3', when = 'layer > 1' }\n";
    schemes.add(*scheme::read_toml(own, "study.toml").find("scheme")->value.entries(), problems);
    REQUIRE(problems.empty());
    for (const std::string name : {"mixed", "masked"}) {
        const std::string row = "scheme = '" + name + "'\nlayer = 1\ndistances = { to = 7 }\nlayers = ";
        INFO(name);
        CHECK_THAT(refusal(profile_kind(), row + "3", {}, schemes),
                   Contains("study.toml:4:10") && Contains("depend on the layer"));
        // e^-n of the first layer: the share at distance 0 is 1 - e^-1 over 1 - e^-8.
        check_field(compute(profile_kind(), row + "1", {}, schemes), "first", -std::expm1(-1) / -std::expm1(-8), 1e-15);
    }
}

}  // namespace
}  // namespace farfield::quantity
