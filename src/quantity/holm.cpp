// Holm's correction of the tests of a study.
#include "quantity/holm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

/// One test of a result, and the largest p that its value allows; 1 if there is none.
struct Test {
    core::Result* result;
    std::string_view p;
    double largest = 1;
    bool exists = false;
};

Test read_test(core::Result& result, std::string_view name) {
    const core::Cell* p = result.find(name);
    if (!p || !p->number || std::isnan(*p->number)) return {&result, name};
    return {&result, name, p->enclosure ? p->enclosure->hi : *p->number, true};
}

double alpha_of(const core::Result& test) {
    std::string decimal = usual_alpha;
    for (const auto& [key, text] : test.evidence.facts)
        if (key == "setting.alpha") decimal = text;
    const auto alpha = numerics::read_rational(decimal);
    return numerics::nearest(alpha ? *alpha : *numerics::read_rational(usual_alpha));
}

void correct(const Test& test, double p) {
    test.result->set(std::string(test.p) + "_holm", test.exists ? core::Cell::of(p) : core::Cell::missing());
    if (test.result->find("sign") && p > alpha_of(*test.result)) test.result->set("sign", core::Cell::missing());
}

}  // namespace

std::size_t tests_of(std::string_view kind) {
    return static_cast<std::size_t>(std::count_if(tested_values.begin(), tested_values.end(),
                                                  [&](const TestedValue& value) { return value.kind == kind; }));
}

void correct_for_tests(std::deque<core::Result>& results, std::size_t tests) {
    std::vector<Test> ranked;
    for (core::Result& result : results)
        for (const TestedValue& value : tested_values)
            if (value.kind == result.kind) ranked.push_back(read_test(result, value.p));
    std::stable_sort(ranked.begin(), ranked.end(), [](const Test& a, const Test& b) { return a.largest < b.largest; });
    double largest = 0;
    for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
        const double times = static_cast<double>(std::max(tests, ranked.size()) - rank);
        largest = std::max(largest, std::min(1.0, times * ranked[rank].largest));
        correct(ranked[rank], largest);
    }
}

}  // namespace farfield::quantity
