#include "compare/expected.hpp"

#include <algorithm>
#include <cmath>

#include "compare/units.hpp"

namespace farfield::compare {

namespace {

/// Below this tolerance, numbers must be exact, and so must angles: their allowance is divided by the tolerance.
constexpr double least_tolerance_with_slack = 0x1p-20;

}  // namespace

Expected expect(const Case& all, const Model& model, const Lanes& lanes) {
    Expected expected;
    expected.value = lanes.evaluate(model.value, model.system);
    if (all.format) numerics::round_all(*all.format, expected.value);
    const std::vector<double> magnitude = lanes.evaluate(model.magnitude, {});
    const bool has_slack = model.slack && all.tolerance >= least_tolerance_with_slack;
    const std::vector<double> slack =
        has_slack ? lanes.evaluate(model.slack, {}) : std::vector<double>(lanes.size(), 0.0);
    expected.per_unit.resize(lanes.size());
    for (std::size_t at = 0; at < lanes.size(); ++at) {
        const double unit = spacing(all.format, std::max(std::abs(expected.value[at]), magnitude[at]));
        expected.per_unit[at] = 1 / (has_slack ? unit + slack[at] / all.tolerance : unit);
    }
    expected.seen.assign(lanes.size(), 1);
    if (!model.visible) return expected;
    const std::vector<double> visible = lanes.evaluate(model.visible, {});
    for (std::size_t at = 0; at < lanes.size(); ++at) expected.seen[at] = visible[at] == 1 ? 1 : 0;
    return expected;
}

}  // namespace farfield::compare
