// Tensors of an implementation's own arithmetic and layout, and the same with one fault: what is taken for a
// convention, and what never is. The numbers come from std::cos and std::pow, in double or in float as public code has
// them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/trials.hpp"

namespace farfield::compare {
namespace {

template <class Number>
Answer answer_to(const std::vector<Number>& numbers, std::vector<std::size_t> shape, const Question& question) {
    const auto type = std::is_same_v<Number, float> ? tensor::ElementType::float32 : tensor::ElementType::float64;
    const tensor::Tensor tensor =
        tensor::tensor_in_memory({"", type, std::move(shape)}, std::as_bytes(std::span(numbers)), nullptr, "array");
    return compare(tensor, "array", question, scheme::Registry::builtin());
}

std::string names_of(const Answer& answer) {
    std::string names;
    for (const Variation& each : answer.variations) names += each.name + " ";
    return names;
}

constexpr std::size_t positions = 4096;
constexpr std::size_t pairs = 32;

/// Cosines of p * base^(-2i/d), each step rounded to Number; `position` moves a row.
template <class Number>
std::vector<Number> cosines(double base, const std::function<double(std::size_t)>& position) {
    std::vector<Number> table;
    for (std::size_t row = 0; row < positions; ++row) {
        for (std::size_t pair = 0; pair < pairs; ++pair) {
            const Number exponent = static_cast<Number>(pair) / static_cast<Number>(pairs);
            const Number frequency = Number{1} / std::pow(static_cast<Number>(base), exponent);
            const Number angle = static_cast<Number>(position(row)) * frequency;
            table.push_back(static_cast<Number>(std::cos(static_cast<double>(angle))));
        }
    }
    return table;
}

template <class Number = float>
std::vector<Number> plain() {
    return cosines<Number>(10000, [](std::size_t row) { return static_cast<double>(row); });
}

Question about(const std::string& scheme, Part part) {
    Question question;
    question.scheme = scheme;
    question.part = part;
    return question;
}

const std::vector<std::size_t> table_shape = {positions, pairs};

/// -2^(-8h/H) (q - k) where k is not after q, -inf elsewhere.
std::vector<float> alibi_head(double heads, double head, std::size_t length) {
    std::vector<float> bias;
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t k = 0; k < length; ++k)
            bias.push_back(k > q ? -std::numeric_limits<float>::infinity()
                                 : static_cast<float>(-std::exp2(-8 * head / heads) * static_cast<double>(q - k)));
    return bias;
}

TEST_CASE("a table of fp32 whose angles were computed in fp32 is the scheme's") {
    const Answer answer = answer_to(plain(), table_shape, about("rotary", Part::cosine));
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.agrees);
    CHECK(answer.variations.size() <= 2);
    for (const Variation& each : answer.variations) CHECK(each.is_convention);
}

TEST_CASE("a table of float64 that is computed the usual way is equal") {
    const Answer answer = answer_to(plain<double>(), table_shape, about("rotary", Part::cosine));
    CHECK(answer.is_equal);
    CHECK(answer.agrees);
}

TEST_CASE("a table of float64 whose angles were computed in fp32 is not the scheme's") {
    const std::vector<float> single = plain();
    const Answer answer =
        answer_to(std::vector<double>(single.begin(), single.end()), table_shape, about("rotary", Part::cosine));
    CHECK_FALSE(answer.agrees);
    CHECK(names_of(answer).find("angles-in-fp32") == std::string::npos);
}

struct Fault {
    const char* name;
    std::function<void(std::vector<float>&)> make;
    std::string explained = "";  ///< by what
};

void copy_row(std::vector<float>& table, std::size_t from, std::size_t to) {
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(from * pairs), pairs,
                table.begin() + static_cast<std::ptrdiff_t>(to * pairs));
}

void set_column(std::vector<float>& table, std::size_t column, const std::function<float(std::size_t)>& number) {
    for (std::size_t row = 0; row < positions; ++row) table[row * pairs + column] = number(row);
}

