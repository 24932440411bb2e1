// Quantities and a scheme's numbers without a study around them. Expected values are the papers' formulas, by hand.
#include <catch2/catch.hpp>

#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/quantity/compute.hpp>
#include <farfield/quantity/scheme_values.hpp>
#include <farfield/scheme/toml.hpp>

#include "quantity/work.hpp"

using namespace farfield;

namespace {

const scheme::Registry& builtin() {
    return scheme::Registry::builtin();
}

quantity::Request request(const std::string& kind, const std::string& toml) {
    return {kind, scheme::read_toml(toml, "")};
}

}  // namespace

TEST_CASE("a quantity is computed by itself, and from another's result") {
    const core::Result row =
        quantity::compute(request("curve", "scheme = 'alibi'\nhead = 8\nheads = 8\ndistances = { to = 9 }"), builtin());
    CHECK(row.series->columns[1].values[9] == -9.0 / 256);
    const core::Result least = quantity::compute(request("extremum", "of = 'row'"), builtin(), {{"row", &row}});
    CHECK(least.find("min")->number == -9.0 / 256);
    CHECK(least.kind == "extremum");
}

TEST_CASE("the errors of a single quantity are reported at once") {
    CHECK_THROWS_WITH(quantity::compute(request("curv", ""), builtin()), Catch::Contains("Did you mean 'curve'?"));
    CHECK_THROWS_WITH(quantity::compute(request("extremum", "of = 'row'\nrang = 1"), builtin()),
                      Catch::Contains("unknown key 'rang'"));
    CHECK_THROWS_WITH(quantity::compute(request("extremum", "of = 'row'"), builtin()),
                      Catch::Contains("unknown quantity 'row'"));
}

TEST_CASE("a bias over distances is that of a query, and the mask is causal") {
    const scheme::Scheme& alibi = *builtin().find("alibi");
    const scheme::Context context{.head = 1, .heads = 8};
    std::vector<double> found(4), of_query(4);
    quantity::bias_at(alibi, context, evaluate::Range{0, 1, 4}, std::nullopt, found);
    quantity::bias_at(alibi, context, evaluate::Range{0, 1, 4}, 100, of_query);
    CHECK(found == std::vector<double>{0, -0.5, -1, -1.5});
    CHECK(of_query == found);
    std::vector<std::uint8_t> mask(9);
    quantity::mask_matrix(alibi, context, 3, mask);
    CHECK(mask == std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0, 1, 1, 1});
}

TEST_CASE("a bias of the length has that of the positions up to the last distance or the query, unless one is given") {
    scheme::Registry schemes;
    core::Problems problems;
    schemes.add(*scheme::read_toml("[scheme.share]\nbias = 'n + 100*L'\n", "").find("scheme")->value.entries(),
                problems);
    REQUIRE(problems.empty());
    const auto first = [&](double given, std::optional<long long> query) {
        std::vector<double> found(4);
        quantity::bias_at(*schemes.find("share"), scheme::Context{.length = given}, evaluate::Range{0, 1, 4}, query,
                          found);
        for (std::size_t n = 0; n < 4; ++n) CHECK(found[n] == found[0] + static_cast<double>(n));
        return found[0] / 100;
    };
    CHECK(first(0, std::nullopt) == 4);
    CHECK(first(0, 9) == 10);
    CHECK(first(50, std::nullopt) == 50);
    CHECK(first(50, 9) == 50);
}

TEST_CASE("a mask of the length has that of the matrix, unless one is given") {
    scheme::Registry schemes;
    core::Problems problems;
    schemes.add(*scheme::read_toml("[scheme.last]\nmask = 'k >= L - 2'\n", "").find("scheme")->value.entries(),
                problems);
    REQUIRE(problems.empty());
    for (const std::size_t length : {4, 5}) {
        for (const double given : {0, 4}) {
            std::vector<std::uint8_t> mask(length * length), expected;
            quantity::mask_matrix(*schemes.find("last"), scheme::Context{.length = given}, length, mask);
            const double all = given == 0 ? static_cast<double>(length) : given;
            for (std::size_t q = 0; q < length; ++q)
                for (std::size_t k = 0; k < length; ++k)
                    expected.push_back(k <= q && static_cast<double>(k) >= all - 2 ? 1 : 0);
            CHECK(mask == expected);
        }
    }
}

TEST_CASE("rotations and embeddings at positions beyond one stretch") {
    const auto far = evaluate::Range{0, 1000, 600};  // 600 x 16 pairs
    const quantity::RotationValues turned = quantity::rotation_at(*builtin().find("rotary"), {.head_dim = 32}, far);
    REQUIRE(turned.angle.size() == 600 * 16);
    CHECK(turned.angle[599 * 16 + 15] == Approx(599e3 * std::pow(10000, -30.0 / 32)).epsilon(1e-13));
    CHECK(turned.scale[599 * 16] == 1);
    const std::vector<double> added =
        quantity::embedding_at(*builtin().find("sinusoidal"), {.width = 4}, evaluate::Range{0, 1, 3});
    CHECK(added[2 * 4 + 2] == Approx(std::sin(2 * 0.01)));
    CHECK(added[2 * 4 + 1] == Approx(std::cos(2.0)));
    CHECK_THROWS_WITH(quantity::embedding_at(*builtin().find("learned-absolute"), {.width = 4}, far),
                      Catch::Contains("is learned"));
}

TEST_CASE("a formula at many points is refused above a day's work") {
    // x + 1 is two operations a point with the point itself.
    const formula::Node tree = formula::parse("x + 1");
    CHECK_NOTHROW(quantity::check_work(tree, quantity::most_operations / 2));
    CHECK_THROWS_WITH(quantity::check_work(tree, quantity::most_operations),
                      Catch::Contains("about 2.0e+14 operations") && Catch::Contains("at most 1e+14, a day's work"));
    CHECK_THROWS_AS(quantity::check_work(tree, quantity::most_operations * 0.5001), core::UserError);
    CHECK_NOTHROW(quantity::check_work(formula::parse("x"), quantity::most_operations));
    CHECK_THROWS_AS(quantity::check_work(formula::parse("sum(i, 1, 10^12, i)"), 1000), core::UserError);
}
