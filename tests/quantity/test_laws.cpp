// Laws of tensors of tests/references/compare/tensors.py, as a study asks for them. Which of them each tensor keeps
// follows from how numpy made it there.
#include <catch2/catch.hpp>

#include <filesystem>

#include "quantity/checks.hpp"
#include "quantity/kinds.hpp"
#include "quantity/tensors.hpp"

namespace farfield::quantity {
namespace {

core::Result computed(const std::string& toml) {
    return compute_of_tensor(laws_kind(), toml);
}

std::string refused(const std::string& toml) {
    return refusal_of_tensor(laws_kind(), toml);
}

std::string note(const core::Result& result, const std::string& name) {
    for (const auto& [key, text] : result.notes)
        if (key == name) return text;
    return "";
}

void check_laws(const core::Result& result, const std::vector<std::pair<std::string, double>>& laws) {
    double kept = 0;
    for (const auto& [name, holds] : laws) {
        check_field(result, name, holds, 0, false);
        CHECK(note(result, "not " + name).empty() == (holds == 1));
        kept += holds;
    }
    check_field(result, "laws", static_cast<double>(laws.size()), 0, false);
    check_field(result, "kept", kept, 0, false);
}

TEST_CASE("the work is that of reading each byte of the file") {
    const double bytes = static_cast<double>(std::filesystem::file_size(tensor_folder() + "/alibi.npy"));
    const double cost =
        prepared(laws_kind(), "file = 'alibi.npy'", {}, scheme::Registry::builtin(), tensor_folder())->cost();
    CHECK(cost == bytes);
}

TEST_CASE("laws of biases and masks are a field each") {
    check_laws(computed("file = 'alibi-masked.npy'"),
               {{"finite", 1}, {"causal", 1}, {"relative", 1}, {"translation", 1}, {"order", 1}});
    check_laws(computed("file = 'window.npy'"),
               {{"finite", 1}, {"causal", 1}, {"relative", 1}, {"translation", 1}, {"order", 1}});
    check_laws(computed("file = 'alibi-keys.npy'\npart = 'bias'"),
               {{"finite", 1}, {"causal", 0}, {"relative", 0}, {"translation", 1}, {"order", 1}});
}

TEST_CASE("laws name the first number that breaks one") {
    // Head 1 of 6 has the slope 1/4 by the public rule, at every key alike.
    const core::Result result = computed("file = 'alibi-keys.npy'");
    CHECK(note(result, "not relative") == "0.25 at [0, 1, 1], 0 at [0, 0, 0]");
    CHECK(note(result, "not causal") == "0.25 at [0, 0, 1]");
}

TEST_CASE("laws of a rotation's table are selected by part, name or complex numbers") {
    const std::vector<std::pair<std::string, double>> all = {
        {"finite", 1}, {"bounded", 1}, {"start", 1}, {"steady", 1}};
    check_laws(computed("file = 'cos.npy'\npart = 'cos'"), all);
    check_laws(computed("file = 'rotary.npz'\ntensor = 'sin'"), all);
    check_laws(computed("file = 'turn.npy'"), all);
    // Counted from 1, the first position is turned; sharpened by a temperature above 1, cosines reach above 1.
    check_laws(computed("file = 'sin-from-1.npy'\npart = 'sin'"),
               {{"finite", 1}, {"bounded", 1}, {"start", 0}, {"steady", 1}});
    check_laws(computed("file = 'cos-sharpened.npy'\npart = 'cos'"),
               {{"finite", 1}, {"bounded", 0}, {"start", 0}, {"steady", 1}});
}

TEST_CASE("laws hold to the roundings that are allowed") {
    // Numbers of alibi-roughly-reversed.npy, such as 0.3968, are off by about 1e-5 of their size. The unit of 0.3968 in
    // float32 is 2^-25, so that this is some hundred units.
    const std::string bias = "file = 'alibi-roughly-reversed.npy'\n";
    check_field(computed(bias + "ulp = 20"), "relative", 0, 0, false);
    check_field(computed(bias + "ulp = 2000"), "relative", 1, 0, false);
}

TEST_CASE("laws refuse tensors to which they do not apply, at the study's line") {
    CHECK_THAT(refused("file = 'nothing.npy'"), Catch::Contains("study.toml:1:9: cannot read"));
    CHECK_THAT(refused("part = 'cos'"), Catch::Contains("file"));
    CHECK_THAT(refused("file = 'rotary.npz'"), Catch::Contains("study.toml:1:9"));
    CHECK_THAT(refused("file = 'rotary.npz'"), Catch::Contains("this file holds 2 tensors"));
    CHECK_THAT(refused("file = 'cos.npy'\npart = 'scale'"), Catch::Contains("part"));
    CHECK_THAT(refused("file = 'cos.npy'"), Catch::Contains("16 queries and 8 keys"));
    CHECK_THAT(refused("file = 'turn.npy'\npart = 'cos'"), Catch::Contains("study.toml:1:9"));
    CHECK_THAT(refused("file = 'cos.npy'\npart = 'cos'\nscheme = 'rotary'"), Catch::Contains("scheme"));
    CHECK_THAT(refused("file = 'cos.npy'\npart = 'cos'\nulp = -1"), Catch::Contains("ulp"));
}

}  // namespace
}  // namespace farfield::quantity
