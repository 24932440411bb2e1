#include "compare/expected.hpp"

#include <algorithm>
#include <cmath>

#include "compare/units.hpp"

namespace farfield::compare {

namespace {

/// Code that stores numbers of a narrow format computes them in fp32 at least and rounds once: the unit at the value
/// itself. Only the rounding errors of fp32 are those of the terms' magnitudes.
double unit_of(const numerics::Format* format, double value, double magnitude) {
    static const numerics::Format* const fp32 = numerics::find_format("fp32");
    const double size = std::max(std::abs(value), magnitude);
    const bool is_narrow = format && format->mantissa_bits < fp32->mantissa_bits;
    return is_narrow ? std::max(spacing(format, std::abs(value)), spacing(fp32, size)) : spacing(format, size);
}

}  // namespace

Expected expect(const Case& all, const Model& model, const Lanes& lanes) {
    Expected expected;
    expected.value = lanes.evaluate(model.value, model.system);
    if (all.format) numerics::round_all(*all.format, expected.value);
    const std::vector<double> magnitude = lanes.evaluate(model.magnitude, {});
    const std::vector<double> slack =
        model.slack ? lanes.evaluate(model.slack, {}) : std::vector<double>(lanes.size(), 0.0);
    expected.per_unit.resize(lanes.size());
    for (std::size_t at = 0; at < lanes.size(); ++at) {
        const double unit = unit_of(all.format, expected.value[at], magnitude[at]);
        expected.per_unit[at] = 1 / (model.slack ? unit + slack[at] / all.tolerance : unit);
    }
    expected.seen.assign(lanes.size(), 1);
    if (!model.visible) return expected;
    const std::vector<double> visible = lanes.evaluate(model.visible, {});
    for (std::size_t at = 0; at < lanes.size(); ++at) expected.seen[at] = visible[at] == 1 ? 1 : 0;
    return expected;
}

}  // namespace farfield::compare
