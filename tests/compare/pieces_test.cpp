// The pieces of a comparison: spacings, magnitudes, places of numbers, and the options that a variation names.
#include <catch2/catch.hpp>

#include <cmath>
#include <farfield/compare/laws.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "compare/edits.hpp"
#include "compare/lanes.hpp"
#include "compare/layout.hpp"
#include "compare/magnitude.hpp"
#include "compare/schemes.hpp"
#include "compare/units.hpp"

namespace farfield::compare {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// The value of a formula of a, b and c.
double value_at(const formula::Node& tree, const std::vector<double>& numbers) {
    std::vector<formula::Replacement> names;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        names.push_back({std::string(1, static_cast<char>('a' + i)), formula::make_number(numbers[i])});
    return value_of(tree, names);
}

TEST_CASE("the spacing of doubles is the distance to the next, and of a format that between its numbers") {
    std::mt19937_64 random(1);
    for (int exponent = -1080; exponent <= 1023; ++exponent) {
        const double number = std::ldexp(1 + 0.5 * static_cast<double>(random() % 1000) / 1000, exponent);
        if (number == 0) continue;
        INFO(number);
        CHECK(spacing(nullptr, number) == std::nextafter(number, unbounded) - number);
    }
    CHECK(spacing(nullptr, 0) == 0x1p-1074);
    CHECK(spacing(nullptr, std::numeric_limits<double>::max()) == 0x1p971);
    for (const numerics::Format& format : numerics::formats()) {
        INFO(format.name);
        // From the definition: 2^(exponent - fraction bits), and below the least exponent that of the least.
        const int least = 2 - (1 << (numerics::width_in_bits(format) - format.mantissa_bits - 2));
        for (int exponent = least - 8; exponent < -least; ++exponent)
            CHECK(spacing(&format, std::ldexp(1.25, exponent)) ==
                  std::ldexp(1.0, std::max(exponent, least) - format.mantissa_bits));
        CHECK(spacing(&format, 0) == std::ldexp(1.0, least - format.mantissa_bits));
    }
}

TEST_CASE("magnitudes are sums of the magnitudes of terms, as each operation has it") {
    struct Row {
        const char* formula;
        double (*expected)(double a, double b, double c);
    };
    const Row rows[] = {
        {"a", [](double a, double, double) { return std::abs(a); }},
        {"a + b", [](double a, double b, double) { return std::abs(a) + std::abs(b); }},
        {"a + b*c", [](double a, double b, double c) { return std::abs(a) + std::abs(b * c); }},
        // A difference of two names is exact; any other is two terms.
        {"a - b", [](double a, double b, double) { return std::abs(a - b); }},
        {"2*a - b", [](double a, double b, double) { return 2 * std::abs(a) + std::abs(b); }},
        {"a - 3", [](double a, double, double) { return std::abs(a) + 3; }},
        {"(a + b)*(a - 2*c)",
         [](double a, double b, double c) { return (std::abs(a) + std::abs(b)) * (std::abs(a) + 2 * std::abs(c)); }},
        {"-(a + b)", [](double a, double b, double) { return std::abs(a) + std::abs(b); }},
        // Below a line the value itself counts.
        {"(a + b)/(b + c)", [](double a, double b, double c) { return (std::abs(a) + std::abs(b)) / std::abs(b + c); }},
        {"cos(a + b)", [](double, double, double) { return 1.0; }},
        {"c*sin(a)", [](double, double, double c) { return std::abs(c); }},
        // A rounding has the magnitude of what it rounds.
        {"bf16(cos(a + b))", [](double, double, double) { return 1.0; }},
        {"fp16(a + b)", [](double a, double b, double) { return std::abs(a) + std::abs(b); }},
        {"if(a < b, a + b, b + 2*c)",
         [](double a, double b, double c) {
             return a < b ? std::abs(a) + std::abs(b) : std::abs(b) + 2 * std::abs(c);
         }},
        {"sum(i, 1, 3, a - i*b)", [](double a, double b, double) { return 3 * std::abs(a) + 6 * std::abs(b); }},
        {"exp(a + b)", [](double a, double b, double) { return std::exp(a + b); }},
        {"min(a, b)", [](double a, double b, double) { return std::abs(std::min(a, b)); }},
    };
    std::mt19937 random(1);
    std::uniform_real_distribution<double> draw(-3, 3);
    for (const Row& row : rows) {
        INFO(row.formula);
        const formula::Node tree = formula::parse(row.formula);
        for (int trial = 0; trial < 20; ++trial) {
            const double a = draw(random), b = draw(random), c = draw(random);
            CHECK(value_at(magnitude_of(tree), {a, b, c}) == Approx(row.expected(a, b, c)).epsilon(1e-13));
        }
    }
    // With angles, half an angle of over 2 counts in place of 1.
    for (const double angle : {-7.0, -2.0, -1.0, 0.0, 1.5, 3.0, 100.0})
        for (const char* wave : {"sin(a)", "cos(a)"})
            CHECK(value_at(magnitude_of(formula::parse(wave), true), {angle}) == std::max(1.0, std::abs(angle) / 2));
}

TEST_CASE("powers of negative exponents are quotients, others stay") {
    struct Row {
        const char* from;
        const char* to;
    };
    const Row rows[] = {
        {"a^(-b)", "1/a^b"},
        {"a^(-2*b/c)", "1/a^(2*b/c)"},
        {"a^(-(2*b)/c)", "1/a^((2*b)/c)"},
        {"c*a^(-b) + b", "c*(1/a^b) + b"},
        {"a^b", "a^b"},
        {"a^(b - c)", "a^(b - c)"},
        {"a^(2*(-b))", "a^(2*(-b))"},
        {"(a^(-b))^(-c)", "1/(1/a^b)^c"},
    };
    for (const Row& row : rows) {
        INFO(row.from);
        CHECK(formula::equal(powers_as_quotients(formula::parse(row.from)), formula::parse(row.to)));
    }
}

TEST_CASE("numbers moved along an axis are at the given places") {
    // Heads 1 and 2, queries 1 to 3 of keys 0 to 3.
    const scheme::Registry& schemes = scheme::Registry::builtin();
    const Question question;
    Layout layout;
    layout.axes = {Axis::head, Axis::query, Axis::key};
    layout.shape = {2, 3, 4};
    layout.first_query = 1;
    const Case all{schemes, question, "array", layout};
    std::vector<std::size_t> numbers(24);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    const Lanes lanes(all, {}, numbers);
    const std::vector<double> places = {2, 40};
    const auto values = [&](Axis axis, const char* formula) {
        return Lanes(lanes, axis, places).evaluate(formula::parse(formula), {});
    };
    for (std::size_t at = 0; at < 24; ++at) {
        CHECK(lanes.evaluate(formula::parse("q"), {})[at] == 1 + static_cast<double>(at / 4 % 3));
        CHECK(lanes.evaluate(formula::parse("k"), {})[at] == static_cast<double>(at % 4));
        CHECK(lanes.evaluate(formula::parse("head"), {})[at] == 1 + static_cast<double>(at / 12));
    }
    for (std::size_t at = 0; at < 48; ++at) {
        const double place = at < 24 ? 2 : 40;
        const std::size_t same = at % 24;
        CHECK(values(Axis::position, "p")[at] == place);
        CHECK(values(Axis::distance, "n")[at] == place);
        CHECK(values(Axis::head, "head")[at] == place);
        CHECK(values(Axis::head, "q - k")[at] == 1 + static_cast<double>(same / 4 % 3) - static_cast<double>(same % 4));
        // Along keys a place is how far the query is.
        CHECK(values(Axis::key, "q - k")[at] == place);
        CHECK(values(Axis::key, "k")[at] == static_cast<double>(same % 4));
        CHECK(values(Axis::key, "3")[at] == 3);
    }
    // Distances from 9 downward at head 3.
    const Lanes row(3, 9, 5);
    CHECK(row.evaluate(formula::parse("n"), {}) == std::vector<double>{9, 8, 7, 6, 5});
    CHECK(row.evaluate(formula::parse("q - k"), {}) == std::vector<double>{9, 8, 7, 6, 5});
    CHECK(row.evaluate(formula::parse("head"), {}) == std::vector<double>(5, 3));
}

TEST_CASE("an added mask is 1 where it adds 0, 0 from -10000 down, and neither where it raises a logit") {
    const std::vector<double> added = {0, -0.0, -10000, -10001, -unbounded, -9999, 5, 1};
    Layout layout;
    std::vector<double> found(added.size());
    read_numbers(layout, tensor_of({added.size()}, added), 0, found);
    CHECK(found == added);
    layout.is_added = true;
    read_numbers(layout, tensor_of({added.size()}, added), 0, found);
    CHECK(found == std::vector<double>{1, 1, 0, 0, 0, -9999, 6, 2});
    // The first number that is not 0 decides, wherever it is; floats that are all 0 hide no key.
    std::vector<double> late(70000, 0);
    CHECK(is_added(tensor_of({late.size()}, late)));
    late.back() = -unbounded;
    CHECK(is_added(tensor_of({late.size()}, late)));
    late.back() = 1;
    CHECK_FALSE(is_added(tensor_of({late.size()}, late)));
}

TEST_CASE("a variation that an option can express names it") {
    struct Row {
        const char* name;
        Choice choice;  ///< beside the edit
        const char* options;
    };
    // What the command line takes: docs/compare.md.
    const std::vector<Row> rows = {
        {"public-slopes", {}, "--set slopes=1"},
        {"formula-slopes", {}, "--set slopes=0"},
        {"base-500000", {}, "--set base=500000"},
        {"base-missing", {}, "--set base=2.718281828459045"},
        {"factor-without-exponent", {}, ""},  // of a formula, not of a number
        {"distance-from-1", {}, "--at 'distances=n + 1'"},
        {"positions-in-fp16", {}, "--at 'positions=fp16(p)'"},
        {"positions-offset", {.constants = {"-5"}}, "--at 'positions=p - 5'"},
        {"positions-moved-between", {.constants = {"3", "7", "2"}}, "--at 'positions=if(p < 3 or p > 7, p, p + 2)'"},
        {"positions-offset", {}, ""},  // its number is not found yet
        {"head-from-0", {}, ""},
        {"reversed-sign", {}, ""},
        {"in-fp32", {}, ""},
        {"half-rotated", {}, ""},
        {"one-of-several-heads", {.heads = 8, .head = 3}, "--heads 8 --head 3"},
        {"some-of-several-heads", {.heads = 16, .head = 5}, "--heads 16 --first-head 5"},
        {"other-value", {.param = "base", .constants = {"20000"}}, "--set base=20000"},
    };
    for (const Row& row : rows) {
        INFO(row.name);
        Choice choice = row.choice;
        for (const Edit& edit : edits())
            if (edit.name == row.name) choice.edit = &edit;
        REQUIRE(choice.edit);
        CHECK(choice.options() == row.options);
    }
    // Every param that an edit sets to a number is an option, and nothing else is.
    for (const Edit& edit : edits()) {
        INFO(edit.name);
        const bool is_number = !edit.to.empty() && edit.to.find_first_not_of("0123456789.") == std::string_view::npos;
        const std::string options = Choice{&edit}.options();
        CHECK(options.starts_with("--set ") == (edit.action == Action::param && is_number));
        if (edit.action == Action::param && is_number)
            CHECK(options == "--set " + std::string(edit.from) + "=" + std::string(edit.to));
    }
}

/// The names of the laws that fail.
std::vector<std::string> broken(const std::vector<Law>& laws) {
    std::vector<std::string> names;
    for (const Law& law : laws)
        if (!law.holds) names.push_back(law.name);
    return names;
}

TEST_CASE("one wrong number anywhere in a table of a rotation breaks a law") {
    constexpr std::size_t positions = 9, pairs = 3;
    std::vector<double> cosines;
    for (std::size_t p = 0; p < positions; ++p)
        for (std::size_t i = 0; i < pairs; ++i)
            cosines.push_back(std::cos(static_cast<double>(p) * std::pow(100.0, -static_cast<double>(i) / pairs)));
    CHECK(broken(rotation_laws(tensor_of({positions, pairs}, cosines), "array", Part::cosine)).empty());
    for (std::size_t at = 0; at < cosines.size(); ++at) {
        std::vector<double> wrong = cosines;
        wrong[at] -= 1e-6;
        INFO(at);
        const std::vector<std::string> names =
            broken(rotation_laws(tensor_of({positions, pairs}, wrong), "array", Part::cosine));
        CHECK(std::count(names.begin(), names.end(), "steady") == 1);
        CHECK(std::count(names.begin(), names.end(), "start") == (at < pairs ? 1 : 0));
        wrong[at] = 1 + 1e-6;
        const std::vector<std::string> larger =
            broken(rotation_laws(tensor_of({positions, pairs}, wrong), "array", Part::cosine));
        CHECK(std::count(larger.begin(), larger.end(), "bounded") == 1);
        wrong[at] = unbounded;
        const std::vector<std::string> infinite =
            broken(rotation_laws(tensor_of({positions, pairs}, wrong), "array", Part::cosine));
        CHECK(std::count(infinite.begin(), infinite.end(), "finite") == 1);
    }
}

TEST_CASE("one wrong number anywhere in a bias of distances breaks a law, and its place is reported") {
    // Two heads of -n/2 and -n/4 for the last 4 of 6 positions, masked after the query.
    constexpr std::size_t heads = 2, queries = 4, keys = 6;
    std::vector<double> bias;
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t q = 0; q < queries; ++q)
            for (std::size_t k = 0; k < keys; ++k) {
                const double n = static_cast<double>(q + keys - queries) - static_cast<double>(k);
                bias.push_back(n < 0 ? -unbounded : -n * std::ldexp(0.5, -static_cast<int>(h)));
            }
    const auto of = [&](const std::vector<double>& numbers) {
        return laws(tensor_of({heads, queries, keys}, numbers), "array");
    };
    CHECK(broken(of(bias)).empty());
    for (std::size_t at = 0; at < bias.size(); ++at) {
        const std::size_t k = at % keys, q = at / keys % queries;
        const bool is_later = k > q + keys - queries;
        // The first key of the last row and the last key of the first have no neighbour along the diagonal.
        const bool is_alone = (k == 0 && q == queries - 1) || (k == keys - 1 && q == 0);
        std::vector<double> wrong = bias;
        wrong[at] = is_later ? 7 : bias[at] + 0.125;
        INFO(at);
        std::vector<std::string> expected;
        if (is_later) expected.emplace_back("causal");
        if (!is_alone) expected.insert(expected.end(), {"relative", "translation"});
        CHECK(broken(of(wrong)) == expected);
        for (const Law& law : of(wrong))
            if (law.name == "causal" && is_later)
                CHECK(law.counterexample == "7 at " + tensor::shape_text(std::vector{at / keys / queries, q, k}));
        wrong[at] = std::numeric_limits<double>::quiet_NaN();
        CHECK(broken(of(wrong)).front() == "finite");
    }
    // Rows of one number have no order; one that differs is enough.
    std::vector<double> flat(bias.size(), 3);
    for (std::size_t at = 0; at < bias.size(); ++at)
        if (bias[at] == -unbounded) flat[at] = -unbounded;
    CHECK(broken(of(flat)) == std::vector<std::string>{"order"});
    // -10000 hides as -inf does.
    for (double& number : bias)
        if (number == -unbounded) number = -10000;
    CHECK(broken(of(bias)).empty());
}

