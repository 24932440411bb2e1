// What the search tries and where it stops: numbers of heads, widths, grids, fits, explanations, heads alone.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <limits>
#include <string>
#include <vector>

#include "compare/schemes.hpp"
#include "support/folder.hpp"

namespace farfield::compare {
namespace {

Question about(const std::string& scheme, const std::string& axes) {
    Question question;
    question.scheme = scheme;
    question.axes = axes;
    return question;
}

/// ALiBi's bias -2^(-8h/H) n of some heads in turn, each times a factor.
std::vector<double> alibi(double heads, const std::vector<double>& which, std::size_t distances, double factor = 1) {
    std::vector<double> numbers;
    for (const double head : which)
        for (std::size_t n = 0; n < distances; ++n)
            numbers.push_back(-factor * std::exp2(-8 * head / heads) * static_cast<double>(n));
    return numbers;
}

Answer answer_to(const std::vector<double>& numbers, const std::vector<std::size_t>& shape, const Question& question,
                 const scheme::Registry& schemes = scheme::Registry::builtin()) {
    return compare(tensor_of(shape, numbers), "array", question, schemes);
}

}  // namespace

TEST_CASE("a bias of one head is compared with all heads of each usual number") {
    // A bias that no two heads have in common, of whatever numbers.
    const scheme::Registry schemes = with_own("bias = '-n*(1000*H + h)'\n");
    const auto explained = [&](double heads, double head) {
        std::vector<double> numbers;
        for (int n = 0; n < 3; ++n) numbers.push_back(-n * (1000 * heads + head));
        Question question = about("own", "distances");
        question.most_changes = 0;
        return names_text(answer_to(numbers, {3}, question, schemes).variations);
    };
    for (const int heads : {2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64})
        for (const int head : {1, heads / 2 + 1, heads}) {
            const std::string text = std::to_string(heads) + " --head " + std::to_string(head);
            CHECK(explained(heads, head) == "one-of-several-heads (--heads " + text + ")");
        }
    CHECK(explained(7, 3).empty());
    CHECK(explained(8, 9).empty());
}

TEST_CASE("each of a given number of heads up to 1024 is tried, unless the head is given too") {
    const auto variations = [](double heads, double head) {
        Question question = about("alibi", "distances");
        question.context.heads = heads;
        question.context.head = head;
        question.most_changes = 0;
        return names_text(answer_to(alibi(heads, {3}, 4), {4}, question).variations);
    };
    CHECK(variations(14, 0) == "one-of-several-heads (--heads 14 --head 3)");
    CHECK(variations(14, 2).empty());
    CHECK(variations(1024, 0) == "one-of-several-heads (--heads 1024 --head 3)");
    CHECK(variations(1025, 0).empty());
}

TEST_CASE("the usual widths of a head are tried if the width is not given") {
    const auto explained = [](double width, double given) {
        Question question = about("alibi", "heads,distances");
        question.context.head_dim = given;
        question.most_changes = 1;
        const Answer answer = answer_to(alibi(3, {1, 2, 3}, 6, 1 / std::sqrt(width)), {3, 6}, question);
        return names_text(answer.variations);
    };
    for (const int width : {32, 64, 80, 96, 128, 256})
        CHECK(explained(width, 0) == "divided-by-root-d (--head-dim " + std::to_string(width) + ")");
    CHECK(explained(100, 0).starts_with("bias-multiplied"));
    CHECK(explained(100, 100) == "divided-by-root-d");
    CHECK(explained(64, 100).starts_with("bias-multiplied"));
}

TEST_CASE("at most five explanations of one size are listed") {
    // The slope 2^-4 is that of the middle head of every even number of heads.
    Question question = about("alibi", "distances");
    const Answer answer = answer_to(alibi(8, {4}, 6), {6}, question);
    REQUIRE(answer.explained);
    CHECK(answer.others.size() == 4);
    for (const std::vector<Variation>& each : answer.others) {
        REQUIRE(each.size() == 1);
        CHECK(each.front().name == "one-of-several-heads");
    }
}

TEST_CASE("two rows or two columns are a grid, and a single row is not") {
    const auto explained = [](int rows, int columns, bool by_row) {
        std::vector<double> numbers;
        // Half of eight pairs by one coordinate, half by the other, as heads of half the width.
        for (int p = 0; p < rows * columns; ++p)
            for (int i = 0; i < 8; ++i) {
                const int place = (i < 4) == by_row ? p / columns : p % columns;
                numbers.push_back(std::cos(place * std::pow(10000.0, -(i % 4) / 4.0)));
            }
        Question question = about("rotary", "positions,dimensions");
        question.part = Part::cosine;
        question.most_changes = 1;
        return names_text(answer_to(numbers, {static_cast<std::size_t>(rows * columns), 8}, question).variations);
    };
    CHECK(explained(2, 7, true) == "by-row-and-column (7 columns)");
    CHECK(explained(7, 2, true) == "by-row-and-column (2 columns)");
    CHECK(explained(5, 3, false) == "by-column-and-row (3 columns)");
    CHECK(explained(1, 14, true).find("columns") == std::string::npos);
}

TEST_CASE("another value of a param must differ by more than the errors of frequencies") {
    const auto explained = [](double base) {
        std::vector<double> numbers;
        for (int p = 0; p < 64; ++p)
            for (int i = 0; i < 8; ++i) numbers.push_back(std::cos(p * std::pow(base, -i / 8.0)));
        Question question = about("rotary", "positions,dimensions");
        question.part = Part::cosine;
        question.most_changes = 1;
        return names_text(answer_to(numbers, {64, 8}, question).variations);
    };
    CHECK(explained(10000.25) == "other-value (--set base=10000.25)");
    CHECK(explained(10000.03125).empty());
}

TEST_CASE(
    "a param that explains the numbers exactly comes before one that needs errors of angles, and 4 before 4889.44") {
    // NTK-aware scaling: base 10000 * 4^(d / (d - 2)), d = 64, which is near 2 * 4889.44^(d / (d - 2)) too.
    const double base = 10000 * std::pow(4.0, 64.0 / 62);
    const auto explained = [&](auto number) {
        using Number = decltype(number);
        std::vector<Number> numbers;
        for (int p = 0; p < 2048; ++p)
            for (int i = 0; i < 32; ++i) {
                const auto frequency = static_cast<Number>(std::pow(base, -i / 32.0));
                numbers.push_back(static_cast<Number>(std::cos(static_cast<Number>(p) * frequency)));
            }
        Question question = about("rotary-ntk", "positions,dimensions");
        question.part = Part::cosine;
        question.most_changes = 1;
        return compare(tensor_of({2048, 32}, numbers), "array", question, scheme::Registry::builtin());
    };
    const Answer exact = explained(double());
    CHECK(names_text(exact.variations) == "other-value (--set factor=4)");
    CHECK(exact.others.empty());
    // Angles rounded to fp32 leave room for both, and the answer says so.
    const Answer rounded = explained(float());
    CHECK(names_text(rounded.variations) == "other-value (--set factor=4) + angles-in-fp32");
    CHECK(rounded.others.size() == 1);
}

TEST_CASE("of all values of a param that explain the numbers, one near the declared value is named") {
    // Distances are clipped from 5 on by the scheme, and up to 29 not at all: each value from 29 on explains that.
    std::vector<double> numbers;
    for (int n = 0; n < 30; ++n) numbers.push_back(-n * n);
    Question question = about("own", "distances");
    question.most_changes = 1;
    const Answer answer = answer_to(numbers, {30}, question, with_own("params = { c = 5 }\nbias = '-min(n, c)^2'\n"));
    REQUIRE(answer.commands.size() == 1);
    REQUIRE(answer.commands.front().starts_with("--set c="));
    const double value = std::stod(answer.commands.front().substr(8));
    CHECK(value >= 29);
    CHECK(value <= 80);  // the values that are tried first are powers of two times the declared one: 20, 40, 80
}

TEST_CASE("another value of a param is found together with another base, as two changes") {
    std::vector<double> numbers;
    for (int p = 0; p < 64; ++p)
        for (int i = 0; i < 8; ++i) numbers.push_back(std::cos(p / 7.0 * std::pow(500000.0, -i / 8.0)));
    const auto explained = [&](std::size_t changes) {
        Question question = about("rotary-linear", "positions,dimensions");
        question.part = Part::cosine;
        question.most_changes = changes;
        return names_text(answer_to(numbers, {64, 8}, question).variations);
    };
    CHECK(explained(2) == "other-value (--set factor=7) + base-500000");
    CHECK(explained(1).empty());
}

TEST_CASE("moved positions are found together with an edit that replaces the angle") {
    // NTK-RoPE-fixed (docs/compare.md) of base 10000 and factor 4, with positions from 1.
    std::vector<double> numbers;
    for (int p = 0; p < 64; ++p)
        for (int i = 0; i < 8; ++i)
            numbers.push_back(std::cos((p + 1) * std::pow(10000.0, -i / 8.0) * std::pow(4.0, -(i + 1) / 8.0)));
    Question question = about("rotary-ntk", "positions,dimensions");
    question.part = Part::cosine;
    question.params = {{"factor", "4"}};
    question.most_changes = 2;
    CHECK(names_text(answer_to(numbers, {64, 8}, question).variations) == "position-from-1 + fixed-ntk");
}

TEST_CASE("a maximum that only the last distance exceeds is found") {
    std::vector<double> numbers;
    for (int n = 0; n < 10; ++n) numbers.push_back(-std::min(n, 8) / 256.0);
    Question question = about("alibi", "distances");
    question.context.heads = question.context.head = 8;
    question.most_changes = 1;
    CHECK(names_text(answer_to(numbers, {10}, question).variations) == "distances-clipped (min(n, 8))");
}

TEST_CASE("the tolerance is 2 units of a narrow format and 16 of float64, unless it is given") {
    // ALiBi of one head of 8, of which the number at distance 8, -2^-5, is off by some units.
    const auto tolerance_and_equal = [](auto number, int units, std::optional<double> tolerance = {}) {
        using Number = decltype(number);
        std::vector<Number> numbers;
        for (int n = 0; n < 12; ++n) numbers.push_back(static_cast<Number>(-n / 256.0));
        numbers[8] -= static_cast<Number>(units) * std::numeric_limits<Number>::epsilon() / 32;
        Question question = about("alibi", "distances");
        question.context.heads = question.context.head = 8;
        question.tolerance = tolerance;
        question.most_changes = 0;
        const Answer answer = compare(tensor_of({12}, numbers), "array", question, scheme::Registry::builtin());
        CHECK(answer.declared.worst == units);
        return std::pair(answer.tolerance, answer.is_equal);
    };
    CHECK(tolerance_and_equal(float(), 2) == std::pair(2.0, true));
    CHECK(tolerance_and_equal(float(), 3) == std::pair(2.0, false));
    CHECK(tolerance_and_equal(double(), 16) == std::pair(16.0, true));
    CHECK(tolerance_and_equal(double(), 17) == std::pair(16.0, false));
    CHECK(tolerance_and_equal(float(), 5, 5) == std::pair(5.0, true));
    CHECK(tolerance_and_equal(float(), 6, 5) == std::pair(5.0, false));
}

TEST_CASE("heads are compared alone if there are 2 to 64, with one variation each") {
    const auto heads_of = [](std::size_t count, std::size_t most_changes) {
        std::vector<double> numbers;
        for (std::size_t h = 1; h <= count; ++h)
            for (int n = 0; n < 4; ++n) numbers.push_back(h == 1 ? std::sqrt(n + 2) : -static_cast<double>(h) * n);
        Question question = about("own", "heads,distances");
        question.most_changes = most_changes;
        return answer_to(numbers, {count, 4}, question, with_own("bias = '-h*n'\n")).heads.size();
    };
    CHECK(heads_of(1, 2) == 0);
    CHECK(heads_of(2, 2) == 2);
    CHECK(heads_of(64, 2) == 64);
    CHECK(heads_of(65, 2) == 0);
    CHECK(heads_of(2, 1) == 0);

    // A batch of one entry before the heads changes nothing; one of two entries has no heads of its own.
    const auto heads_of_batch = [](std::size_t entries) {
        std::vector<double> numbers(entries * 2 * 4);
        for (std::size_t at = 0; at < numbers.size(); ++at) numbers[at] = std::sqrt(at + 2);
        const Question question = about("own", "batch,heads,distances");
        return answer_to(numbers, {entries, 2, 4}, question, with_own("bias = '-h*n'\n")).heads.size();
    };
    CHECK(heads_of_batch(1) == 2);
    CHECK(heads_of_batch(2) == 0);

    // The first head is negated and moved by 1, which is two variations; the second is moved alone.
    std::vector<double> numbers;
    for (int n = 0; n < 8; ++n) numbers.push_back((n + 1) * (n + 1));
    for (int n = 0; n < 8; ++n) numbers.push_back(-2 * (n + 1) * (n + 1));
    Question question = about("own", "heads,distances");
    question.most_changes = 2;
    const Answer answer = answer_to(numbers, {2, 8}, question, with_own("bias = '-h*n^2'\n"));
    REQUIRE(answer.heads.size() == 2);
    CHECK(answer.heads[0].variations.empty());
    CHECK(names_text(answer.heads[1].variations) == "distance-from-1");
}

TEST_CASE("a square bias of a given head is read as queries and keys") {
    std::vector<double> numbers;
    for (int q = 0; q < 16; ++q)
        for (int k = 0; k < 16; ++k) numbers.push_back((k - q) / 8.0);
    Question question = about("alibi", "");
    question.context.heads = 8;
    question.context.head = 3;
    const Answer answer = answer_to(numbers, {16, 16}, question);
    CHECK(answer.axes == "[queries, keys]");
    CHECK(answer.is_equal);
    // Heads 3 to 6 of 8, at 16 distances.
    CHECK(answer_to(alibi(8, {3, 4, 5, 6}, 16), {4, 16}, question).axes == "[heads, distances]");
}

TEST_CASE("a bias of two axes is read as queries and keys only where that explains more") {
    // Numbers that no scheme has.
    const auto axes = [](std::size_t first, std::size_t second) {
        std::vector<double> numbers;
        for (std::size_t at = 0; at < first * second; ++at) numbers.push_back(std::sqrt(static_cast<double>(at + 2)));
        Question question = about("alibi", "");
        question.most_changes = 0;
        return answer_to(numbers, {first, second}, question).axes;
    };
    CHECK(axes(4, 6) == "[heads, distances]");
    CHECK(axes(6, 4) == "[heads, distances]");  // six queries of four keys are none
    // One head of queries by keys, which are as many.
    std::vector<double> square;
    for (int q = 0; q < 5; ++q)
        for (int k = 0; k < 5; ++k) square.push_back(-std::abs(q - k) / 256.0);
    CHECK(answer_to(square, {5, 5}, about("alibi", "")).axes == "[queries, keys]");
}

TEST_CASE("a constant for each row does not explain rows of two numbers") {
    // Of rows of one key or two, the difference in a row may be any number.
    const auto named = [](std::size_t keys) {
        std::vector<double> numbers;
        Question question = about("alibi", "queries,keys");
        question.context.heads = question.context.head = 8;
        question.most_changes = 1;
        std::vector<double> queries, places;
        for (std::size_t k = 0; k < keys; ++k) places.push_back(static_cast<double>(k));
        for (int q = 10; q < 14; ++q) {
            queries.push_back(q);
            for (const double k : places) numbers.push_back(-(q - k) / 256.0 + std::sqrt(q));
        }
        question.at = {{"queries", queries}, {"keys", places}};
        return names_text(answer_to(numbers, {4, keys}, question).variations);
    };
    CHECK(named(3) == "row-constant");
    CHECK(named(2).empty());
}

TEST_CASE("queries and keys are exchanged if there are as many of both, at the same places") {
    const scheme::Registry schemes = with_own("bias = '-2*q - k'\ncausal = false\n");
    const auto named = [&](const std::vector<double>& queries, const std::vector<double>& keys) {
        std::vector<double> numbers;
        for (const double q : queries)
            for (const double k : keys) numbers.push_back(-2 * k - q);
        Question question = about("own", "queries,keys");
        question.most_changes = 1;
        question.at = {{"queries", queries}, {"keys", keys}};
        return names_text(answer_to(numbers, {queries.size(), keys.size()}, question, schemes).variations);
    };
    CHECK(named({3, 4, 5}, {3, 4, 5}) == "transposed");
    CHECK(named({3, 4, 5}, {3, 4, 5, 6, 7}).empty());
    CHECK(named({3, 4, 5}, {3, 4, 6}).empty());
}

TEST_CASE("the number furthest off, apart from a constant for each row, is named by its index") {
    // Multiples of 2^-8 below 16, whose units are 2^-49 at most; one of the fifth row is off by 4 of them, so that the
    // constant in the middle leaves 2 at every number of this row.
    std::vector<double> numbers, queries = {10, 11, 12, 13, 14, 15}, keys = {0, 1, 2, 3, 4};
    for (const double q : queries)
        for (const double k : keys) numbers.push_back(-(q - k) / 256 + q);
    numbers[4 * 5 + 3] += 0x1p-47;
    Question question = about("alibi", "queries,keys");
    question.context.heads = question.context.head = 8;
    question.at = {{"queries", queries}, {"keys", keys}};
    const Answer answer = answer_to(numbers, {6, 5}, question);
    CHECK(names_text(answer.variations) == "row-constant");
    REQUIRE(answer.explained);
    CHECK(answer.explained->worst == 2);
    CHECK(answer.explained->index == std::vector<std::size_t>{4, 0});
}

TEST_CASE("a list of values has at most 2^20 numbers") {
    const tests::Folder folder;
    const auto count = [&](std::size_t numbers) {
        std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (" + std::to_string(numbers) + ",), }";
        header.append(128 - 11 - header.size(), ' ').append("\n");
        std::string bytes = "\x93NUMPY\x01";
        bytes.append(1, '\0').append(1, static_cast<char>(header.size())).append(1, '\0');
        folder.write("t.npy", bytes + header + std::string(numbers, '\1'));
        return read_values(folder.path("t.npy"), "").numbers.size();
    };
    CHECK(count(1 << 20) == 1 << 20);
    CHECK_THROWS_WITH(count((1 << 20) + 1), Catch::Contains("1048576 at most"));
}

