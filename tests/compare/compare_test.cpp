// Tensors written by tests/references/compare/tensors.py, in numpy and without the catalogue's formulas: each has the
// convention or the mistake that its name says, and nothing else.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "compare/schemes.hpp"
#include "support/trials.hpp"

namespace farfield::compare {
namespace {

const std::string folder = FARFIELD_SOURCE "/tests/references/compare/tensors/";

struct Expected {
    std::string file;
    std::string scheme;
    std::vector<std::string> variations;  ///< "equal" first: the tensor is, and the others reproduce it to the last bit
    std::string part = {};
    std::string tensor = {};
    std::string input = {};
    std::vector<std::pair<std::string, std::string>> params = {};
    std::string axes = {};
    std::string at = {};  ///< the tensor of the file that has the positions
    double train_length = 0;
    std::string weight = {};                ///< the tensor of the file that has the learned weights
    std::string input_tensor = "q";         ///< of an input in an archive
    std::vector<std::string> learned = {};  ///< tensors of the file that have a learned value a head
};

const scheme::Registry& schemes() {
    static const scheme::Registry registry = with_partial_rotation("0.5");
    return registry;
}

Answer answer_to(const Expected& row) {
    Question question;
    question.scheme = row.scheme;
    question.params = row.params;
    question.axes = row.axes;
    if (!row.part.empty()) question.part = find_part(row.part);
    if (!row.input.empty())
        question.input = tensor::open_tensor(folder + row.input, row.input.ends_with("z") ? row.input_tensor : "");
    if (!row.at.empty()) question.at = {{"positions", read_values(folder + row.file, row.at).numbers}};
    if (!row.weight.empty()) question.learned = {{"weight", read_values(folder + row.file, row.weight)}};
    for (const std::string& name : row.learned)
        question.learned.emplace_back(name, read_values(folder + row.file, name));
    question.context.train_length = row.train_length;
    return compare(tensor::open_tensor(folder + row.file, row.tensor), row.file, question, schemes());
}

std::vector<std::string> names_of(const std::vector<Variation>& set) {
    std::vector<std::string> names;
    for (const Variation& each : set) names.push_back(each.name);
    return names;
}

const std::vector<Expected> rows = {
    {"alibi.npy", "alibi", {"equal"}},
    {"alibi-masked.npy", "alibi", {"equal"}},
    {"alibi-distances.npy", "alibi", {"equal"}},
    {"alibi-double.npy", "alibi", {"equal"}},
    {"alibi-half.npy", "alibi", {"equal"}},
    {"alibi-big-endian.npy", "alibi", {"equal"}},
    {"alibi-column-major.npy", "alibi", {"equal"}},
    {"alibi.safetensors", "alibi", {"equal"}, "", "rounded"},
    {"alibi.safetensors", "alibi", {"equal"}, "", "single"},
    {"alibi-public.npy", "alibi", {"public-slopes"}},
    {"alibi-public.npy", "alibi", {"equal"}, "", "", "", {{"slopes", "1"}}},
    {"alibi.npy", "alibi", {"formula-slopes"}, "", "", "", {{"slopes", "1"}}},
    {"alibi-third-of-8.npy", "alibi", {"one-of-several-heads"}},
    {"learned.npz", "t5", {"equal"}, "bias", "t5", "", {}, "heads,distances", "", 0, "weight"},
    {"learned.npz", "t5", {"table-transposed"}, "bias", "t5", "", {}, "heads,distances", "", 0, "weight-by-entry"},
    {"alibi-from-0.npy", "alibi", {"head-from-0"}},
    {"alibi-reversed.npy", "alibi", {"reversed-sign"}},
    {"alibi-off-by-one.npy", "alibi", {"distance-from-1"}},
    {"alibi-transposed.npy", "alibi", {"transposed"}},
    {"alibi-keys.npy", "alibi", {"public-slopes", "row-constant"}},
    {"alibi-root-64.npy", "alibi", {"divided-by-root-d"}},
    {"alibi-reversed-from-0.npy", "alibi", {"reversed-sign", "head-from-0"}},
    {"alibi-heads-reversed.npy", "alibi", {"heads-reversed"}},
    {"alibi-from-2.npy", "alibi", {"head-from-2"}},
    {"alibi-less-1.npy", "alibi", {"distance-less-1"}},
    {"alibi-times-root-128.npy", "alibi", {"times-root-d"}},
    {"sandwich.npy", "sandwich", {"equal"}},
    {"sandwich-from-1.npy", "sandwich", {"frequency-from-1"}},
    {"sandwich.npy", "sandwich", {"frequency-from-0"}, "", "", "", {{"first", "1"}}},
    {"sandwich-unshifted.npy", "sandwich", {"without-shift"}},
    {"sandwich.npy", "sandwich", {"with-shift"}, "", "", "", {{"shift", "0"}}},
    {"alibi.safetensors", "alibi", {"equal", "in-bf16"}, "", "stepwise"},
    {"alibi-stepwise-half.npy", "alibi", {"equal", "in-fp16"}},
    {"angle-by-quotients.npy", "rotary", {"equal", "power-as-quotient", "in-fp32"}, "angle"},
    {"window.npy", "windowed", {"equal"}, "", "", "", {{"w", "8"}}},
    {"window-longer.npy", "windowed", {"window-plus-1"}, "", "", "", {{"w", "8"}}},
    {"window-inverted.npy", "windowed", {"inverted"}, "", "", "", {{"w", "8"}}},
    {"window-shorter.npy", "windowed", {"window-less-1"}, "", "", "", {{"w", "8"}}},
    {"window-both-sides.npy", "windowed", {"not-causal"}, "", "", "", {{"w", "8"}}},
    {"window-not-itself.npy", "windowed", {"not-itself"}, "", "", "", {{"w", "8"}}},
    {"window-transposed.npy", "windowed", {"transposed"}, "", "", "", {{"w", "8"}}},
    {"cos.npy", "rotary", {"equal"}, "cos"},
    {"cos-in-single.npy", "rotary", {"in-fp32"}, "cos"},
    {"cos-by-exp-in-single.npy", "rotary", {"angles-in-fp32"}, "cos"},
    {"cos-of-half.npy", "rotary", {"angles-in-fp16"}, "cos"},
    {"cos-of-bf16.npy", "rotary", {"angles-in-bf16"}, "cos"},
    {"cos-through-bf16.npy", "rotary", {"frequencies-in-bf16", "angles-in-bf16"}, "cos"},
    {"cos-base-20000.npy", "rotary", {"other-value"}, "cos"},
    {"cos-million.npy", "rotary", {"base-1000000"}, "cos"},
    {"cos-dynamic.npy", "rotary-ntk", {"dynamic"}, "cos", "", "", {}, "", "", 8},
    {"cos-yarn-by-turns.npy", "rotary-yarn", {"equal"}, "cos"},
    {"cos-yarn-by-index.npy", "rotary-yarn", {"ramp-by-index"}, "cos"},
    {"cos-yarn-by-turns.npy", "rotary-yarn", {"ramp-by-turns"}, "cos", "", "", {{"ramp", "1"}}},
    {"sparse.npz", "rotary", {"positions-in-fp16"}, "cos", "positions-half", "", {}, "", "positions"},
    {"sparse.npz", "rotary", {"positions-in-bf16"}, "cos", "positions-bf16", "", {}, "", "positions"},
    {"sparse.npz", "rotary", {"frequencies-in-fp16"}, "cos", "frequencies-half", "", {}, "", "positions"},
    {"sparse.npz", "rotary", {"frequencies-in-bf16"}, "cos", "frequencies-bf16", "", {}, "", "positions"},
    {"cos-yarn-by-index.npy", "rotary-yarn", {"base-10000"}, "cos", "", "", {{"ramp", "1"}, {"base", "5000"}}},
    {"cos-doubled.npy", "rotary", {"exponent-doubled"}, "cos"},
    {"cos-to-base.npy", "rotary", {"exponent-to-base"}, "cos"},
    {"cos-pair-from-1.npy", "rotary", {"pair-from-1"}, "cos"},
    {"sin-back.npy", "rotary", {"turned-back"}, "sin"},
    {"sin-backwards.npy", "rotary", {"positions-reversed"}, "sin"},
    {"sin-less-1.npy", "rotary", {"position-less-1"}, "sin"},
    {"cos-scaled.npy", "xpos", {"times-scale"}, "cos"},
    {"cos-over-scale.npy", "xpos", {"over-scale"}, "cos"},
    {"cos-sharpened.npy", "rotary-yarn", {"times-root-temperature"}, "cos", "", "", {{"original", "1e30"}}},
    {"cos.npy", "rotary", {"base-10000"}, "cos", "", "", {{"base", "5000"}}},
    {"scale-from-end.npy", "xpos", {"scale-from-end"}, "scale"},
    {"scale-inverted.npy", "xpos", {"scale-inverted"}, "scale"},
    {"scale-per-token.npy", "xpos", {"scale-per-token"}, "scale"},
    {"scale.npy", "xpos-torchscale", {"scale-from-start"}, "scale"},
    {"k-unscaled.npy", "xpos", {"without-scale"}, "k", "", "q.npy"},
    {"k-unscaled.npy", "rotary", {"equal"}, "k", "", "q.npy"},
    {"cos-halves.npy", "rotary", {"equal"}, "cos"},
    {"sin-from-1.npy", "rotary", {"position-from-1"}, "sin"},
    {"cos-base.npy", "rotary", {"base-500000"}, "cos"},
    {"cos-natural.npy", "rotary", {"base-missing"}, "cos"},
    {"cos-exponent.npy", "rotary", {"exponent-halved"}, "cos"},
    {"turn.npy", "rotary", {"equal"}},
    {"rotary.npz", "rotary", {"equal"}, "", "cos"},
    {"rotary.npz", "rotary", {"equal"}, "", "sin"},
    {"rotary-stored.npz", "rotary", {"equal"}, "", "cos"},
    {"rotary-stored.npz", "rotary", {"equal"}, "", "sin"},
    {"scale.npy", "xpos", {"equal"}, "scale"},
    {"scale-centred.npy", "xpos", {"scale-from-centre"}, "scale"},
    {"scale-centred.npy", "xpos-torchscale", {"equal"}, "scale"},
    {"q-interleaved.npy", "rotary", {"equal"}, "q", "", "q.npy"},
    {"q-halves.npy", "rotary", {"other-pairing"}, "q", "", "q.npy"},
    {"q-half.npy", "rotary", {"half-rotated"}, "q", "", "q.npy"},
    {"q-quarter-halves.npy", "rotary", {"other-pairing", "quarter-rotated"}, "q", "", "q.npy"},
    {"q-half.npy", "partial", {"equal"}, "q", "", "q.npy"},
    {"q-interleaved.npy", "partial", {"whole-rotated"}, "q", "", "q.npy"},
    {"q-xpos-half.npy", "xpos", {"half-rotated"}, "q", "", "q.npy"},
    {"k-xpos-half.npy", "xpos", {"half-rotated"}, "k", "", "q.npy"},
    {"q-halves-back.npy", "rotary", {"turned-back", "other-pairing"}, "q", "", "q.npy"},
    {"places.npz", "rotary", {"positions-offset"}, "cos", "offset"},
    {"places.npz", "rotary", {"positions-multiplied"}, "cos", "doubled"},
    {"places.npz", "rotary", {"positions-clipped"}, "cos", "clipped"},
    {"places.npz", "rotary", {"left-padded"}, "cos", "padded"},
    {"places.npz", "rotary", {"left-padded-at-1"}, "cos", "padded-at-1"},
    {"places.npz", "rotary", {"positions-wrapped"}, "cos", "wrapped"},
    {"places.npz", "rotary", {"positions-repeated"}, "cos", "repeated"},
    {"places.npz", "rotary", {"positions-moved-from"}, "cos", "less-from-20"},
    {"places.npz", "rotary", {"positions-moved-between"}, "cos", "less-within"},
    {"places.npz", "rotary", {"positions-alike-between"}, "cos", "alike-within"},
    {"places.npz", "rotary", {"positions-clipped"}, "q", "q-clipped", "places.npz"},
    {"places.npz", "sinusoidal", {"left-padded"}, "embed", "embed-padded"},
    {"places.npz", "alibi", {"distances-offset"}, "bias", "bias-offset", "", {}, "heads,distances"},
    {"places.npz", "alibi", {"distances-clipped"}, "bias", "bias-clipped", "", {}, "heads,distances"},
    {"places.npz", "alibi", {"distances-moved-from"}, "bias", "bias-less-from-20", "", {}, "heads,distances"},
    {"places.npz", "sandwich", {"queries-from-0"}, "bias", "sandwich-of-cache"},
    {"places.npz", "alibi", {"bias-multiplied"}, "bias", "bias-half"},
    {"places.npz", "alibi", {"times-log2-e"}, "bias", "bias-log2"},
    {"places.npz", "alibi", {"some-of-several-heads"}, "bias", "heads-5-to-8"},
    {"places.npz", "alibi", {"heads-elsewhere"}, "bias", "heads-exchanged"},
    {"layouts.npz", "rotary", {"equal"}, "cos-sin", "cos-sin"},
    {"layouts.npz", "rotary", {"sides-exchanged"}, "cos-sin", "sin-cos"},
    {"layouts.npz", "rotary", {"other-pairing"}, "cos-sin", "cos-sin-by-pairs"},
    {"layouts.npz", "rotary", {"signed-sines"}, "sin", "signed"},
    {"layouts.npz", "sinusoidal", {"equal"}, "", "embed"},
    {"layouts.npz", "sinusoidal", {"other-pairing"}, "embed", "embed-halves"},
    {"layouts.npz", "sinusoidal", {"sides-exchanged"}, "embed", "embed-cosines-first"},
    {"layouts.npz", "rotary", {"sine-for-cosine"}, "cos", "sine-for-cosine"},
    {"layouts.npz", "rotary", {"output-exchanged"}, "q", "q-exchanged", "layouts.npz"},
    {"layouts.npz", "rotary", {"output-regrouped"}, "q", "q-halves-after", "layouts.npz"},
    {"layouts.npz", "rotary", {"rotated-twice"}, "q", "q-twice", "layouts.npz"},
    {"layouts.npz", "rotary", {"sine-for-cosine"}, "q", "q-sine-for-cosine", "layouts.npz"},
    {"layouts.npz", "rotary-linear", {"unscaled"}, "cos", "linear"},
    {"layouts.npz", "rotary", {"exponent-over-d-1"}, "cos", "over-d-1"},
    {"layouts.npz", "rotary-ntk", {"factor-without-exponent"}, "cos", "ntk-plainly"},
    {"layouts.npz", "rotary-yarn", {"ramp-reversed"}, "cos", "yarn-reversed"},
    {"layouts.npz", "rotary", {"not-rotated"}, "q", "q", "layouts.npz"},
    {"places.npz", "alibi", {"slopes-to-other-end"}, "bias", "bias-to-5"},
    {"values.npz", "rotary", {"by-row-and-column"}, "cos", "grid"},
    {"values.npz", "rotary", {"by-column-and-row"}, "cos", "grid-columns-first"},
    {"values.npz", "rotary-ntk", {"fixed-ntk"}, "cos", "fixed-ntk"},
    {"values.npz", "rotary-linear", {"fixed-ntk"}, "cos", "fixed-ntk", "", {{"factor", "8"}}},
    {"values.npz", "rotary-ntk", {"static"}, "cos", "static", "", {{"dynamic", "1"}}, "", "", 8},
    {"values.npz", "rotary", {"table-multiplied"}, "cos", "multiplied"},
    {"values.npz", "kerple-log", {"raw-softplus"}, "bias", "softplus", "", {}, "", "", 0, "", "", {"r1", "r2"}},
    {"values.npz", "kerple-log", {"raw-exp"}, "bias", "exp", "", {}, "", "", 0, "", "", {"r1", "r2"}},
    {"values.npz", "kerple-log", {"raw-abs"}, "bias", "abs", "", {}, "", "", 0, "", "", {"r1", "r2"}},
};

/// Whether the tensor is equal, or its variation is named.
void check(const Expected& row) {
    INFO(row.file << " " << row.tensor << " of " << row.scheme);
    const Answer answer = answer_to(row);
    const bool is_equal = row.variations.front() == "equal";
    CHECK(answer.is_equal == is_equal);
    if (is_equal) {
        CHECK(answer.declared.beyond == 0);
        CHECK(answer.declared.worst <= answer.tolerance);
        const std::vector<std::string> reproducing(row.variations.begin() + 1, row.variations.end());
        if (reproducing.empty()) return;
        CHECK(answer.declared.worst > 0);
        CHECK(names_of(answer.variations) == reproducing);
        REQUIRE(answer.explained);
        CHECK(answer.explained->worst == 0);
    } else {
        CHECK(names_of(answer.variations) == row.variations);
        REQUIRE(answer.explained);
        CHECK(answer.explained->worst <= answer.tolerance);
        CHECK(answer.declared.worst > answer.tolerance);
    }
}

bool is_rotation(const Expected& row) {
    return row.scheme.starts_with("rotary") || row.scheme.starts_with("xpos") || row.scheme == "partial";
}

void check_rows(const std::function<bool(const Expected&)>& applies) {
    std::vector<Expected> chosen;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(chosen), applies);
    REQUIRE_FALSE(chosen.empty());
    const std::size_t step = tests::is_sanitized ? 8 : 1;
    for (std::size_t at = 0; at < chosen.size(); at += step) check(chosen[at]);
}

TEST_CASE("each tensor with the scheme's values is equal") {
    check_rows([](const Expected& row) { return row.variations.front() == "equal"; });
}

bool is_learned(const Expected& row) {
    return !row.weight.empty() || !row.learned.empty();
}

TEST_CASE("the variation of each bias, mask and embedding is named") {
    check_rows([](const Expected& row) {
        const bool is_other = is_rotation(row) || is_learned(row) || row.file == "places.npz";
        return row.variations.front() != "equal" && !is_other;
    });
}

TEST_CASE("the variation of each bias and embedding whose lines are moved or multiplied is named") {
    check_rows([](const Expected& row) { return !is_rotation(row) && row.file == "places.npz"; });
}

TEST_CASE("the variation of each bias with learned values is named") {
    check_rows([](const Expected& row) { return row.variations.front() != "equal" && is_learned(row); });
}

TEST_CASE("the variation of each table of a rotation is named") {
    check_rows([](const Expected& row) {
        return row.variations.front() != "equal" && is_rotation(row) && row.input.empty() && row.file != "places.npz";
    });
}

TEST_CASE("the variation of each table whose positions are moved is named") {
    check_rows([](const Expected& row) { return is_rotation(row) && row.input.empty() && row.file == "places.npz"; });
}

TEST_CASE("the variation of rotated vectors is named") {
    check_rows([](const Expected& row) { return row.variations.front() != "equal" && !row.input.empty(); });
}

TEST_CASE("every variation has a tensor that no smaller set without it explains") {
    for (const Variation& each : variations()) {
        INFO(each.name);
        CHECK(std::any_of(rows.begin(), rows.end(), [&](const Expected& row) {
            return std::find(row.variations.begin(), row.variations.end(), each.name) != row.variations.end();
        }));
    }
}

TEST_CASE("noise of a hundredth has no explanation") {
    const Answer answer = answer_to({"alibi-noise.npy", "alibi", {}});
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.variations.empty());
    CHECK_FALSE(answer.explained);
    CHECK(answer.tried > 500);
    CHECK(answer.declared.beyond > 500);
}