TEST_CASE("with two learned tables of each head, each index is looked up in its own table") {
    const scheme::Registry schemes = with_own(
        "learn = { u = { size = 3, per = 'head' }, v = { size = 2, per = 'head' } }\n"
        "bias = 'u[min(n, 2)] + v[n % 2]'\n");
    const std::vector<double> u = {1, 2, 3, 40, 50, 60}, v = {0.125, 0.25, 0.5, 0.75};
    std::vector<double> numbers;
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t n = 0; n < 6; ++n)
            numbers.push_back(u[3 * h + std::min<std::size_t>(n, 2)] + v[2 * h + n % 2]);
    Question question;
    question.scheme = "own";
    question.axes = "heads,distances";
    question.learned = {{"u", {u}}, {"v", {v}}};
    question.most_changes = 0;  // nothing is asked of the numbers that differ but that they do
    CHECK(compare(tensor_of({2, 6}, numbers), "array", question, schemes).is_equal);
    std::swap(question.learned[0], question.learned[1]);
    CHECK(compare(tensor_of({2, 6}, numbers), "array", question, schemes).is_equal);
    for (double& number : numbers) {
        number += 0.0625;
        CHECK_FALSE(compare(tensor_of({2, 6}, numbers), "array", question, schemes).is_equal);
        number -= 0.0625;
    }
}

