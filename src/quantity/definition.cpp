#include "quantity/definition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <farfield/formula/names.hpp>

namespace farfield::quantity {
namespace {

using numerics::Rational;

void state_inside(const std::string& field, const Dimension& dimension, Definition& own) {
    if (dimension.is_grid)
        state_within(field, dimension.grid, own);
    else
        state_between(field, dimension.lo, dimension.hi, own);
}

std::optional<numerics::Progression> within(const std::optional<numerics::Progression>& points,
                                            const std::optional<Limits>& limits) {
    if (!points || !limits) return points;
    const auto [begin, end] = points->between(limits->from, limits->to);
    if (begin >= end) return std::nullopt;
    return points->part(begin, end - begin);
}

}  // namespace

std::optional<numerics::Progression> points_of(const Of& of, const std::optional<Limits>& limits,
                                               const DefinitionOf& definition_of) {
    return within(definition_of(of.name).points, limits);
}

std::optional<numerics::Progression> points_of(const CurveInput& input, const DefinitionOf& definition_of) {
    if (const Of* of = std::get_if<Of>(&input.source)) return points_of(*of, input.limits, definition_of);
    return within(std::get<Tabulation>(input.source).grid.range, input.limits);
}

void state_between(std::string_view field, const Rational& lo, const Rational& hi, Definition& own) {
    own.facts.push_back(
        fmt::format("{0} >= {1} and {0} <= {2}", field, numerics::rational_text(lo), numerics::rational_text(hi)));
}

void state_equal(std::string_view field, const Rational& value, Definition& own) {
    own.facts.push_back(fmt::format("{} == {}", field, numerics::rational_text(value)));
}

void state_within(std::string_view field, const numerics::Progression& points, Definition& own) {
    if (points.count() == 0) return;
    state_between(field, points.exact(0), points.exact(points.count() - 1), own);
    if (numerics::is_integer(points.from()) && numerics::is_integer(points.step()))
        own.facts.push_back(fmt::format("{0} == floor({0})", field));
}

void state_within(const std::vector<std::string_view>& fields, const Domain& domain, Definition& own) {
    for (const std::string_view field : fields)
        if (domain.dimensions().size() == 1)
            state_inside(std::string(field), domain.dimensions().front(), own);
        else
            state_within_each(field, domain, own);
}

void state_within_each(std::string_view field, const Domain& domain, Definition& own) {
    for (const Dimension& dimension : domain.dimensions())
        state_inside(fmt::format("{}_{}", field, dimension.variable), dimension, own);
}

void state_at_most(const std::vector<std::string_view>& fields, const Rational& most, Definition& own) {
    for (const std::string_view field : fields)
        own.facts.push_back(fmt::format("{} <= {}", field, numerics::rational_text(most)));
}

void state_infinite(const std::vector<std::string_view>& fields, Definition& own) {
    for (const std::string_view field : fields) own.facts.push_back(fmt::format("{} >= -inf", field));
}

void state_infinity_of(const formula::Node& tree, Definition& own) {
    const std::vector<std::string> names = formula::free_names(tree);
    own.has_infinity = own.has_infinity || std::find(names.begin(), names.end(), "inf") != names.end();
    if (own.has_infinity) state_infinite({"value[n]"}, own);
}

void state_infinity_of(const Tabulation& tabulation, Definition& own) {
    own.has_infinity = tabulation.system.kind != evaluate::NumberSystem::Kind::binary64;
    state_infinity_of(tabulation.formula.tree, own);
}

void state_summary(const numerics::Progression& points, Definition& own) {
    if (own.has_infinity) state_infinite({"min", "max", "first", "last"}, own);
    if (points.count() == 0) return;
    for (const std::string_view field : {"min", "max"}) {
        state_within(fmt::format("arg{}", field), points, own);
        own.facts.push_back(fmt::format("{0} == value[arg{0}]", field));
    }
    own.facts.push_back(fmt::format("first == value[{}] and last == value[{}]",
                                    numerics::rational_text(points.exact(0)),
                                    numerics::rational_text(points.exact(points.count() - 1))));
}

void state_summary_of(const Of& of, const std::optional<Limits>& limits, const DefinitionOf& definition_of,
                      Definition& own) {
    const Definition& other = definition_of(of.name);
    if (!other.points) return;
    const auto points = points_of(of, limits, definition_of);
    if (!points) return;
    const std::string name = "'" + of.name + "'";
    own.has_infinity = other.has_infinity;
    if (own.has_infinity) state_infinite({"min", "max", "first", "last"}, own);
    for (const std::string_view field : {"min", "max"})
        own.facts.push_back(fmt::format("{0} == {1}.value[arg{0}]", field, name));
    if (points->count() == other.points->count()) {
        for (const std::string_view field : {"min", "max", "argmin", "argmax", "first", "last"})
            own.facts.push_back(fmt::format("{0} == {1}.{0}", field, name));
        return;
    }
    own.facts.push_back(fmt::format("min >= {0}.min and max <= {0}.max", name));
    own.facts.push_back(fmt::format("first == {0}.value[{1}] and last == {0}.value[{2}]", name,
                                    numerics::rational_text(points->exact(0)),
                                    numerics::rational_text(points->exact(points->count() - 1))));
}

}  // namespace farfield::quantity