TEST_CASE("tables with one wrong column, two exchanged rows or a factor for each pair have no explanation") {
    for (const char* tensor : {"noisy-column", "exchanged-rows", "constant-column", "divided"}) {
        INFO(tensor);
        const Answer answer = answer_to({"values.npz", "rotary", {}, "cos", tensor});
        CHECK_FALSE(answer.is_equal);
        CHECK_FALSE(answer.explained);
        CHECK(answer.variations.empty());
        CHECK(answer.commands.empty());
    }
}

TEST_CASE("the command that reproduces an explanation sets params, moves positions and accepts the rest") {
    const auto command = [](const char* file, const char* tensor, const char* scheme, const char* part) {
        return answer_to({file, scheme, {}, part, tensor}).commands;
    };
    CHECK(command("values.npz", "multiplied", "rotary", "cos") ==
          std::vector<std::string>{"--accept table-multiplied"});
    CHECK(command("places.npz", "padded", "rotary", "cos").front() == "--at 'positions=max(p - 9, 0)'");
    CHECK(command("cos-base-20000.npy", "", "rotary", "cos") == std::vector<std::string>{"--set base=20000"});
}

TEST_CASE("a formula of positions makes a moved table equal, and another name in it is refused") {
    Question question{.scheme = "rotary"};
    question.part = Part::cosine;
    question.moved = {{"positions", "max(p - 9, 0)"}};
    const auto answer = [&] {
        return compare(tensor::open_tensor(folder + "places.npz", "padded"), "places.npz", question, schemes());
    };
    CHECK(answer().is_equal);
    question.moved = {{"positions", "max(p - 8, 0)"}};
    CHECK_FALSE(answer().is_equal);
    for (const char* wrong : {"q - 9", "max(p", "no-such-tensor"}) {
        question.moved = {{"positions", wrong}};
        CHECK_THROWS_WITH(answer(), Catch::Contains("a formula of p"));
    }
    question.moved = {{"distances", "n + 1"}};
    CHECK_THROWS_WITH(answer(), Catch::Contains("positions, as a formula of p"));
}

