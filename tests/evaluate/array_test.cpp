// What is done with arrays, on the host and where a device holds them, against closed forms and plain loops.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <farfield/evaluate/array.hpp>
#include <farfield/formula/parser.hpp>

#include "evaluate/host_device.hpp"

using namespace farfield;
using namespace farfield::evaluate;
using namespace farfield::tests;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// check() on the host, and with a device that takes whatever it can.
void on_host_and_device(const std::function<void()>& check) {
    {
        INFO("on the host");
        check();
    }
    Machine machine;
    const auto device = interpreting_device(machine);
    const OnDevice scope(device.get());
    INFO("on a device");
    check();
    CHECK(machine.calls > 0);
    CHECK(machine.reports.empty());
}

/// f(n) for n = 0..count - 1, where evaluate_array() leaves it.
Array array_of(const std::string& formula, std::size_t count) {
    const formula::Program program = formula::compile(formula::parse(formula), {{}, {"n"}, {}});
    return evaluate_array(program, {}, {Array(Range{0, 1, count})}, count);
}

std::vector<double> numbers(const Array& array) {
    return {array.here().begin(), array.here().end()};
}

}  // namespace

TEST_CASE("an array of a formula has the formula's values, also where it is the same at every point") {
    on_host_and_device([] {
        CHECK(numbers(array_of("n*n - 2", 5)) == std::vector<double>{-2, -1, 2, 7, 14});
        CHECK(numbers(array_of("3 + 4", 3)) == std::vector<double>{7, 7, 7});
        CHECK(numbers(array_of("n > 1 and n < 4", 6)) == std::vector<double>{0, 0, 1, 1, 0, 0});
        CHECK(numbers(array_of("2 > 1 and 3 > 2", 2)) == std::vector<double>{1, 1});
        const Array array = array_of("n*n", 100);
        CHECK(array[7] == 49);
        CHECK(array.part(3, 10).front() == 9);
        CHECK(array.part(3, 10).back() == 144);
        CHECK(numbers(array.part(98, 2)) == std::vector<double>{98 * 98, 99 * 99});
        CHECK(array.first_not_own_index() == 2);
        CHECK(array_of("n + 0", 50).first_not_own_index() == 50);
    });
}

TEST_CASE("extremes, and the first numbers that are NaN, infinite or above a limit") {
    on_host_and_device([] {
        // 5, 4, ..., 0, 1, ..., 13 with a NaN at 15.
        const Extremes found = extremes(array_of("if(n == 15, 0/0, abs(n - 5))", 19));
        CHECK((found.least == 0 && found.at_least == 5));
        CHECK((found.greatest == 13 && found.at_greatest == 18));
        CHECK((found.first_nan == 15 && found.first_not_finite == 15));
        const Extremes equal = extremes(array_of("if(n % 2 == 0, 3, -3)", 7));
        CHECK((equal.at_least == 1 && equal.at_greatest == 0));
        CHECK((equal.first_nan == nowhere && equal.first_not_finite == nowhere));
        const Extremes infinite = extremes(array_of("if(n == 3 or n == 5, inf, if(n == 4, -inf, n))", 7));
        CHECK((infinite.least == -infinity && infinite.at_least == 4));
        CHECK((infinite.greatest == infinity && infinite.at_greatest == 3));
        CHECK((infinite.first_not_finite == 3 && infinite.first_nan == nowhere));
        const Extremes only = extremes(array_of("if(n < 2, inf, 0/0)", 4));
        CHECK((only.least == infinity && only.at_least == 0 && only.at_greatest == 0 && only.first_nan == 2));
        // Of several pieces, with both extremes in a piece in the middle, or equal in two pieces.
        const Extremes middle = extremes(array_of("if(n == 70000, -9, if(n == 70001, 9, n % 7))", 200000));
        CHECK((middle.least == -9 && middle.at_least == 70000));
        CHECK((middle.greatest == 9 && middle.at_greatest == 70001));
        const Extremes twice =
            extremes(array_of("if(n == 50 or n == 150000, -9, if(n == 60 or n == 150001, 9, 0))", 200000));
        CHECK((twice.at_least == 50 && twice.at_greatest == 60));
        const Array row = array_of("if(n == 6, inf, if(n == 8, 0/0, n))", 10);
        CHECK(first_nan(row) == 8);
        CHECK(first_not_finite(row) == 6);
        CHECK(first_above(row, 4) == 5);
        CHECK(first_above(row, 4.5) == 5);
        CHECK(first_above(array_of("n + 0", 5), 4) == nowhere);
        CHECK(first_nan(array_of("n + 0", 5)) == 5);
        CHECK(first_not_finite(array_of("n + 0", 5)) == 5);
    });
    CHECK(first_not_finite(Array(Range{0, 1, 10})) == 10);
    CHECK(first_not_finite(Array(Range{0, 1e308, 10})) == 2);
    CHECK(first_nan(Array(Range{0, 1, 10})) == 10);
}