TEST_CASE("the arithmetic of a table explains none of its faults, and moved positions those that are") {
    const std::vector<Fault> faults = {
        {"one too small from 2048 on",
         [](auto& table) {
             table = cosines<float>(10000, [](std::size_t row) { return static_cast<double>(row - (row >= 2048)); });
         },
         "positions-moved-from (if(p < 2048, p, p - 1)) + angles-in-fp32"},
        {"a left pad of 5 at 1000 to 1063",
         [](auto& table) {
             table = cosines<float>(
                 10000, [](std::size_t row) { return static_cast<double>(row >= 1000 && row < 1064 ? row - 5 : row); });
         },
         "positions-moved-between (if(p < 1000 or p > 1063, p, p - 5)) + angles-in-fp32"},
        {"two rows exchanged",
         [](auto& table) {
             const std::vector<float> before = table;
             copy_row(table, 3000, 3001);
             std::copy_n(before.begin() + 3001 * pairs, pairs, table.begin() + 3000 * pairs);
         }},
        {"ten rows that repeat the one before",
         [](auto& table) {
             for (std::size_t row = 2000; row < 2010; ++row) copy_row(table, row - 1, row);
         },
         "positions-alike-between (if(p < 2000 or p > 2009, p, 1999)) + angles-in-fp32"},
        {"a constant column", [](auto& table) { set_column(table, 20, [](std::size_t) { return 0.5F; }); }},
        {"the slowest column is 1", [](auto& table) { set_column(table, 31, [](std::size_t) { return 1.0F; }); }},
        {"a column of another sequence",
         [](auto& table) {
             set_column(table, 7,
                        [](std::size_t row) { return static_cast<float>(std::cos(1e6 * std::sqrt(row + 1))); });
         }},
        {"positions times 1.01",
         [](auto& table) {
             table = cosines<float>(10000, [](std::size_t row) { return 1.01 * static_cast<double>(row); });
         },
         "positions-multiplied (p*1.01) + angles-in-fp32"},
    };
    for (const Fault& fault : faults) {
        INFO(fault.name);
        std::vector<float> table = plain();
        fault.make(table);
        const Answer answer = answer_to(table, table_shape, about("rotary", Part::cosine));
        CHECK_FALSE(answer.agrees);
        CHECK(answer.explained.has_value() != fault.explained.empty());
        CHECK(names_text(answer.variations) == fault.explained);
    }
}

/// The value that "other-value" supposes of a param; NaN where it is not the only variation but for conventions.
double fitted(const Answer& answer, const std::string& param) {
    const std::string begin = "--set " + param + "=";
    const auto others = std::count_if(answer.variations.begin(), answer.variations.end(),
                                      [](const Variation& each) { return !each.is_convention; });
    if (answer.agrees || others != 1) return std::numeric_limits<double>::quiet_NaN();
    for (const Variation& each : answer.variations)
        if (each.supposes.starts_with(begin)) return std::strtod(each.supposes.c_str() + begin.size(), nullptr);
    return std::numeric_limits<double>::quiet_NaN();
}

TEST_CASE("a param's value is found from the numbers") {
    const auto nearby = cosines<float>(10100, [](std::size_t row) { return static_cast<double>(row); });
    CHECK(fitted(answer_to(nearby, table_shape, about("rotary", Part::cosine)), "base") == 10100);
    std::mt19937_64 random(20);
    std::uniform_real_distribution<double> logarithm(std::log(2000), std::log(5e6));
    for (int trial = 0; trial < tests::trials(20); ++trial) {
        const double base = std::floor(std::exp(logarithm(random)));
        INFO(base);
        const auto table = cosines<float>(base, [](std::size_t row) { return static_cast<double>(row); });
        // A frequency base^-x, x below 1, may be off by 8 + 2 x log(base) half units of fp32, and that of the table as
        // much.
        const double loose = 2 * (8 + 2 * std::log(base)) * 0x1p-24;
        CHECK(fitted(answer_to(table, table_shape, about("rotary", Part::cosine)), "base") ==
              Approx(base).epsilon(loose));
    }
}

TEST_CASE("values of a mask, a scale and a factor are found from the numbers") {
    std::vector<float> window;
    for (int q = 0; q < 64; ++q)
        for (int k = 0; k < 64; ++k)
            window.push_back(k <= q && q - k < 23 ? 0 : -std::numeric_limits<float>::infinity());
    CHECK(fitted(answer_to(window, {64, 64}, about("windowed", Part::mask)), "w") == 23);

    // Sun et al. 2023, Eq. (12), with gamma 0.4 and B = 300 in place of 512.
    std::vector<float> scale;
    for (int p = 0; p < 100; ++p)
        for (int i = 0; i < 32; ++i)
            scale.push_back(static_cast<float>(std::pow((2 * i + 0.4 * 64) / (1.4 * 64), p / 300.0)));
    CHECK(fitted(answer_to(scale, {100, 32}, about("xpos", Part::scale)), "B") == 300);

    const auto slower = cosines<float>(10000, [](std::size_t row) { return static_cast<double>(row) / 7; });
    CHECK(fitted(answer_to(slower, table_shape, about("rotary-linear", Part::cosine)), "factor") == 7);
}