TEST_CASE("a single wrong number is found, and no variation explains it") {
    const Answer answer = answer_to({"alibi-one-off.npy", "alibi", {}});
    CHECK(answer.declared.beyond == 1);
    CHECK(answer.declared.index == std::vector<std::size_t>{3, 11, 5});
    // Of six heads the fourth has the slope 2^(-32/6).
    CHECK_FALSE(!(std::abs(answer.declared.found - (0.25 - 6 * std::exp2(-32.0 / 6))) < 1e-7));
    CHECK_FALSE(answer.explained);
    CHECK(answer.nearest.empty());
}

TEST_CASE("a variation that comes near is named with its largest difference") {
    const Answer answer = answer_to({"alibi-roughly-reversed.npy", "alibi", {}});
    CHECK_FALSE(answer.explained);
    CHECK(names_of(answer.nearest) == std::vector<std::string>{"reversed-sign"});
    REQUIRE(answer.near);
    // Some 1e-5 of the number, in units of 6e-8 to 1.2e-7 of it: five standard deviations are far beyond what 816 give.
    CHECK(answer.near->worst < 5e-5 / 6e-8);
    CHECK(answer.near->worst > 2);
}

TEST_CASE("the number furthest off is named with both values") {
    const Answer answer = answer_to({"alibi-reversed.npy", "alibi", {}});
    REQUIRE(answer.declared.index.size() == 3);
    CHECK(answer.declared.found == -answer.declared.wanted);
    CHECK(answer.declared.found > 0);
    CHECK(answer.hidden == "-inf");
}