TEST_CASE("steps between infinities count as their difference, and as nothing between equal ones") {
    on_host_and_device([] {
        // 0, inf, inf, 3, -inf, -inf, 2
        const Steps found =
            steps(array_of("if(n == 1 or n == 2, inf, if(n == 4 or n == 5, -inf, if(n == 3, 3, n/3)))", 7));
        CHECK(found.rises == 2);
        CHECK(found.falls == 2);
        CHECK(found.first_rise == 0);
        CHECK(found.largest_rise == infinity);
        CHECK(found.variation == infinity);
        const Steps falling = steps(array_of("-n", 5));
        CHECK((falling.rises == 0 && falling.falls == 4 && falling.first_rise == nowhere));
        CHECK((falling.largest_rise == 0 && falling.variation == 4));
    });
}

TEST_CASE("sums, weights, mixtures, differences and means of arrays are those of their numbers") {
    on_host_and_device([] {
        const Array n = array_of("n + 0", 1000), squares = array_of("n*n", 1000);
        CHECK(sum(n) == 499500);
        CHECK(sum(squares) == 999.0 * 1000 * 1999 / 6);
        const std::vector<double> running = numbers(running_sums(n));
        for (std::size_t i = 0; i < 1000; ++i) CHECK(running[i] == static_cast<double>(i * (i + 1)) / 2);
        CHECK(numbers(mix(array_of("n + 0", 4), 0.5, 7)) == std::vector<double>{7, 0.5, 1, 1.5});
        CHECK(numbers(subtract(array_of("n*n", 4), array_of("n + 1", 4))) == std::vector<double>{-1, -1, 1, 5});
        CHECK(numbers(mean_of_rows({array_of("n*n", 3), array_of("-n", 3), array_of("6 + n*0", 3)})) ==
              std::vector<double>{2, 2, 8.0 / 3});
        // 1 + x + ... + x^3 times itself, up to x^3.
        const std::vector<double> product = numbers(convolve(array_of("1 + n*0", 4), array_of("1 + n*0", 4)));
        for (std::size_t i = 0; i < 4; ++i) CHECK(product[i] == Approx(static_cast<double>(i) + 1).epsilon(1e-14));
        // e^(n log 2) = 2^n: the sums are geometric. 2^-9 of the greatest at least.
        const Array logits = array_of("n*log(2)", 10);
        const double total = 1023.0 / 512;
        const RowSums sums = sum_row(logits, 1, -infinity);
        CHECK(sums.shift == Approx(9 * std::log(2.0)).epsilon(1e-15));
        CHECK(sums.total == Approx(total).epsilon(1e-13));
        CHECK(sums.squares == Approx((std::pow(4, 10) - 1) / 3 / std::pow(4, 9)).epsilon(1e-13));
        // w_n (w_n - 2 w_n) for all but the last, which falls to nothing.
        CHECK(sums.falls == Approx(1 - (std::pow(4, 9) - 1) / 3 / std::pow(4, 9)).epsilon(1e-13));
        for (const bool with_sums : {false, true}) {
            const Softmax found = with_sums ? softmax_with_sums(logits) : softmax(logits);
            CHECK(found.whole.total == Approx(total).epsilon(1e-13));
            REQUIRE(found.row.size() == 10);
            CHECK(found.sums.size() == (with_sums ? 10 : 0));
            for (std::size_t i = 0; i < 10; ++i) {
                CHECK(found.row[i] == Approx(std::exp2(static_cast<double>(i)) / 1023).epsilon(1e-13));
                if (with_sums) CHECK(found.sums[i] == Approx((std::exp2(i + 1.0) - 1) / 1023).epsilon(1e-13));
            }
        }
        const RowSums first = sum_row(logits.part(0, 4), 1, logits[4]),
                      second = sum_row(logits.part(4, 6), 1, -infinity);
        const RowSums both = joined(first, second);
        CHECK(both.total == Approx(total).epsilon(1e-13));
        CHECK(both.falls == Approx(sums.falls).epsilon(1e-13));
    });
}

TEST_CASE("cells of a matrix are its queries and keys, and formulas of both are computed over them") {
    on_host_and_device([] {
        for (const std::size_t length : {1, 2, 7}) {
            const Cells found = cells(length);
            const std::vector<Array> made =
                evaluate_pairs({formula::parse("10*q + k"), formula::parse("if(k > q, -inf, 1)")}, length);
            REQUIRE(made.size() == 2);
            std::vector<double> direct(length * length);
            evaluate_pairs_into(formula::parse("10*q + k"), length, direct);
            REQUIRE(found.q.size() == length * length);
            for (std::size_t cell = 0; cell < length * length; ++cell) {
                const auto q = static_cast<double>(cell / length), k = static_cast<double>(cell % length);
                CHECK((found.q[cell] == q && found.k[cell] == k));
                CHECK(made[0][cell] == 10 * q + k);
                CHECK(direct[cell] == 10 * q + k);
                CHECK(made[1][cell] == (k > q ? -infinity : 1));
            }
        }
    });
}

