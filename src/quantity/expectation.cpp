// Attention expectation g[n] of a rotating scheme.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/pieces.hpp>

#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/rotation_error.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/summary.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;
using formula::Op;

constexpr std::array<core::Key, 3> expectation_keys = {
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
    explicit Expectation(Tabulation tabulation) : tabulation_(std::move(tabulation)) {}

    double cost() const override { return cost_of(tabulation_); }

    void define(const DefinitionOf&, Definition& own) const override {
        own.points = tabulation_.grid.range;
        state_infinity_of(tabulation_, own);
        state_summary(*own.points, own);
    }

    core::Result run(const Inputs&) const override {
        core::Result result;
        evaluate::Extremes extremes;
        result.series = tabulate(tabulation_, &extremes);
        summarise(view_of(*result.series, tabulation_.formula.source.at), extremes, result);
        state(result.evidence, "formula", tabulation_.formula.tree);
        result.notes.emplace_back("relative",
                                  "proved: at p + n and p the rotation is what it is at n and 0, for all p and n");
        return result;
    }

private:
    Tabulation tabulation_;
};

Node at(const Node& tree, const Node& position) {
    return formula::substitute(tree, {{"p", position}});
}

struct Rotating {
    Node query;  ///< angles
    Node key;
    Node scale;

    Node turned(const Node& to, const Node& from) const {
        return formula::make(Op::subtract, {at(query, to), at(key, from)});
    }
    Node stretched(const Node& to, const Node& from) const {
        return formula::make(Op::divide, {at(scale, to), at(scale, from)});
    }
};

/// Whether rotation and scale are proved to depend only on the distance.
bool is_relative(const Rotating& rotating) {
    const Node zero = formula::make_number("0");
    const Node p = formula::make_name("p");
    const Node n = formula::make_name("n");
    const Node shifted = formula::make(Op::add, {p, n});
    return formula::proves_equal(rotating.turned(shifted, p), rotating.turned(n, zero)) &&
           formula::proves_equal(rotating.stretched(shifted, p), rotating.stretched(n, zero));
}

void check_rotation(const Declaration& declaration, const Selection& selection, core::Problems& problems) {
    const std::string name = "scheme '" + selection.scheme.name + "'";
    if (!selection.scheme.rotate) {
        problems.add(selection.place, name + " does not rotate", "a scheme with `rotate`");
        return;
    }
    // The sum is that of cosines of differences, which other values of cosine and sine do not give.
    if (auto problem = values_problem(selection.scheme, selection.place)) problems.add(std::move(*problem));
    const scheme::Rotation& rotation = *selection.scheme.rotate;
    require_context(declaration, rotation.angle, problems);
    if (rotation.far) {
        require_context(declaration, rotation.far->where, problems);
        require_context(declaration, rotation.far->query, problems);
        if (rotation.far->key) require_context(declaration, *rotation.far->key, problems);
    }
    if (rotation.scale) require_context(declaration, *rotation.scale, problems);
    use_key(declaration, "head_dim");
    if (rotation.origin != scheme::Origin::start) use_key(declaration, "length");
}

Node sum_over_pairs(const Rotating& rotating, double last_pair) {
    const Node zero = formula::make_number("0");
    const Node n = formula::make_name("n");
    const Node body = formula::make(
        Op::multiply, {formula::make(Op::cosine, {rotating.turned(n, zero)}), rotating.stretched(n, zero)});
    return formula::make_reduction(Op::sum, "i", zero, formula::make_number(last_pair), body);
}

/// Simplifies the sums, starting with their bodies.
Node in_short(const Node& tree) {
    if (tree->kind == formula::Kind::operation)
        return formula::make(tree->op, {tree->children[0], in_short(tree->children[1]), in_short(tree->children[2])});
    return formula::simplify(formula::make_reduction(Op::sum, tree->text, tree->children[0], tree->children[1],
                                                     formula::simplify(tree->children[2])));
}

/// The condition of a second rotation at a distance.
Node at_distance(const Node& where) {
    return formula::substitute(where, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
}

std::unique_ptr<Prepared> prepare_expectation(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    one_of(declaration, {"scheme"}, problems);
    std::optional<Selection> selection = read_scheme(declaration, problems);
    const std::optional<Grid> grid = read_distances(declaration, true, problems);
    if (selection) check_rotation(declaration, *selection, problems);
    if (problems.reports() != problems_before || !selection || !grid) return nullptr;
    use_default_length(*selection, grid->range.exact(grid->range.count() - 1), grid->place, problems);
    if (problems.reports() != problems_before) return nullptr;
    const scheme::Context& context = selection->context;
    const Node angle = scheme::near_angle_formula(selection->scheme, context);
    const Rotating rotating{angle, angle, scheme::scale_formula(selection->scheme, context)};
    const std::optional<scheme::FarFormulas> far = scheme::far_formulas(selection->scheme, context);
    const Rotating far_rotating = far ? Rotating{far->query, far->key, rotating.scale} : rotating;
    const double pairs = selection->scheme.rotate->columns(context.head_dim) / 2;
    const bool is_far_relative = !far || (scheme::depends_on_distance_only(far->where) && is_relative(far_rotating));
    if (!is_relative(rotating) || !is_far_relative) {
        problems.add(selection->place,
                     "scheme '" + selection->scheme.name +
                         "' is not proved to be relative: its rotation may depend on "
                         "more than n",
                     "an angle and a scale whose change from p to p + n is that from 0 to n");
        return nullptr;
    }
    const bool adds_last = core::Settings(declaration.settings, expectation_keys).boolean("last");
    Tabulation tabulation;
    const double last = adds_last ? pairs : pairs - 1;
    Node sum = sum_over_pairs(rotating, last);
    if (far) sum = formula::make(Op::select, {at_distance(far->where), sum_over_pairs(far_rotating, last), sum});
    tabulation.formula = {in_short(sum), {"", selection->place}};
    tabulation.stated = sum;
    tabulation.grid = *grid;
    tabulation.enclosures = read_enclosures(declaration);
    return std::make_unique<Expectation>(std::move(tabulation));
}

}  // namespace

const Kind& expectation_kind() {
    static const Kind kind = {"expectation",
                              "attention expectation g[n] of a rotating scheme",
                              expectation_keys,
                              true,
                              prepare_expectation,
                              SearchRule::none,
                              {summary_facts, row_facts}};
    return kind;
}

}  // namespace farfield::quantity