TEST_CASE("if no variation explains a whole tensor, each head is compared alone") {
    const Answer answer = answer_to({"places.npz", "alibi", {}, "bias", "one-head-reversed"});
    CHECK_FALSE(answer.explained);
    REQUIRE(answer.heads.size() == 6);
    for (const HeadAnswer& each : answer.heads) {
        INFO(each.head);
        CHECK(each.is_equal == (each.head != 4));
        CHECK(names_of(each.variations) ==
              (each.head == 4 ? std::vector<std::string>{"reversed-sign"} : std::vector<std::string>{}));
    }
    CHECK(answer_to({"alibi-reversed.npy", "alibi", {}}).heads.empty());
    const Answer vectors = answer_to({"layouts.npz",
                                      "rotary",
                                      {},
                                      "q",
                                      "q-first-head-twice",
                                      "layouts.npz",
                                      {},
                                      "heads,positions,dimensions",
                                      "",
                                      0,
                                      "",
                                      "q-heads"});
    REQUIRE(vectors.heads.size() == 2);
    CHECK(names_of(vectors.heads[0].variations) == std::vector<std::string>{"rotated-twice"});
    CHECK(vectors.heads[1].is_equal);
    CHECK(answer_to({"alibi-distances.npy", "alibi", {}}).heads.empty());
}