TEST_CASE("a matrix of biases has in each cell that of its head and distance") {
    on_host_and_device([] {
        for (const std::size_t length : {1, 2, 5}) {
            // Of head h and the key k - q after the query: 100 h + k - q.
            std::vector<double> by_distance;
            for (std::size_t h = 0; h < 3; ++h)
                for (std::size_t at = 0; at < 2 * length - 1; ++at)
                    by_distance.push_back(100.0 * static_cast<double>(h) + static_cast<double>(at + 1) -
                                          static_cast<double>(length));
            const Array found = spread(by_distance, 3, length);
            REQUIRE(found.size() == 3 * length * length);
            std::vector<double> direct(found.size());
            spread_into(by_distance, length, direct);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const auto h = static_cast<double>(i / length / length);
                const double after = static_cast<double>(i % length) - static_cast<double>(i / length % length);
                CHECK(found[i] == 100 * h + after);
                CHECK(direct[i] == 100 * h + after);
            }
        }
    });
}

TEST_CASE("visible cells are those that are not -inf, with their extremes, ends and count") {
    on_host_and_device([] {
        // -inf, 4, 1, -inf, 9, 1, 9, 2, -inf
        const VisibleCells found = visible_cells(
            array_of("if(n % 8 == 0 or n == 3, -inf, if(n == 1, 4, if(n == 2 or n == 5, 1, if(n == 7, 2, 9))))", 9));
        CHECK((found.least == 1 && found.at_least == 2));
        CHECK((found.greatest == 9 && found.at_greatest == 4));
        CHECK((found.first == 4 && found.last == 2 && found.count == 6));
        const VisibleCells none = visible_cells(array_of("-inf + 0*n", 4));
        CHECK((none.count == 0 && none.least == 0 && none.greatest == 0 && none.first == 0 && none.last == 0));
        const VisibleCells one = visible_cells(array_of("if(n == 2, 5, -inf)", 4));
        CHECK((one.count == 1 && one.least == 5 && one.greatest == 5 && one.first == 5 && one.last == 5));
        CHECK((one.at_least == 2 && one.at_greatest == 2));
    });
}

TEST_CASE("a straight line and a curve are found from arrays, with offset and weights") {
    on_host_and_device([] {
        constexpr std::size_t points = 200;
        const Array ones = array_of("1 + 0*n", points), n = array_of("n + 0", points);
        LinearModel line;
        line.columns = {ones, n};
        line.values = [&](std::span<const double> p) {
            return array_of(std::to_string(p[0]) + " + " + std::to_string(p[1]) + "*n", points);
        };
        for (const bool with_offset : {false, true}) {
            line.data = with_offset ? array_of("2 + 3*n + n^2", points) : array_of("2 + 3*n", points);
            line.offset = with_offset ? array_of("n^2", points) : Array();
            for (const bool with_weights : {false, true}) {
                line.weights = with_weights ? array_of("if(n % 3 == 0, 0, 1 + n)", points) : Array();
                const LinearFit found = fit_linear(line);
                CHECK(found.fit.parameters[0] == Approx(2).epsilon(1e-12));
                CHECK(found.fit.parameters[1] == Approx(3).epsilon(1e-12));
                CHECK(found.fit.points == (with_weights ? points - 67 : points));
                CHECK(found.by_products == line.data.is_on_device());
                CHECK(found.fit.r2 == Approx(1).epsilon(1e-12));
                CHECK(found.fit.max_error < 1e-9);
                if (!found.by_products)
                    for (std::size_t i = 0; i < points; ++i) CHECK(std::abs(found.values[i] - line.data[i]) < 1e-9);
            }
        }
        // Two values, 0 and 1 by turns, and the weight 3 for the ones: the mean is 3/4, sum w r^2 = 100 3/4.
        LinearModel mean;
        mean.columns = {ones};
        mean.data = array_of("n % 2", points);
        mean.weights = array_of("1 + 2*(n % 2)", points);
        mean.values = [&](std::span<const double> p) { return array_of(std::to_string(p[0]) + " + 0*n", points); };
        const LinearFit found = fit_linear(mean);
        CHECK(found.fit.parameters[0] == Approx(0.75).epsilon(1e-14));
        CHECK(found.fit.rmse == Approx(std::sqrt(3.0) / 4).epsilon(1e-13));
        CHECK(std::abs(found.fit.r2) < 1e-13);
    });
}

TEST_CASE("a column shares an array's numbers, and an array kept outlives a caller's") {
    on_host_and_device([] {
        const Array made = array_of("n*n", 5);
        CHECK(numbers(Array(made.values())) == std::vector<double>{0, 1, 4, 9, 16});
        CHECK(numbers(Array(made.part(1, 3).values())) == std::vector<double>{1, 4, 9});
        CHECK(numbers(Array(Array(Range{2, 3, 4}).values())) == std::vector<double>{2, 5, 8, 11});
    });
    std::vector<double> mine = {1, 2, 3};
    const Array seen{std::span<const double>(mine)};
    const Array kept = seen.part(1, 2).kept();
    const core::Values column = seen.values();
    mine.assign(3, 7);
    CHECK(seen[1] == 7);
    CHECK(numbers(kept) == std::vector<double>{2, 3});
    CHECK((column.here()[0] == 1 && column.size() == 3));
}
