// How numbers are counted where the mask hides a key, and which tensors a constant of each row can explain.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <farfield/compare/compare.hpp>
#include <limits>
#include <random>
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

struct Number {
    double found;
    double value;  ///< of the formula; a unit is 1
    bool is_seen;
};
using Row = std::vector<Number>;

constexpr double tolerance = 2;

double units_of(const Number& number) {
    if (number.found == number.value) return 0;
    const double units = std::abs(number.found - number.value);
    return std::isnan(units) ? -minus_infinity : units;
}

/// -inf, low, 0, the formula's, or another: of a run of masked numbers.
Hidden kind_of(std::span<const Number> run) {
    const double first = run.front().found;
    const auto all = [&](const auto& holds) { return std::all_of(run.begin(), run.end(), holds); };
    const bool is_constant = all([&](const Number& each) { return each.found == first; });
    if (is_constant && first == minus_infinity) return Hidden::minus_infinity;
    if (all([](const Number& each) { return units_of(each) <= tolerance; })) return Hidden::formula;
    if (is_constant && first <= -10000) return Hidden::large_negative;
    return is_constant && first == 0 ? Hidden::zero : Hidden::other;
}

/// Counts one number after another, as the comments of tally.hpp define it.
class Counts {
public:
    explicit Counts(bool is_strict) { tally_.is_strict = is_strict; }

    void add(const Row& row) {
        for (std::size_t from = 0; from < row.size();) {
            std::size_t to = from;
            while (to < row.size() && row[to].is_seen == row[from].is_seen) ++to;
            const std::span<const Number> run = std::span(row).subspan(from, to - from);
            if (!row[from].is_seen)
                add_hidden(run);
            else
                for (const Number& each : run) add_seen(each);
            from = to;
        }
    }

    /// What the tally must be after all rows.
    Tally close() {
        const bool is_one_low = lows_.size() > 1 && std::all_of(lows_.begin(), lows_.end(),
                                                                [&](double low) { return low == lows_.front(); });
        const bool is_masked = tally_.hidden[0] > 0 || is_one_low;
        if (!is_masked) return tally_;
        tally_.compared += open_.size();
        for (const auto& [index, found] : open_) differ(index, -minus_infinity, found, minus_infinity);
        return tally_;
    }

private:
    void differ(std::size_t index, double units, double found, double wanted) {
        if (units > tolerance) {
            ++tally_.beyond;
            tally_.first_beyond = std::min(tally_.first_beyond, index);
        }
        const bool is_earlier = units == tally_.worst && units > 0 && index < tally_.at;
        if (!(units > tally_.worst || is_earlier)) return;
        tally_.worst = units;
        tally_.at = index;
        tally_.found = found;
        tally_.wanted = wanted;
    }

    void note_if(bool is_invalid) {
        if (is_invalid) tally_.first_invalid = std::min(tally_.first_invalid, next_);
    }

    void add_seen(const Number& number) {
        ++tally_.compared;
        note_if(std::isnan(number.found));
        differ(next_++, units_of(number), number.found, number.value);
    }

    /// Whether the number and a mask's -inf have no sum.
    static bool is_sum_nan(const Number& number) { return std::isnan(number.found + minus_infinity); }

    void add_hidden(std::span<const Number> run) {
        const Hidden whole = kind_of(run);
        const bool is_mixed = whole == Hidden::other && std::any_of(run.begin(), run.end(), [](const Number& each) {
                                  return is_sum_nan(each) || each.found <= -10000;
                              });
        for (const Number& each : run) {
            const Hidden kind = is_mixed ? kind_of({&each, 1}) : whole;
            ++tally_.hidden[static_cast<std::size_t>(kind)];
            note_if(is_sum_nan(each));
            if (kind == Hidden::large_negative) lows_.push_back(each.found);
            const bool is_low = kind == Hidden::large_negative || kind == Hidden::minus_infinity;
            if (tally_.is_strict && kind == Hidden::other) ++tally_.compared;
            if (tally_.is_strict && kind == Hidden::other)
                differ(next_, -minus_infinity, each.found, each.value);
            else if (!is_low)
                open_.emplace_back(next_, each.found);
            ++next_;
        }
    }

    Tally tally_;
    std::size_t next_ = 0;
    std::vector<double> lows_;
    std::vector<std::pair<std::size_t, double>> open_;  ///< masked numbers that are not low
};

