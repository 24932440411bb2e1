// The pieces that evaluation is made of: ranges of work, parts of programs, rows alike at every point, arrays.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/formula/parser.hpp>

#include "evaluate/alike.hpp"
#include "evaluate/check_inputs.hpp"
#include "evaluate/part.hpp"
#include "evaluate/shape.hpp"
#include "evaluate/traffic.hpp"

namespace farfield::evaluate {
namespace {

using formula::Instruction;
using formula::Program;
using formula::Step;

/// Of x and y, which vary, a, which does not, and the table w.
Program compiled(const std::string& text) {
    return formula::compile(formula::parse(text), {{"a"}, {"x", "y"}, {"w"}});
}

const std::vector<double> xs = {0.5, 1, 2, 3, -1.25};
const std::vector<double> ys = {4, 3, 2, 1, 0};
const std::vector<double> table = {5, 7, 11};

std::vector<double> values(const Program& program, const std::vector<std::vector<double>>& given = {}) {
    Inputs inputs{{0.75}, {std::span<const double>(xs), std::span<const double>(ys)}, {table}, xs.size()};
    for (const std::vector<double>& lane : given) inputs.varying.emplace_back(std::span<const double>(lane));
    return evaluate::evaluate(program, inputs);
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double one, double other) { return one == other || (std::isnan(one) && std::isnan(other)); });
}

TEST_CASE("a program goes on from the values of its registers as if it had computed them") {
    for (const char* text :
         {"x*y + a", "sin(x*a) + sin(x*a)*y", "sum(i, 1, 4, x*i + y) - x*y", "if(x < y, x*y, x - y) + a*x",
          "sum(i, 0, 2, sum(j, i, 3, x*j + i)*y) + w[1]*x", "exp(x) + prod(i, 1, 3, exp(x) - i*a)",
          "if(all(i, 0, 3, x < i + y), x + y, x + y - a)", "min(x, y)*max(x, y) + min(x, y)", "x + y > 2*a*x",
          "w[y - 2] + x", "x*y + argmax(i, 0, 3, sin(i*x)*y)", "x*y + argmin(i, 0, 5, abs(i - x*y)) - a",
          "x*y + integral(t, 0, x*y, t + x)"}) {
        INFO(text);
        const Program program = compiled(text);
        const std::vector<double> whole = values(program);
        CHECK(same(values(rest_of(program, {})), whole));
        // The real registers outside loops that are computed at each point.
        std::vector<std::uint32_t> registers;
        for (std::size_t at = program.varying_begin; at < program.rows.size(); ++at) {
            const Instruction& row = program.rows[at];
            const bool is_real = !is_boolean(shape_of_row(row.op)) || row.step == Step::lookup;
            if (row.depth == 0 && row.step != Step::loop_end && is_real) registers.push_back(row.dest);
        }
        for (const std::uint32_t one : registers) {
            const std::vector<double> first = values(part_of(program, one, {}));
            const std::vector<std::uint32_t> given = {one};
            const Program rest = rest_of(program, given);
            CHECK(same(values(rest, {first}), whole));
            CHECK(rest.rows.size() < program.rows.size());
            for (const std::uint32_t other : registers) {
                if (other == one) continue;
                const std::vector<std::uint32_t> both = {one, other};
                const std::vector<double> second = values(part_of(program, other, {}));
                CHECK(same(values(part_of(program, other, given), {first}), second));
                CHECK(same(values(rest_of(program, both), {first, second}), whole));
            }
        }
    }
}

TEST_CASE("rows of loops that go round alike are known, others are not") {
    const auto alike = [](const std::string& text) {
        const Program program = compiled(text);
        std::string found;
        const std::vector<std::uint8_t> rows = rows_alike_at_every_point(program);
        CHECK(rows.size() == program.rows.size());
        for (std::size_t at = program.varying_begin; at < rows.size(); ++at) found += rows[at] != 0 ? '1' : '0';
        return found;
    };
    CHECK(alike("x*y") == "0");
    // loop, i*a, x*(i*a), end
    CHECK(alike("sum(i, 1, 3, i*a*x)") == "0100");
    // The bounds of the outer loop depend on the point.
    CHECK(alike("sum(i, 1, x, i*a*y)") == "0000");
    CHECK(alike("sum(i, x, 3, i*a*y)") == "0000");
    // outer loop, i*a, inner loop, the sum of x*(i*a)*j: i*a, which the inner does not change, stands before it.
    CHECK(alike("sum(i, 1, 3, sum(j, 1, 2, x*j)*(i*a))").find('1') != std::string::npos);
    // A loop of no point within a loop that varies: its first row alone is marked, not its body.
    CHECK(alike("sum(i, 1, 3, x*sum(j, 1, i, j*j))") ==
          "0100"
          "00");
}