TEST_CASE("a learned table of other axes than entries and heads is refused") {
    // T5's 32 buckets of 4 heads.
    Question question = about("t5", "heads,distances");
    question.most_changes = 0;
    const auto with = [&](const std::vector<std::size_t>& shape) {
        std::size_t count = 1;
        for (const std::size_t extent : shape) count *= extent;
        question.learned = {{"weight", {std::vector<double>(count, 0.5), shape}}};
        return answer_to(std::vector<double>(4 * 6, 0.5), {4, 6}, question).is_equal;
    };
    CHECK(with({4, 32}));
    CHECK(with({32, 4}));
    CHECK(with({32}));
    CHECK(with({1, 4, 32}));
    const std::vector<std::vector<std::size_t>> wrong = {{4, 4},  {32, 32}, {4, 31},    {5, 32}, {32, 5},
                                                         {31, 4}, {16, 8},  {2, 2, 32}, {2, 64}, {4}};
    for (const std::vector<std::size_t>& shape : wrong) {
        INFO(tensor::shape_text(shape));
        CHECK_THROWS_WITH(with(shape), Catch::Contains("32 for each of 4 heads"));
    }
}

TEST_CASE("a float32 number of a few of the smallest units where 0 is expected differs") {
    // A unit at an expected 0 is 2^-149, the reciprocal of which is no float.
    std::vector<float> numbers;
    for (int q = 0; q < 16; ++q)
        for (int k = 0; k < 16; ++k) numbers.push_back(static_cast<float>(-std::abs(q - k) / 256.0));
    Question question = about("own", "queries,keys");
    question.most_changes = 0;
    const scheme::Registry schemes = with_own("bias = '-abs(n)/256'\ncausal = false\n");
    const auto answer = [&] { return compare(tensor_of({16, 16}, numbers), "array", question, schemes); };
    CHECK(answer().declared.worst == 0);
    numbers[5 * 16 + 5] = 5 * std::numeric_limits<float>::denorm_min();
    numbers[4 * 16] *= 1 + std::numeric_limits<float>::epsilon();  // a unit off, which is within the tolerance
    CHECK_FALSE(answer().is_equal);
    CHECK(answer().declared.worst == 5);
    CHECK(answer().declared.index == std::vector<std::size_t>{5, 5});
}

