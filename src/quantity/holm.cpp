// Holm's correction of the tests of a study.
#include "quantity/holm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "numerics/rational.hpp"

namespace farfield::quantity {
namespace {

/// A value of a kind of quantity that is the p of a test.
struct TestedValue {
    std::string_view kind;
    std::string_view p;
};

constexpr std::array<TestedValue, 3> tested_values = {
    TestedValue{"ttest", "p"},
    TestedValue{"correlation", "pearson_p"},
    TestedValue{"correlation", "spearman_p"},
};

/// One test of a result: its p, the largest p that its enclosure allows (p itself without one), and the largest that is
/// proven (1 without an enclosure). All are 1 without a p.
struct Test {
    core::Result* result;
    std::string_view name;
    double p = 1;
    double largest = 1;
    double proven = 1;
    bool exists = false;
};

Test read_test(core::Result& result, std::string_view name) {
    const core::Cell* p = result.find(name);
    if (!p || !p->number || std::isnan(*p->number)) return {&result, name};
    const double most = p->enclosure ? p->enclosure->hi : *p->number;
    return {&result, name, *p->number, most, p->enclosure ? most : 1, true};
}

double alpha_of(const core::Result& test) {
    std::string decimal = usual_alpha;
    for (const auto& [key, text] : test.evidence.facts)
        if (key == "setting.alpha") decimal = text;
    const auto alpha = numerics::read_rational(decimal);
    return numerics::nearest(alpha ? *alpha : *numerics::read_rational(usual_alpha));
}

/// Holm's correction of all tests by one of their numbers, in the order of the tests.
std::vector<double> corrected(const std::vector<Test>& all, std::size_t tests, double Test::*p) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a].*p < all[b].*p; });
    std::vector<double> result(all.size());
    double largest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double times = static_cast<double>(std::max(tests, all.size()) - rank);
        largest = std::max(largest, std::min(1.0, times * (all[order[rank]].*p)));
        result[order[rank]] = largest;
    }
    return result;
}

}  // namespace

std::size_t tests_of(std::string_view kind) {
    return static_cast<std::size_t>(std::count_if(tested_values.begin(), tested_values.end(),
                                                  [&](const TestedValue& value) { return value.kind == kind; }));
}

void correct_for_tests(std::deque<core::Result>& results, std::size_t tests) {
    std::vector<Test> all;
    for (core::Result& result : results)
        for (const TestedValue& value : tested_values)
            if (value.kind == result.kind) all.push_back(read_test(result, value.p));
    const std::vector<double> numbers = corrected(all, tests, &Test::p);
    const std::vector<double> largest = corrected(all, tests, &Test::largest);
    const std::vector<double> proven = corrected(all, tests, &Test::proven);
    for (std::size_t i = 0; i < all.size(); ++i) {
        core::Result& result = *all[i].result;
        result.set(std::string(all[i].name) + "_holm",
                   all[i].exists ? core::Cell::of(numbers[i]) : core::Cell::missing());
        const core::Cell* sign = result.find("sign");
        if (!sign || !sign->number) continue;
        const double alpha = alpha_of(result);
        if (largest[i] > alpha)
            result.set("sign", core::Cell::missing());
        else if (proven[i] > alpha)  // another test's p, which has no enclosure, may change the correction
            result.set("sign", core::Cell::of(*sign->number));
    }
}

}  // namespace farfield::quantity
