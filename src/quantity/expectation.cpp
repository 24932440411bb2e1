// Attention expectation g[n] of a rotating scheme.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/context.hpp>

#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/summary.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;
using formula::Op;

constexpr std::array<core::Key, 3> own_keys = {
    core::Key{.name = "distances",
              .type = core::KeyType::table,
              .unit = "{ from, to, step }",
              .required = true,
              .meaning = "values of n, both ends included"},
    core::Key{.name = "last",
              .type = core::KeyType::boolean,
              .fallback = "false",
              .meaning = "adds i = d/2, as L Eqs. (9) and (10) are printed"},
    enclosures_key,
};

class Expectation : public Prepared {
public:
    Expectation(Tabulation tabulation, std::string relative)
        : tabulation_(std::move(tabulation)), relative_(std::move(relative)) {}

    double cost() const override { return cost_of(tabulation_); }

    core::Result run(const Inputs&) const override {
        core::Result result;
        result.series = tabulate(tabulation_);
        summarise(view_of(*result.series, tabulation_.formula.source.at), result);
        state(result.evidence, "formula", tabulation_.formula.tree);
        result.notes.emplace_back("relative", relative_);
        return result;
    }

private:
    Tabulation tabulation_;
    std::string relative_;  ///< how it is known that the scheme is
};

Node at(const Node& tree, const Node& position) {
    return formula::substitute(tree, {{"p", position}});
}

struct Rotating {
    Node angle;
    Node scale;

    Node turned(const Node& to, const Node& from) const {
        return formula::make(Op::subtract, {at(angle, to), at(angle, from)});
    }
    Node stretched(const Node& to, const Node& from) const {
        return formula::make(Op::divide, {at(scale, to), at(scale, from)});
    }
};

/// How a formula of p and i at p + n differs from what it is at n, over some positions, distances and pairs.
double largest_difference(const Node& shifted, const Node& fixed, double pairs) {
    std::vector<double> p;
    std::vector<double> n;
    std::vector<double> i;
    const double step = std::max(1.0, std::floor(pairs / 16));
    for (const double position : {1.0, 7.0, 100.0, 1001.0})
        for (const double distance : {1.0, 5.0, 64.0})
            for (int turn = 0; turn * step < pairs; ++turn) {
                p.push_back(position);
                n.push_back(distance);
                i.push_back(turn * step);
            }
    evaluate::Inputs inputs;
    inputs.points = p.size();
    inputs.varying = {std::span<const double>(p), std::span<const double>(n), std::span<const double>(i)};
    const formula::Signature signature{{}, {"p", "n", "i"}, {}};
    const auto a = evaluate::evaluate(formula::compile(shifted, signature), inputs);
    const auto b = evaluate::evaluate(formula::compile(fixed, signature), inputs);
    double largest = 0;
    for (std::size_t point = 0; point < a.size(); ++point) {
        // Where a scale overflows far from the origin, nothing can be told.
        if (!std::isfinite(a[point]) || !std::isfinite(b[point])) continue;
        largest = std::max(largest, std::abs(a[point] - b[point]) / std::max(1.0, std::abs(b[point])));
    }
    return largest;
}

/// How it is known that turning and stretching depend on the distance alone.
struct Relative {
    std::string why;  ///< empty if they do not
    bool is_proven = false;
};

Relative why_relative(const Rotating& rotating, double pairs) {
    constexpr double rounding = 1e-9;
    const Node zero = formula::make_number("0");
    const Node p = formula::make_name("p");
    const Node n = formula::make_name("n");
    const Node shifted = formula::make(Op::add, {p, n});
    const std::pair<Node, Node> sides[] = {{rotating.turned(shifted, p), rotating.turned(n, zero)},
                                           {rotating.stretched(shifted, p), rotating.stretched(n, zero)}};
    const auto each = [&](const auto& holds) { return std::all_of(std::begin(sides), std::end(sides), holds); };
    if (each([](const auto& side) { return formula::proves_equal(side.first, side.second); }))
        return {"proved: at p + n and p the rotation is what it is at n and 0, for all p and n", true};
    if (each([&](const auto& side) { return largest_difference(side.first, side.second, pairs) <= rounding; }))
        return {"checked to 1e-9 at twelve pairs of position and distance, not proved", false};
    return {};
}

void check_rotation(const Declaration& declaration, const Selection& selection, core::Problems& problems) {
    const std::string name = "scheme '" + selection.scheme.name + "'";
    if (!selection.scheme.rotate) {
        problems.add(selection.place, name + " does not rotate", "a scheme with `rotate`");
        return;
    }
    const scheme::Rotation& rotation = *selection.scheme.rotate;
    require_context(declaration, rotation.angle, problems);
    if (rotation.scale) require_context(declaration, *rotation.scale, problems);
    use_key(declaration, "head_dim");
    if (rotation.origin != scheme::Origin::start) use_key(declaration, "length");
}

Node sum_over_pairs(const Rotating& rotating, double last_pair) {
    const Node zero = formula::make_number("0");
    const Node n = formula::make_name("n");
    const Node body = formula::make(
        Op::multiply, {formula::make(Op::cosine, {rotating.turned(n, zero)}), rotating.stretched(n, zero)});
    return formula::simplify(
        formula::make_reduction(Op::sum, "i", zero, formula::make_number(last_pair), formula::simplify(body)));
}

std::unique_ptr<Prepared> prepare(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.size();
    one_of(declaration, {"scheme"}, problems);
    std::optional<Selection> selection = read_scheme(declaration, problems);
    const std::optional<Grid> grid = read_distances(declaration, true, problems);
    if (selection) check_rotation(declaration, *selection, problems);
    if (problems.size() != problems_before || !selection || !grid) return nullptr;
    scheme::Context& context = selection->context;
    if (context.length == 0) context.length = std::max(1.0, grid->range.at(grid->range.count() - 1) + 1);
    const Rotating rotating{scheme::angle_formula(selection->scheme, context),
                            scheme::scale_formula(selection->scheme, context)};
    const double pairs = context.head_dim * selection->scheme.rotate->fraction / 2;
    Relative relative = why_relative(rotating, pairs);
    if (relative.why.empty()) {
        problems.add(selection->place,
                     "scheme '" + selection->scheme.name + "' is not relative: its rotation depends on more than n");
        return nullptr;
    }
    const bool adds_last = core::read_boolean(declaration.settings, "last").value_or(false);
    Tabulation tabulation;
    tabulation.formula = {sum_over_pairs(rotating, adds_last ? pairs : pairs - 1), {"", selection->place}};
    tabulation.grid = *grid;
    // Of a rotation that samples alone show to be relative, no value is certified.
    tabulation.enclosures = relative.is_proven ? read_enclosures(declaration) : Enclosures::never;
    return std::make_unique<Expectation>(std::move(tabulation), std::move(relative.why));
}

}  // namespace

const Kind& expectation_kind() {
    static const Kind kind = {"expectation", "attention expectation g[n] of a rotating scheme", own_keys, true,
                              prepare};
    return kind;
}

}  // namespace farfield::quantity