TEST_CASE("the formula of moved lines is reported with its numbers") {
    const auto said = [](const char* tensor, const char* scheme, const char* part, const char* axes = "") {
        return names_text(answer_to({"places.npz", scheme, {}, part, tensor, "", {}, axes}).variations);
    };
    CHECK(said("offset", "rotary", "cos") == "positions-offset (p + 37)");
    CHECK(said("sandwich-of-cache", "sandwich", "bias") == "queries-from-0 (q - 20)");
    CHECK(said("heads-5-to-8", "alibi", "bias") == "some-of-several-heads (--heads 16 --first-head 5)");
    CHECK(said("heads-exchanged", "alibi", "bias") == "heads-elsewhere (heads 2,1,3,6,5,4)");
    if (tests::is_sanitized) return;  // the others take long, and no other code
    CHECK(said("doubled", "rotary", "cos") == "positions-multiplied (p*2)");
    CHECK(said("padded", "rotary", "cos") == "left-padded (max(p - 9, 0))");
    CHECK(said("less-within", "rotary", "cos") == "positions-moved-between (if(p < 30 or p > 41, p, p - 5))");
    CHECK(said("repeated", "rotary", "cos") == "positions-repeated (floor(p/3))");
    CHECK(said("bias-clipped", "alibi", "bias", "heads,distances") == "distances-clipped (min(n, 40))");
}

