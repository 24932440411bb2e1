// The marks of axes, and the numbers at them.
#include <catch2/catch.hpp>

#include "report/ticks.hpp"

using namespace farfield;
using Catch::Matchers::WithinRel;

TEST_CASE("marks are at measured values, if there is room") {
    const report::Axis log = {"", true, 60, 1100}, linear = {"", false, 0, 1100};
    const std::vector<double> lengths = {64, 128, 256, 512, 1024};
    const auto at = [](const std::vector<report::Tick>& ticks) {
        std::vector<double> values;
        for (const report::Tick& tick : ticks) values.push_back(tick.at);
        return values;
    };
    CHECK(at(report::horizontal_ticks(log, 600, lengths)) == lengths);
    CHECK(at(report::horizontal_ticks(linear, 600, lengths)) == lengths);
    // Where most of them would touch, round numbers stand instead.
    CHECK(at(report::horizontal_ticks(linear, 150, lengths)) == std::vector<double>{0, 500, 1000});
}

TEST_CASE("marks of a logarithmic axis are powers of ten, or numbers between where these are less than three") {
    struct Case {
        double least, most;
        std::vector<double> marks;
    };
    const Case each = GENERATE(
        Case{1, 100, {1, 10, 100}}, Case{0.9, 1000.5, {1, 10, 100, 1000}},  // powers alone
        Case{60, 1100, {100, 200, 500, 1000}}, Case{1, 50, {1, 2, 5, 10, 20, 50}},
        Case{0.5, 99, {0.5, 1, 2, 5, 10, 20, 50}}, Case{1.5, 15, {2, 5, 10}},
        // Equal steps: the finest of 1, 2 or 5 times a power of ten that goes at most eleven times into the axis.
        Case{1.5, 9, {2, 3, 4, 5, 6, 7, 8, 9}}, Case{3.5, 6.5, {3.5, 4, 4.5, 5, 5.5, 6, 6.5}},
        Case{3.5, 6, {3.5, 4, 4.5, 5, 5.5, 6}}, Case{1.11, 1.23, {1.12, 1.14, 1.16, 1.18, 1.2, 1.22}},
        Case{2.05, 2.95, {2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9}});
    const report::Axis axis = {"", true, each.least, each.most};
    const std::vector<report::Tick> found = report::horizontal_ticks(axis, 800);
    REQUIRE(found.size() == each.marks.size());
    // A whole number times a power of ten, or over one: rounded once.
    for (std::size_t at = 0; at < found.size(); ++at) CHECK_THAT(found[at].at, WithinRel(each.marks[at], 4e-16));
}

TEST_CASE("an axis of numbers that doubles hardly tell apart has few marks") {
    struct Case {
        double least, most;
    };
    const Case each = GENERATE(Case{1e16, 1e16 + 10}, Case{1, 1 + 1e-15}, Case{3, 3.0000000000000004},
                               Case{-1e300, -1e300 + 1e285}, Case{9007199254740992, 9007199254740994});
    const report::Axis axis = {"", false, each.least, each.most};
    CHECK(report::horizontal_ticks(axis, 800).size() <= 11);
    CHECK(report::vertical_ticks(axis, 400).size() <= 11);
    const report::Axis zero = {"", true, 0, 1};
    CHECK(report::vertical_ticks(zero, 400).size() <= 11);
}

TEST_CASE("the numbers at marks are short, with a minus sign, and powers of ten are raised") {
    const auto texts = [](const report::Axis& axis) {
        std::string text;
        for (const report::Tick& tick : report::vertical_ticks(axis, 400)) text += tick.text + " ";
        return text;
    };
    CHECK(texts({"", false, -0.2, 0.1}) == "\u22120.2 \u22120.15 \u22120.1 \u22120.05 0 0.05 0.1 ");
    CHECK(texts({"", false, 0, 4e7}) ==
          "0 5\u00d710\u2076 1\u00d710\u2077 1.5\u00d710\u2077 2\u00d710\u2077 "
          "2.5\u00d710\u2077 3\u00d710\u2077 3.5\u00d710\u2077 4\u00d710\u2077 ");
    CHECK(texts({"", false, 0, 3e-12}) ==
          "0 5\u00d710\u207b\u00b9\u00b3 1\u00d710\u207b\u00b9\u00b2 1.5\u00d710\u207b\u00b9\u00b2 "
          "2\u00d710\u207b\u00b9\u00b2 2.5\u00d710\u207b\u00b9\u00b2 3\u00d710\u207b\u00b9\u00b2 ");
    CHECK(texts({"", true, 0.001, 10}) == "10\u207b\u00b3 10\u207b\u00b2 10\u207b\u00b9 1 10 ");
    CHECK(texts({"", false, 5, 5}).empty());
}