TEST_CASE("inf at a masked key is refused, and a wrong number there is one of those compared") {
    std::vector<float> numbers;
    for (int q = 0; q < 16; ++q)
        for (int k = 0; k < 16; ++k) numbers.push_back(k > q ? -INFINITY : static_cast<float>(k - q));
    Question question = about("own", "queries,keys");
    question.most_changes = 0;
    const scheme::Registry schemes = with_own("bias = '-n'\n");
    const auto answer = [&] { return compare(tensor_of({16, 16}, numbers), "array", question, schemes); };
    CHECK(answer().declared.compared == 136);
    numbers[3 * 16 + 4] = INFINITY;
    CHECK_THROWS_WITH(answer(), Catch::Contains("inf at [3, 4], which is masked"));
    numbers[3 * 16 + 4] = 0;
    CHECK_FALSE(answer().is_equal);
    CHECK(answer().declared.beyond == 1);
    CHECK(answer().declared.compared == 137);
}

TEST_CASE("noise differs from a rotation's table at any position") {
    Question question = about("rotary", "positions,dimensions");
    question.part = Part::cosine;
    question.most_changes = 1;
    std::vector<double> noise;
    for (int at = 0; at < 16 * 32; ++at) noise.push_back(std::sin(at * at));
    for (const double first : {0.0, 0x1p42, 0x1p45, 0x1p52}) {
        std::vector<double> positions(16);
        for (int p = 0; p < 16; ++p) positions[p] = first + p;
        question.at = {{"positions", positions}};
        const Answer answer = compare(tensor_of({16, 32}, noise), "array", question, scheme::Registry::builtin());
        INFO(first);
        CHECK_FALSE(answer.is_equal);
        CHECK_FALSE(answer.explained);
    }
}

}  // namespace farfield::compare