TEST_CASE("a bias of many or few queries, with later keys or without, is compared number by number") {
    struct Bias {
        const char* formula;
        double (*value)(double q, double k, double h);
    };
    // By distance alone, and not.
    const Bias biases[] = {{"-abs(n)/h", [](double q, double k, double h) { return -std::abs(q - k) / h; }},
                           {"-q*(k + 1)/h", [](double q, double k, double h) { return -q * (k + 1) / h; }}};
    for (const Bias& bias : biases)
        for (const bool is_causal : {true, false}) {
            const scheme::Registry schemes = with_own("bias = '" + std::string(bias.formula) +
                                                      "'\ncausal = " + (is_causal ? "true" : "false") + "\n");
            for (const std::size_t queries : {1, 7, 8, 9, 20}) {
                const std::size_t keys = queries + 3;
                std::vector<double> numbers;
                for (std::size_t h = 1; h <= 2; ++h)
                    for (std::size_t q = 0; q < queries; ++q)
                        for (std::size_t k = 0; k < keys; ++k)
                            numbers.push_back(
                                bias.value(static_cast<double>(q + 3), static_cast<double>(k), static_cast<double>(h)));
                Question question;
                question.scheme = "own";
                question.axes = "heads,queries,keys";
                INFO(bias.formula << ", " << is_causal << ", " << queries << " queries");
                const auto shape = std::vector<std::size_t>{2, queries, keys};
                CHECK(compare(tensor_of(shape, numbers), "array", question, schemes).is_equal);
                // One visible number that is wrong is the worst, wherever it is; of a masked one nothing is asked.
                question.most_changes = 0;
                for (std::size_t at = 0; at < numbers.size(); at += 1 + numbers.size() / 29) {
                    std::vector<double> wrong = numbers;
                    wrong[at] += 0.5;
                    const std::size_t q = at / keys % queries, k = at % keys;
                    const Answer answer = compare(tensor_of(shape, wrong), "array", question, schemes);
                    CHECK(answer.is_equal == (is_causal && k > q + 3));
                    if (answer.is_equal) continue;
                    CHECK(answer.declared.beyond == 1);
                    CHECK(answer.declared.index == std::vector<std::size_t>{at / keys / queries, q, k});
                    CHECK(answer.declared.found == wrong[at]);
                    CHECK(answer.declared.wanted == numbers[at]);
                }
            }
        }
}

