// Formulas of a scheme in a context, evaluated at one point.
#pragma once

#include <farfield/evaluate/reference.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>
#include <string_view>

namespace farfield::scheme {

struct Point {
    double q = 0;
    double k = 0;
    double p = 0;
    double i = 0;
};

inline double at(const formula::Node& tree, const Point& point) {
    const evaluate::Environment environment{{{"q", point.q}, {"k", point.k}, {"p", point.p}, {"i", point.i}}, {}};
    return evaluate::reference(tree, environment);
}

/// The formula of a piece by name: bias, mask, angle, far.where, far.query, far.key, scale, even, odd, temperature.
inline formula::Node piece_formula(const Scheme& scheme, std::string_view piece, const Context& context) {
    if (piece == "bias") return bias_formula(scheme, context);
    if (piece == "mask") return mask_formula(scheme, context);
    if (piece == "angle") return near_angle_formula(scheme, context);
    if (piece == "far.where") return far_formulas(scheme, context).value().where;
    if (piece == "far.query") return far_formulas(scheme, context).value().query;
    if (piece == "far.key") return far_formulas(scheme, context).value().key;
    if (piece == "scale") return scale_formula(scheme, context);
    if (piece == "even") return in_context(scheme, scheme.embed->even.value(), context, "0");
    if (piece == "odd") return in_context(scheme, scheme.embed->odd.value(), context, "0");
    return in_context(scheme, scheme.temperature.value(), context, "1");
}

}  // namespace farfield::scheme