TEST_CASE("queries of a linear bias that are counted from 0 are also a constant for each row, and both are reported") {
    const Answer answer = answer_to({"places.npz", "alibi", {}, "bias", "bias-of-cache"});
    CHECK(names_of(answer.variations) == std::vector<std::string>{"queries-from-0"});
    REQUIRE_FALSE(answer.others.empty());
    CHECK(names_of(answer.others[0]) == std::vector<std::string>{"row-constant"});
}

TEST_CASE("sets of the same size that explain equally well are all named, the nearest first") {
    const Answer answer = answer_to({"alibi-off-by-one.npy", "alibi", {}});
    REQUIRE(answer.others.size() == 1);
    CHECK(names_of(answer.others[0]) == std::vector<std::string>{"row-constant"});
    CHECK(answer.hidden == "-1000000000");
}

TEST_CASE("every variation has a name of its own and a meaning") {
    std::set<std::string> names;
    for (const Variation& each : variations()) {
        INFO(each.name);
        CHECK(names.insert(each.name).second);
        CHECK_FALSE(each.meaning.empty());
    }
}

TEST_CASE("the page's table is every variation with its meaning") {
    std::ifstream stream(FARFIELD_SOURCE "/docs/compare.md");
    const std::string page{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    for (const Variation& each : variations()) {
        INFO(each.name);
        CHECK(page.find("| `" + each.name + "` | " + each.meaning + " |") != std::string::npos);
    }
    const std::string begin = "| name | means |\n| --- | --- |\n";
    const std::size_t table = page.find(begin);
    REQUIRE(table != std::string::npos);
    const std::string body = page.substr(table + begin.size(), page.find("\n\n", table) + 1 - table - begin.size());
    CHECK(std::count(body.begin(), body.end(), '\n') == static_cast<std::ptrdiff_t>(variations().size()));
}

TEST_CASE("axes that are named explicitly are used") {
    const Answer answer = answer_to({"alibi.npy", "alibi", {}, "", "", "", {}, "heads,queries,keys"});
    CHECK(answer.axes == "[heads, queries, keys]");
    CHECK(answer.is_equal);
    CHECK_THROWS_AS(answer_to({"alibi.npy", "alibi", {}, "", "", "", {}, "heads,keys"}), core::UserError);
    CHECK_THROWS_AS(answer_to({"alibi.npy", "alibi", {}, "", "", "", {}, "heads,rows,keys"}), core::UserError);
}

TEST_CASE("a tensor that does not fit the scheme is refused") {
    CHECK_THROWS_AS(answer_to({"cos.npy", "rotary", {}}), core::UserError);
    CHECK_THROWS_AS(answer_to({"cos.npy", "alibi", {}, "cos"}), core::UserError);
    CHECK_THROWS_WITH(answer_to({"cos.npy", "rotary", {}, "scale"}), Catch::Contains("has no scale"));
    CHECK_THROWS_WITH(answer_to({"alibi.npy", "rotary", {}, "bias"}), Catch::Contains("scheme 'rotary' has no bias"));
    CHECK_THROWS_AS(answer_to({"q-halves.npy", "rotary", {}, "q", "", "cos.npy"}), core::UserError);
    CHECK_THROWS_AS(answer_to({"alibi.npy", "no-such-scheme", {}}), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