TEST_CASE("a bias of one head is tried as each head") {
    // 2^(-8*3/8) is the slope of no other head of 8; of 16 heads the sixth has it.
    const Answer answer = answer_to(alibi_head(8, 3, 32), {32, 32}, about("alibi", Part::bias));
    CHECK(answer.axes == "[queries, keys]");
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.agrees);
    REQUIRE(answer.variations.size() == 1);
    CHECK(answer.variations[0].name == "one-of-several-heads");
    CHECK(answer.variations[0].supposes == "--heads 8 --head 3");
    CHECK(std::any_of(answer.others.begin(), answer.others.end(), [](const std::vector<Variation>& other) {
        return other.size() == 1 && other[0].supposes == "--heads 16 --head 6";
    }));
}

TEST_CASE("a head that was declared as another head differs") {
    Question question = about("alibi", Part::bias);
    question.axes = "queries,keys";
    question.context.heads = 8;
    question.context.head = 3;
    CHECK(answer_to(alibi_head(8, 3, 32), {32, 32}, question).is_equal);
    question.context.head = 4;
    CHECK_FALSE(answer_to(alibi_head(8, 3, 32), {32, 32}, question).agrees);
}

TEST_CASE("a key that leaks through the mask differs") {
    Question question = about("alibi", Part::bias);
    question.context.heads = 8;
    question.context.head = 3;
    question.axes = "queries,keys";
    constexpr std::size_t length = 32;
    std::vector<float> bias = alibi_head(8, 3, length);
    for (std::size_t q = 0; q + 1 < length; ++q) bias[q * length + q + 1] = 0.125F;
    Answer answer = answer_to(bias, {length, length}, question);
    CHECK_FALSE(answer.is_equal);
    CHECK(answer.declared.beyond == length - 1);
    CHECK(answer.declared.index == std::vector<std::size_t>{0, 1});
    CHECK(answer.declared.wanted == -std::numeric_limits<double>::infinity());

    bias = alibi_head(8, 3, length);
    bias[5 * length + 20] = 0;
    answer = answer_to(bias, {length, length}, question);
    CHECK(answer.declared.beyond == 1);
    CHECK(answer.declared.index == std::vector<std::size_t>{5, 20});
    CHECK_FALSE(answer.explained);

    // Of the query before the last, one key alone is hidden.
    for (const std::size_t number : {5 * length + 20, (length - 2) * length + length - 1}) {
        bias = alibi_head(8, 3, length);
        bias[number] = std::numeric_limits<float>::quiet_NaN();
        CHECK_THROWS_AS(answer_to(bias, {length, length}, question), core::UserError);
    }
}

/// What is said of a bias whose eighth head of 8 is right where k is not after q, and `hidden(k - q)` elsewhere.
Answer answer_with(const std::function<double(double)>& hidden) {
    constexpr std::size_t length = 32;
    std::vector<double> bias;
    for (std::size_t q = 0; q < length; ++q) {
        for (std::size_t k = 0; k < length; ++k) {
            const double distance = static_cast<double>(q) - static_cast<double>(k);
            bias.push_back(distance >= 0 ? -std::exp2(-8) * distance : hidden(-distance));
        }
    }
    Question question = about("alibi", Part::bias);
    question.axes = "queries,keys";
    question.context.heads = question.context.head = 8;
    return answer_to(bias, {length, length}, question);
}

TEST_CASE("a mask that is added later may mask any key") {
    CHECK(answer_with([](double ahead) { return -std::exp2(-8) * ahead; }).is_equal);
    // Low from ten keys ahead on, but no two alike: a steep bias, not a mask.
    CHECK(answer_with([](double ahead) { return -1000 * (ahead + 1); }).is_equal);
}

TEST_CASE("one low number masks, and higher numbers leak") {
    CHECK(answer_with([](double) { return -1e9; }).is_equal);
    CHECK(answer_with([](double ahead) { return ahead == 1 ? 0.5 : -1e9; }).declared.beyond == 31);
}

