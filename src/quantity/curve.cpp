// Values of a formula over a variable, or of a scheme's bias over the distance.
#include <array>
#include <utility>

#include <farfield/evaluate/number_system.hpp>

#include "quantity/kinds.hpp"
#include "quantity/number_system_key.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

constexpr std::array<core::Key, 5> own_keys = {
    core::Key{.name = "distances",
              .type = core::KeyType::table,
              .unit = "{ from, to, step }",
              .meaning = "values of n, both ends included"},
    core::Key{.name = "over",
              .type = core::KeyType::table,
              .unit = "{ x = { from, to, step } }",
              .meaning = "another variable of the formula, in place of `distances`"},
    query_key,
    number_system_key,
    enclosures_key,
};

class Curve : public Prepared {
public:
    explicit Curve(Tabulation tabulation) : tabulation_(std::move(tabulation)) {}

    double cost() const override { return cost_of(tabulation_); }

    core::Result run(const Inputs&) const override {
        core::Result result;
        result.series = tabulate(tabulation_);
        summarise(*result.series, result);
        return result;
    }

private:
    Tabulation tabulation_;
};

std::optional<Grid> read_variable(const Declaration& declaration, core::Problems& problems) {
    if (one_of(declaration, {"distances", "over"}, problems) == "distances")
        return read_distances(declaration, true, problems);
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return std::nullopt;
    if (over->grids.size() == 1 && over->stretches.empty()) return over->grids.front();
    problems.add(place_of_key(declaration, "over"), "a curve is over one variable in steps",
                 "over = { x = { from = 0, to = 100 } }");
    return std::nullopt;
}

std::optional<Tabulation> read_formula_curve(const Declaration& declaration, core::Problems& problems) {
    const std::optional<Grid> grid = read_variable(declaration, problems);
    if (!grid) return std::nullopt;
    const bool is_distance = declaration.settings.find("distances") != nullptr;
    Formula wanted;
    wanted.variables = is_distance ? std::vector<std::string>{"n", "q", "k"} : std::vector{grid->variable};
    std::optional<Checked> formula = read_formula(declaration, wanted, problems);
    if (!formula) return std::nullopt;
    if (is_distance) formula->tree = along_distance(formula->tree, core::read_integer(declaration.settings, "query"));
    return Tabulation{.formula = std::move(*formula), .grid = *grid, .enclosures = read_enclosures(declaration)};
}

std::unique_ptr<Prepared> prepare(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.size();
    const std::string_view given = one_of(declaration, {"scheme", "formula"}, problems);
    std::optional<Tabulation> tabulation;
    if (given == "scheme") tabulation = read_bias_curve(declaration, problems);
    if (given == "formula") tabulation = read_formula_curve(declaration, problems);
    const evaluate::NumberSystem system = read_number_system(declaration, problems);
    if (problems.size() != problems_before || !tabulation) return nullptr;
    tabulation->system = system;
    return std::make_unique<Curve>(std::move(*tabulation));
}

}  // namespace

const Kind& curve_kind() {
    static const Kind kind = {"curve", "a formula over a variable, or a scheme's bias over the distance", own_keys,
                              true, prepare};
    return kind;
}

}  // namespace farfield::quantity
