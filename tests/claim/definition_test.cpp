#include <catch2/catch.hpp>

#include <farfield/formula/parser.hpp>

#include "claim/claim_support.hpp"
#include "claim/definition.hpp"

using namespace claim_support;
using core::Verdict;

namespace {

core::ClaimRecord judged(const std::string& holds) {
    return judge(holds);
}

bool by_definition(const std::string& holds) {
    const core::ClaimRecord claim = judged(holds);
    CHECK(claim.is_by_definition() == claim.readings.front().by_definition);
    CHECK_FALSE((claim.is_by_definition() && claim.certified));
    return claim.is_by_definition();
}

bool same(const std::string& a, const std::string& b) {
    return claim::is_one_expression(formula::parse(a), formula::parse(b));
}

core::Result identity(const std::string& left, const std::string& right) {
    core::Result result;
    result.name = "id";
    result.kind = "identity";
    result.set("holds", core::Cell::exact(1));
    result.evidence.facts = {{"setting.left", left}, {"setting.right", right}};
    return result;
}

core::ClaimRecord judged_identity(const std::string& left, const std::string& right, const std::string& holds) {
    const core::Result result = identity(left, right);
    return claim::judge(with_condition(holds), {&result});
}

}  // namespace

TEST_CASE("typed numbers on both sides decide by definition, whether the condition holds or fails") {
    CHECK(by_definition("1024 >= 1024 and 2048 >= 2048"));
    CHECK(by_definition("12 == 8192 or 12 == 1"));
    CHECK(by_definition("2047 - 1536 + 1 == 512"));
    CHECK(by_definition("not 768/12 == 64"));
    CHECK(judged("64 == 1").verdict == Verdict::refuted);
    CHECK(judged("1 == 1").verdict == Verdict::confirmed);
}

TEST_CASE("a quantity, a function, a power or a loop counts as computed") {
    CHECK_FALSE(by_definition("1024 >= fit.points"));
    CHECK_FALSE(by_definition("rounds(512/12, '42.7')"));
    CHECK_FALSE(by_definition("2^10 == 1024"));
    CHECK_FALSE(by_definition("sum(n, 1, 3, n) == 6"));
    CHECK_FALSE(by_definition("all(n, 1, 9, n < 10)"));
    CHECK_FALSE(by_definition("1 < 2 ? 3 < 4 : 5 < 6"));
    CHECK(judged("2^10 == 1024").certified);
}

TEST_CASE("a condition with the same truth for all values of its quantities is decided by definition") {
    CHECK(by_definition("1024 >= fit.points or 1 == 1"));
    CHECK(by_definition("exists(i, 0, 10, fit.points > i or i == 3)"));
    CHECK(by_definition("all(i, 0, 10, fit.points > i and i != 3)"));
    CHECK(by_definition("fit.points > 5 and 8 + 7 == 16"));
    CHECK_FALSE(by_definition("all(i, 0, 10, fit.points > i)"));
    // A function of typed numbers is computed.
    CHECK_FALSE(by_definition("fit.points > 5 and cos(3) > 0"));
    CHECK_FALSE(by_definition("fit.points > 5 or sum(i, 1, 3, i^2) == 14"));
    CHECK_FALSE(by_definition("exists(i, 0, 10, fit.points > i and i == 3)"));
}

TEST_CASE("one expression on both sides decides by definition") {
    CHECK(by_definition("all(i, 1, 12, i*8/12 == i*(8/12))"));
    CHECK(by_definition("fit.points + 1 == 1 + fit.points"));
    CHECK_FALSE(by_definition("fit.points == 8192"));
    // Undecided, since the value does not exist: nothing is decided by definition.
    CHECK_FALSE(by_definition("fit.gone == fit.gone"));
}

TEST_CASE(
    "sums and products in another order are the same expression; an equality that needs a proof is not definitional") {
    CHECK(same("-0.825*log(1 + n) - 0.8", "(-0.8) - 0.825*log(1 + 1*n)"));
    CHECK(same("a*b/4 + a*b/4", "b*0.5*a"));
    CHECK(same("a - a", "0"));
    CHECK(same("0*a", "0"));
    CHECK(same("(a - a)*b", "0"));
    CHECK(same("b*(a - a) + c", "c"));
    CHECK(same("(a + b)*2", "2*b + a*2"));
    CHECK(same("a/4 - a/4", "0/5"));
    CHECK_FALSE(same("(a - a)*b", "b"));
    CHECK_FALSE(same("b/(a - a)", "b"));
    CHECK_FALSE(same("b/0", "b"));
    CHECK_FALSE(same("a*b", "a"));
    CHECK_FALSE(same("2*a", "a"));
    CHECK_FALSE(same("f(a)", "f('a')"));
    CHECK_FALSE(same("w[a]", "w[b]"));
    CHECK_FALSE(same("sin(a)", "cos(a)"));
    CHECK_FALSE(same("a^b", "a % b"));
    CHECK_FALSE(same("sum(j, 0, 3, j)", "prod(j, 0, 3, j)"));
    CHECK_FALSE(same("a*(b + c)", "a*b + a*c"));
    CHECK_FALSE(same("sin(x)^2 + cos(x)^2", "1"));
    CHECK_FALSE(same("a/b", "b/a"));
    CHECK_FALSE(same("a + b", "a + c"));
}

TEST_CASE("an identity of an expression with itself decides by definition; any other is proved") {
    CHECK(judged_identity("log(1 + n) - 1", "-1 + log(n + 1)", "id.holds == 1").is_by_definition());
    CHECK(judged_identity("cos(x)^2 + sin(x)^2", "1", "id.holds == 1").certified);
    // Another number of it, and another kind of quantity that has these settings, are computed.
    core::Result other = identity("log(1 + n)", "log(n + 1)");
    other.set("boxes", core::Cell::exact(1));
    CHECK_FALSE(claim::judge(with_condition("id.boxes == 1"), {&other}).is_by_definition());
    CHECK(claim::judge(with_condition("id.holds == 1"), {&other}).is_by_definition());
    CHECK_FALSE(claim::judge(with_condition("id.holds == id.boxes"), {&other}).is_by_definition());
    other.kind = "collision";
    CHECK_FALSE(claim::judge(with_condition("id.holds == 1"), {&other}).is_by_definition());
}

TEST_CASE("a claim whose readings are certified, some by definition, is by definition") {
    const Results results;
    const auto of = [&](const std::string& more) {
        return claim::judge(with_condition("1 == 1", "[[claim.reading]]\nname = 'other'\n" + more), results.all);
    };
    CHECK(of("holds = 'fit.a < 0'").is_by_definition());
    CHECK_FALSE(of("holds = 'fit.b < 0'").is_by_definition());
    CHECK(of("holds = 'fit.b < 0'\nextra = true").is_by_definition());
    CHECK(of("holds = 'fit.a < 0'").verdict == Verdict::confirmed);
}