/// Rows of up to 40 numbers, of which those after some place are masked, as of a causal bias.
std::vector<Row> random_rows(std::mt19937& random) {
    const auto below = [&](unsigned end) { return static_cast<double>(random() % end); };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double specials[] = {nan, minus_infinity, -minus_infinity};
    const bool is_calm = below(2) == 0;  // no number is beyond the tolerance
    const double hidden[] = {minus_infinity, -10000, -20000, 0, 7.5, nan, -minus_infinity};
    const auto kind = static_cast<std::size_t>(below(10));  // of masked numbers: one of these, mixed, or the formula's
    std::vector<Row> rows;
    for (int row = 0; row < 6; ++row) {
        const auto count = 1 + random() % 40;
        const std::size_t seen = random() % (count + 1);
        Row numbers;
        for (std::size_t at = 0; at < count; ++at) {
            const double value = 100 + below(50);
            if (at < seen) {
                const bool is_wrong = !is_calm && below(20) == 0;
                const double error = below(3) * (below(2) == 0 ? 1 : -1);
                numbers.push_back({value + (is_wrong ? 8 * error : error), value, true});
                if (is_wrong && below(4) == 0) numbers.back().found = specials[random() % 3];
            } else {
                const double found = kind < 7 ? hidden[kind] : kind == 7 ? hidden[random() % 7] : value + below(2);
                numbers.push_back({found, value, false});
            }
        }
        rows.push_back(numbers);
    }
    return rows;
}

template <class Real>
struct Columns3 {
    std::vector<Real> found, value, per_unit;
    std::vector<std::uint8_t> seen;

    explicit Columns3(const Row& row) : per_unit(row.size(), 1) {
        for (const Number& each : row) {
            found.push_back(static_cast<Real>(each.found));
            value.push_back(static_cast<Real>(each.value));
            seen.push_back(each.is_seen ? 1 : 0);
        }
    }
    StripOf<Real> strip(std::size_t first) const { return {found, value, per_unit, seen, first}; }
};

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

void check_same(const Tally& found, const Tally& wanted) {
    CHECK(found.compared == wanted.compared);
    CHECK(found.beyond == wanted.beyond);
    CHECK(found.worst == wanted.worst);
    CHECK(found.hidden == wanted.hidden);
    CHECK(found.first_invalid == wanted.first_invalid);
    CHECK(found.first_beyond == wanted.first_beyond);
    if (wanted.worst == 0) return;
    CHECK(found.at == wanted.at);
    CHECK(same(found.found, wanted.found));
    CHECK(same(found.wanted, wanted.wanted));
}

}  // namespace

TEST_CASE("rows are tallied like their numbers one by one, in any order, merged or as floats") {
    std::mt19937 random(1);
    for (int trial = 0; trial < 400; ++trial) {
        INFO(trial);
        const std::vector<Row> rows = random_rows(random);
        const bool is_strict = random() % 2 == 0;
        Counts counts(is_strict);
        Tally once, quickly, even, odd;
        for (Tally* each : {&once, &quickly, &even, &odd}) {
            each->tolerance = tolerance;
            each->is_strict = is_strict;
        }
        std::size_t first = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const Columns3<double> doubles(rows[row]);
            const Columns3<float> floats(rows[row]);
            counts.add(rows[row]);
            once.add(doubles.strip(first), false);
            (row % 2 == 0 ? even : odd).add(doubles.strip(first), false);
            if (!quickly.add_quickly(floats.strip(first))) quickly.add(doubles.strip(first), false);
            first += rows[row].size();
        }
        Tally merged = even, reversed = odd;
        merged.merge(odd);
        reversed.merge(even);
        const Tally wanted = counts.close();
        for (Tally* each : {&once, &quickly, &merged, &reversed}) {
            each->close();
            check_same(*each, wanted);
            CHECK(each->hidden_text() == once.hidden_text());
        }
    }
}

TEST_CASE("equal infinities are equal, and a row with one infinity is compared without a constant") {
    const auto count = [](const Row& row, bool has_constant) {
        Tally tally;
        tally.tolerance = tolerance;
        tally.add(Columns3<double>(row).strip(0), has_constant);
        tally.close();
        return tally;
    };
    const double infinity = -minus_infinity;
    const Tally equal =
        count({{infinity, infinity, true}, {minus_infinity, minus_infinity, true}, {5, 5, true}}, false);
    CHECK(equal.beyond == 0);
    CHECK(equal.worst == 0);
    for (const double number : {infinity, minus_infinity}) {
        const Tally one = count({{1, 1, true}, {2, 2, true}, {number, 3, true}, {4, 4, true}}, true);
        CHECK(one.beyond == 1);
        CHECK(one.at == 2);
        CHECK(one.found == number);
    }
    // Each number is 7 more, but for one that is half a unit more.
    const Tally moved = count({{8, 1, true}, {9, 2, true}, {10.5, 3, true}, {99, 4, false}}, true);
    CHECK(moved.beyond == 0);
    CHECK(moved.compared == 3);
}

TEST_CASE("floats within the tolerance are added quickly, and those beyond it are not") {
    // Forty numbers, more than any vector holds at once, one of which is off by 2 units or 3.
    for (std::size_t wrong = 0; wrong < 40; ++wrong) {
        Row row(40, {5, 5, true});
        Tally tally;
        tally.tolerance = tolerance;
        tally.worst = tolerance;
        row[wrong].found = 7;
        CHECK(tally.add_quickly(Columns3<float>(row).strip(0)));
        CHECK(tally.compared == 40);
        row[wrong].found = 8;
        CHECK_FALSE(tally.add_quickly(Columns3<float>(row).strip(0)));
        CHECK(tally.compared == 40);
    }
}

TEST_CASE("a number that masks a key is low from -10000 down, 0, the formula's, or another") {
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