TEST_CASE("another value of one param leaves the others as they were given") {
    const scheme::Registry schemes = with_own("params = { a = 1, b = 2 }\nbias = '-a*n - b*n^2'\n");
    std::vector<double> numbers;
    for (int n = 0; n < 12; ++n) numbers.push_back(-5.0 * n - 3.0 * n * n);
    Question question;
    question.scheme = "own";
    question.axes = "distances";
    question.params = {{"b", "3"}};
    const Answer answer = compare(tensor_of({12}, numbers), "array", question, schemes);
    REQUIRE(answer.commands.size() == 1);
    CHECK(answer.commands.front() == "--set a=5");
}

TEST_CASE("a variation that explains all numbers but one explains nothing, wherever that one is") {
    // ALiBi's bias of 8 heads with the other sign, -(-2^-h n), and no mask: of 12,800 numbers a sample is looked at
    // first.
    constexpr std::size_t heads = 8, length = 40;
    std::vector<double> numbers;
    for (std::size_t h = 1; h <= heads; ++h)
        for (std::size_t q = 0; q < length; ++q)
            for (std::size_t k = 0; k < length; ++k)
                numbers.push_back(k > q ? -unbounded : std::ldexp(static_cast<double>(q - k), -static_cast<int>(h)));
    Question question;
    question.scheme = "alibi";
    question.axes = "heads,queries,keys";
    question.most_changes = 1;
    const auto answer = [&] {
        return compare(tensor_of({heads, length, length}, numbers), "array", question, scheme::Registry::builtin());
    };
    const Answer whole = answer();
    REQUIRE(whole.variations.size() == 1);
    CHECK(whole.variations.front().name == "reversed-sign");
    std::mt19937 random(1);
    for (int trial = 0; trial < 3; ++trial) {
        const std::size_t h = random() % heads, q = 1 + random() % (length - 1), k = random() % q;
        INFO(h << ", " << q << ", " << k);
        double &number = numbers[(h * length + q) * length + k], right = number;
        number *= 1 + 1e-6;
        const Answer found = answer();
        CHECK_FALSE(found.explained);
        CHECK(found.variations.empty());
        number = right;
    }
}

