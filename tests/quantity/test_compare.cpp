// Tensors of tests/references/compare/tensors.py, as a study reads them.
#include <catch2/catch.hpp>

#include "quantity/checks.hpp"
#include "quantity/kinds.hpp"
#include "quantity/tensors.hpp"

namespace farfield::quantity {
namespace {

core::Result computed(const std::string& toml) {
    return compute_of_tensor(compare_kind(), toml);
}

std::string refused(const std::string& toml) {
    return refusal_of_tensor(compare_kind(), toml);
}

TEST_CASE("compare of an equal tensor") {
    const core::Result result = computed("scheme = 'alibi'\nfile = 'alibi.npy'");
    check_field(result, "equal", 1, 0, false);
    check_field(result, "explained", 1, 0, false);
    check_field(result, "variations", 0, 0, false);
    check_field(result, "beyond", 0, 0, false);
    check_field(result, "compared", 6 * 16 * 17 / 2);
    check_field(result, "ulp", 0, 0, false);
    check_null(result, "explained_ulp");
}

TEST_CASE("compare names the variation by a field") {
    const core::Result result = computed("scheme = 'alibi'\nfile = 'alibi-public.npy'");
    check_field(result, "equal", 0, 0, false);
    check_field(result, "explained", 1, 0, false);
    check_field(result, "variations", 1, 0, false);
    check_field(result, "public_slopes", 1, 0, false);
    check_field(result, "head_from_0", 0, 0, false);
    check_field(result, "explained_ulp", 0, 2, false);
    // Head 5 of 6 has the slope 2^-1 by the public rule and 2^(-20/3) by the formula.
    check_field(result, "index_0", 4, 0, false);
    check_field(result, "found",
                -0.5 * (result.find("index_1")->number.value() - result.find("index_2")->number.value()), 0, false);
}

TEST_CASE("compare takes params, parts, tensors of an archive and inputs") {
    check_field(computed("scheme = 'alibi'\nfile = 'alibi-public.npy'\nparams = { slopes = 1 }"), "equal", 1, 0, false);
    check_field(computed("scheme = 'rotary'\nfile = 'cos.npy'\npart = 'cos'"), "equal", 1, 0, false);
    check_field(computed("scheme = 'rotary'\nfile = 'rotary.npz'\ntensor = 'sin'"), "equal", 1, 0, false);
    check_field(computed("scheme = 'rotary'\nfile = 'q-halves.npy'\ninput = 'q.npy'"), "other_pairing", 1, 0, false);
    check_field(computed("scheme = 'windowed'\nlet = { w = 8 }\nfile = 'window.npy'"), "equal", 1, 0, false);
}

TEST_CASE("compare uses the places of numbers, and reports where they differ") {
    const std::string rounded = "scheme = 'rotary'\npart = 'cos'\nfile = 'sparse.npz'\ntensor = 'positions-half'\n";
    const core::Result named = computed(rounded + "at = { positions = 'positions' }");
    check_field(named, "first_beyond", 2049, 0, false);
    check_field(named, "positions_in_fp16", 1, 0, false);
    const core::Result listed = computed(rounded + "at = { positions = [0, 1, 2, 3, 5, 255, 301, 2048, 2048, 60000] }");
    check_field(listed, "equal", 1, 0, false);
    check_null(listed, "first_beyond");
}

TEST_CASE("compare takes learned values of each head from the file") {
    const std::string bias =
        "scheme = 'kerple-log'\naxes = 'heads,distances'\nfile = 'learned.npz'\ntensor = 'kerple'\n";
    check_field(computed(bias + "learned = { r1 = 'r1', r2 = 'r2' }"), "equal", 1, 0, false);
    check_field(computed(bias + "learned = { r1 = 'r2', r2 = 'r1' }"), "equal", 0, 0, false);
    CHECK_THAT(refused(bias + "learned = { r1 = 2 }"), Catch::Contains("the name of a tensor of the file"));
    CHECK_THAT(refused(bias + "learned = { r1 = 'r3' }"), Catch::Contains("there is no tensor 'r3'"));
    CHECK_THAT(refused(bias + "at = { distances = ['a'] }"), Catch::Contains("a list of numbers"));
}

TEST_CASE("compare refuses what cannot be compared, at the study's line") {
    CHECK_THAT(refused("scheme = 'alibi'\nfile = 'nothing.npy'"), Catch::Contains("study.toml:2:9: cannot read"));
    CHECK_THAT(refused("file = 'alibi.npy'"), Catch::Contains("lacks the key 'scheme'"));
    CHECK_THAT(refused("scheme = 'alibi'\nfile = 'rotary.npz'"), Catch::Contains("this file holds 2 tensors"));
    CHECK_THAT(refused("scheme = 'rotary'\nfile = 'cos.npy'"), Catch::Contains("study.toml:2:9"));
    CHECK_THAT(refused("scheme = 'rotary'\nfile = 'cos.npy'\npart = 'cosine'"), Catch::Contains("part"));
}

}  // namespace
}  // namespace farfield::quantity
