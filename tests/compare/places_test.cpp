// Tensors whose numbers stand far apart, and those of schemes with learned values: both written by
// tests/references/compare/tensors.py.
#include <catch2/catch.hpp>

#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <string>
#include <utility>
#include <vector>

namespace farfield::compare {
namespace {

const std::string sparse = FARFIELD_SOURCE "/tests/references/compare/tensors/sparse.npz";
const std::string learned = FARFIELD_SOURCE "/tests/references/compare/tensors/learned.npz";

Answer answer_to(const std::string& file, const std::string& tensor, const Question& question) {
    return compare(tensor::open_tensor(file, tensor), file, question, scheme::Registry::builtin());
}

Question about(const std::string& scheme, const std::string& axes = {}) {
    Question question;
    question.scheme = scheme;
    question.axes = axes;
    return question;
}

Question cosines(const std::vector<double>& positions) {
    Question question = about("rotary");
    question.part = Part::cosine;
    question.at = {{"positions", positions}};
    return question;
}

TEST_CASE("numbers are compared at their places") {
    const std::vector<double> positions = read_values(sparse, "positions").numbers;
    CHECK(answer_to(sparse, "cos", cosines(positions)).is_equal);
    std::vector<double> moved = positions;
    ++moved[5];
    const Answer answer = answer_to(sparse, "cos", cosines(moved));
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.declared.first_beyond == 256.0);
}

TEST_CASE("the first position that went through float16 is 2049") {
    const Answer answer = answer_to(sparse, "positions-half", cosines(read_values(sparse, "positions").numbers));
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.declared.first_beyond == 2049.0);
    CHECK_FALSE(answer_to(sparse, "cos", cosines(read_values(sparse, "positions").numbers)).declared.first_beyond);
}

TEST_CASE("queries and keys are at the places given for both") {
    Question question = about("alibi");
    question.at = {{"queries", read_values(sparse, "queries").numbers}, {"keys", read_values(sparse, "keys").numbers}};
    const Answer answer = answer_to(sparse, "bias", question);
    CHECK(answer.is_equal);
    CHECK(answer.declared.compared == 6 * 9);
    question.at.pop_back();
    CHECK_THROWS_AS(answer_to(sparse, "bias", question), core::UserError);
}

TEST_CASE("places that do not fit the tensor are refused") {
    CHECK_THROWS_AS(answer_to(sparse, "cos", cosines({0, 1, 2})), core::UserError);
    Question question = cosines(read_values(sparse, "positions").numbers);
    question.at.front().first = "keys";
    CHECK_THROWS_AS(answer_to(sparse, "cos", question), core::UserError);
    question.at.front().first = "dimensions";
    CHECK_THROWS_AS(answer_to(sparse, "cos", question), core::UserError);
    question.at.front().first = "position";
    CHECK_THROWS_AS(answer_to(sparse, "cos", question), core::UserError);
}

TEST_CASE("places of distances determine the axes") {
    Question question = about("alibi");
    question.at = {{"distances", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}};
    const Answer answer = answer_to(learned, "kerple", question);
    CHECK(answer.axes == "[heads, distances]");
    CHECK_FALSE(answer.agrees);
}

TEST_CASE("learned scalars are those of each head") {
    Question question = about("kerple-log", "heads,distances");
    question.learned = {{"r1", read_values(learned, "r1")}, {"r2", read_values(learned, "r2")}};
    CHECK(answer_to(learned, "kerple", question).is_equal);
    std::vector<double>& r1 = question.learned[0].second.numbers;
    std::swap(r1[1], r1[2]);
    const Answer answer = answer_to(learned, "kerple", question);
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.declared.index[0] >= 1);
    CHECK(answer.declared.index[0] <= 2);
}

TEST_CASE("a learned table is that of each head, or one for all") {
    Question question = about("t5", "heads,distances");
    question.most_changes = 0;
    Question shared = question;
    question.learned = {{"weight", read_values(learned, "weight")}};
    shared.learned = {{"weight", read_values(learned, "shared")}};
    CHECK(answer_to(learned, "t5", question).is_equal);
    CHECK(answer_to(learned, "t5-shared", shared).is_equal);
    CHECK_FALSE(answer_to(learned, "t5-shared", question).is_equal);
    CHECK_FALSE(answer_to(learned, "t5", shared).is_equal);
}

TEST_CASE("learned values that do not fit the scheme are refused") {
    Question question = about("kerple-log", "heads,distances");
    question.learned = {{"r1", {{1, 2, 3}}}};
    CHECK_THROWS_AS(answer_to(learned, "kerple", question), core::UserError);
    question.learned = {{"r3", {{1, 2, 3, 4, 5, 6}}}};
    CHECK_THROWS_AS(answer_to(learned, "kerple", question), core::UserError);
}

}  // namespace
}  // namespace farfield::compare