TEST_CASE("a constant for each row does not explain rows of one number") {
    Question question = about("alibi", Part::bias);
    question.context.heads = 8;
    question.axes = "queries,keys";
    question.at = {{"queries", {10, 20, 30}}, {"keys", {3}}};
    const Answer answer = answer_to(std::vector<float>{1.5F, 2.25F, -7}, {3, 1}, question);
    CHECK_FALSE(answer.explained);
}

TEST_CASE("a learned table is read by its shape") {
    // T5's 32 buckets of 4 heads: distances below 16 have buckets of their own (Raffel et al. 2020).
    constexpr std::size_t buckets = 32, heads = 4, distances = 16;
    std::vector<double> by_head(buckets * heads), by_bucket(buckets * heads);
    std::vector<float> bias(heads * distances);
    for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
            const double weight = std::sin(static_cast<double>(7 * head + 3 * bucket));
            by_head[head * buckets + bucket] = by_bucket[bucket * heads + head] = weight;
            if (bucket < distances) bias[head * distances + bucket] = static_cast<float>(weight);
        }
    }
    Question question = about("t5", Part::bias);
    question.axes = "heads,distances";
    const auto with = [&](const std::vector<double>& numbers, std::vector<std::size_t> shape) {
        question.learned = {{"weight", {numbers, std::move(shape)}}};
        return answer_to(bias, {heads, distances}, question);
    };
    CHECK(with(by_head, {heads, buckets}).is_equal);
    CHECK(with(by_head, {}).is_equal);
    for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{buckets, heads}, {}}) {
        const Answer answer = with(by_bucket, shape);
        CHECK_FALSE(answer.is_equal);
        CHECK(answer.agrees);
        CHECK(names_of(answer) == "table-transposed ");
    }
    CHECK_THROWS_AS(with(by_head, {16, 8}), core::UserError);
}

TEST_CASE("with a tolerance of zero, angles have no allowance either") {
    std::vector<float> random(table_shape[0] * table_shape[1], 1);
    std::mt19937 bits(7);
    for (std::size_t at = pairs; at < random.size(); ++at)
        random[at] = static_cast<float>(std::uniform_real_distribution<double>(-1, 1)(bits));
    for (const double tolerance : {0.0, 1e-320, 1e-30, 2.0}) {
        Question question = about("rotary", Part::cosine);
        question.tolerance = tolerance;
        const Answer answer = answer_to(random, table_shape, question);
        INFO(tolerance);
        CHECK_FALSE(answer.agrees);
        CHECK(answer.variations.empty());
    }
}

TEST_CASE("a key that leaks is found where a mask was added to the bias, or two masks were") {
    constexpr std::size_t length = 64;
    for (const float mask : {-1e9F, -2e9F, -65504.0F}) {
        std::vector<float> bias = alibi_head(8, 1, length);
        for (std::size_t q = 0; q < length; ++q)
            for (std::size_t k = q + 1; k < length; ++k)
                bias[q * length + k] = (k % 2 == 0 ? mask : -1e9F) + 0.5F * static_cast<float>(k - q);
        const bool is_one_mask = mask != -65504.0F;  // the two differ by more than a factor of two
        Question question = about("alibi", Part::bias);
        question.context.heads = 8;
        question.context.head = 1;
        CHECK(answer_to(bias, {1, length, length}, question).agrees);
        bias[5 * length + 40] = 0;
        CHECK(answer_to(bias, {1, length, length}, question).agrees == !is_one_mask);
    }
}

TEST_CASE("a wrong number in a table of repeated columns is one number, in any row") {
    for (const std::size_t row : {std::size_t{0}, std::size_t{1}, std::size_t{200}, positions - 1}) {
        const std::vector<double> half = plain<double>();
        std::vector<double> table;
        for (std::size_t p = 0; p < positions; ++p)
            for (int repeated = 0; repeated < 2; ++repeated)
                table.insert(table.end(), half.begin() + static_cast<std::ptrdiff_t>(p * pairs),
                             half.begin() + static_cast<std::ptrdiff_t>((p + 1) * pairs));
        table[row * 2 * pairs + 5] += 0.25;
        const Answer answer = answer_to(table, {positions, 2 * pairs}, about("rotary", Part::cosine));
        CHECK_FALSE(answer.agrees);
        CHECK(answer.declared.beyond == 1);
    }
}

}  // namespace
}  // namespace farfield::compare