TEST_CASE("of several places with the same numbers, moved lines have the nearest") {
    // A period of 5: a shift by 1 is one by 6, by 11 and by -4 too.
    const scheme::Registry schemes = with_own("bias = '(n % 5)^2'\n");
    std::vector<double> numbers;
    for (int n = 0; n < 30; ++n) numbers.push_back(std::pow((n + 1) % 5, 2));
    Question question;
    question.scheme = "own";
    question.axes = "distances";
    const Answer answer = compare(tensor_of({30}, numbers), "array", question, schemes);
    REQUIRE(answer.commands.size() == 1);
    CHECK(answer.commands.front() == "--at 'distances=n + 1'");
}

TEST_CASE("a part of the heads is tried only if the number of heads is not given") {
    // ALiBi's heads 3 and 4 of 8: slopes 2^-3 and 2^-4.
    std::vector<double> numbers;
    for (const double slope : {0.125, 0.0625})
        for (int n = 0; n < 6; ++n) numbers.push_back(-slope * n);
    Question question;
    question.scheme = "alibi";
    question.axes = "heads,distances";
    const auto variations = [&] {
        std::vector<std::string> names;
        const Answer answer = compare(tensor_of({2, 6}, numbers), "array", question, scheme::Registry::builtin());
        CHECK_FALSE(answer.is_equal);
        for (const Variation& each : answer.variations) names.push_back(each.name);
        for (const auto& other : answer.others)
            for (const Variation& each : other) names.push_back(each.name);
        return names;
    };
    const std::vector<std::string> open = variations();
    CHECK(std::count(open.begin(), open.end(), "some-of-several-heads") > 0);
    question.context.heads = 2;
    const std::vector<std::string> given = variations();
    CHECK(std::count(given.begin(), given.end(), "some-of-several-heads") == 0);
}

}  // namespace
}  // namespace farfield::compare