TEST_CASE("the registers that a row reads and writes have a type") {
    const auto described = [](const std::string& text) {
        const Program program = compiled(text);
        std::string all;
        for (const Instruction& row : program.rows) {
            const Traffic traffic = traffic_of(row);
            for (const Register& each : traffic.reads) all += each.boolean ? 'b' : 'r';
            all += '>';
            for (const Register& each : traffic.writes) all += each.boolean ? 'b' : 'r';
            all += ' ';
        }
        return all;
    };
    CHECK(described("sin(x)") == "r>r ");
    CHECK(described("x + y") == "rr>r ");
    CHECK(described("clamp(x, y, a)") == "rrr>r ");
    CHECK(described("w[x]") == "r>r ");
    CHECK(described("not x < y") == "rr>b b>b ");
    CHECK(described("if(x < y and y < a, x, y)") == "rr>b rr>b bb>b brr>r ");
    CHECK(described("sum(i, x, y, i)") == "rr>rr rr> ");
    CHECK(described("all(i, x, y, i < 2)") == "rr>br rr>b bb> ");
    // An integral also has the fourth derivative of its body.
    CHECK(described("integral(t, x, y, a)") == "rr>rr rrr> ");
}

TEST_CASE("a stretch of an array has the array's numbers, and is a range where these are whole") {
    const Array stored(std::vector<double>{1, 2, 4, 8});
    CHECK(stored.size() == 4);
    CHECK(stored.front() == 1);
    CHECK(stored.back() == 8);
    CHECK(stored.part(1, 2).front() == 2);
    CHECK(stored.part(1, 2).back() == 4);
    CHECK(stored.part(1, 3).part(1, 2)[1] == 8);
    CHECK_FALSE(stored.range().has_value());
    const auto is_range = [](const Range& whole, std::size_t first) {
        const Array part = Array(whole).part(first, 3);
        const std::optional<Range> found = part.range();
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(part[i] == whole.at(first + i));
            CHECK(part.here()[i] == whole.at(first + i));
            if (found) CHECK(found->at(i) == whole.at(first + i));
        }
        return found.has_value();
    };
    CHECK(is_range({0, 1, 10}, 4));
    CHECK(is_range({-5, 3, 10}, 7));
    CHECK(is_range({0.1, 0.1, 10}, 0));
    CHECK_FALSE(is_range({0.1, 1, 10}, 4));
    CHECK_FALSE(is_range({0, 0.1, 10}, 4));
    CHECK(is_range({0x1p53 - 11, 1, 10}, 4));
    CHECK_FALSE(is_range({0x1p53 - 10, 1, 10}, 4));
    CHECK_FALSE(is_range({-0x1p53, 1, 10}, 4));
    CHECK(is_range({1 - 0x1p53, 1, 10}, 4));
    CHECK(Array(Range{0, 1, 5}).first_not_own_index() == 5);
    CHECK(Array(Range{1, 1, 5}).first_not_own_index() == 0);
    CHECK(Array(Range{0, 2, 5}).first_not_own_index() == 1);
    CHECK(Array(std::vector<double>{0, 1, 2, 4}).first_not_own_index() == 3);
    CHECK(Array(std::vector<double>{0, 1, 2}).first_not_own_index() == 3);
    CHECK(Array().empty());
}

TEST_CASE("the values of a whole array are its own data, those of a part are a copy") {
    const std::vector<double> lent = {1, 2, 4};
    for (const Array& whole : {Array(std::vector<double>{1, 2, 4}), Array(Range{1, 1, 3})}) {
        CHECK(whole.values().elsewhere());
        CHECK(whole.values().here() == std::vector<double>(whole.here().begin(), whole.here().end()));
        CHECK_FALSE(whole.part(0, 2).values().elsewhere());
        CHECK_FALSE(whole.part(1, 2).values().elsewhere());
        CHECK(whole.part(1, 2).values().here() == std::vector<double>{2, whole[2]});
    }
    // Numbers that another owns may not last.
    CHECK_FALSE(Array(std::span<const double>(lent)).values().elsewhere());
}

TEST_CASE("inputs are counted by kind, and lanes by points") {
    const Program program = compiled("x");
    CHECK_NOTHROW(check_inputs("f", program, {1, 2, 1}));
    for (const InputCounts& wrong : {InputCounts{0, 2, 1}, InputCounts{1, 1, 1}, InputCounts{1, 2, 2}})
        CHECK_THROWS_AS(check_inputs("f", program, wrong), core::PreconditionError);
    CHECK_NOTHROW(check_lane("f", "x", 3, 3));
    CHECK_THROWS_AS(check_lane("f", "x", 3, 2), core::PreconditionError);
}

}  // namespace
}  // namespace farfield::evaluate
