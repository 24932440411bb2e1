// How numbers are counted where the mask hides a key, and which tensors a constant of each row can explain.
#include <catch2/catch.hpp>

#include <cstdint>
#include <farfield/compare/compare.hpp>
#include <limits>
#include <string>
#include <vector>

#include <farfield/core/write_file.hpp>
#include "compare/layout.hpp"
#include "compare/tally.hpp"
#include "support/folder.hpp"

namespace farfield::compare {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// What a tally says of three hidden numbers that are all `number`, where the formula gives 1.
std::string hidden_text(double number) {
    const std::vector<double> found(3, number), value(3, 1), per_unit(3, 1);
    const std::vector<std::uint8_t> seen(3, 0);
    Tally tally;
    tally.tolerance = 0.5;
    tally.add({found, value, per_unit, seen}, false);
    return tally.hidden_text();
}

/// The same in floats.
std::string quickly_hidden_text(float number) {
    const std::vector<float> found(3, number), value(3, 1), per_unit(3, 1);
    const std::vector<std::uint8_t> seen(3, 0);
    Tally tally;
    tally.tolerance = 0.5;
    REQUIRE(tally.add_quickly({found, value, per_unit, seen}));
    return tally.hidden_text();
}

/// A file of doubles in the .npy format of version 1.0, its header written by hand.
void write_npy(const std::string& path, const std::string& shape, const std::vector<double>& numbers) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(64 * 2 - 10 - 1, ' ');
    header += '\n';
    std::string bytes = "\x93NUMPY\x01";
    bytes += '\0';
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
    core::write_file(path, bytes);
}

}  // namespace

TEST_CASE("a number that hides a key is low from -10000 down, 0, the formula's, or another") {
    // -10000 itself is what public code adds.
    const std::vector<std::pair<double, std::string>> kinds = {
        {minus_infinity, "-inf"}, {-1e9, "-1000000000"},       {-10001, "-10001"},  {-10000, "-10000"}, {0, "0"},
        {-9999, "other values"},  {1, "the formula's values"}, {5, "other values"},
    };
    for (const auto& [number, text] : kinds) {
        INFO(number);
        CHECK(hidden_text(number) == text);
        CHECK(quickly_hidden_text(static_cast<float>(number)) == text);
    }
}

TEST_CASE("a constant of each row is a variation of queries by keys alone") {
    // ALiBi of one head is -n/256; here 1, 2, 3, ... is added at each distance, as a row's constant would be.
    const tests::Folder folder;
    std::vector<double> numbers;
    for (int n = 0; n < 6; ++n) numbers.insert(numbers.end(), 4, -n / 256.0 + 1 + n * n);
    write_npy(folder.path("b.npy"), "(6, 4)", numbers);
    Question question;
    question.scheme = "alibi";
    question.axes = "distances,keys";
    const Answer answer =
        compare(tensor::open_tensor(folder.path("b.npy"), ""), "b.npy", question, scheme::Registry::builtin());
    CHECK_FALSE(answer.is_equal);
    CHECK_FALSE(answer.explained);
    for (const Variation& each : answer.nearest) CHECK(each.name != "row-constant");
}

}  // namespace farfield::compare
