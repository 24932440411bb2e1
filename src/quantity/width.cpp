#include "quantity/width.hpp"

#include <optional>

#include <farfield/numerics/interval.hpp>

#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {

core::Cell width_of(const Row& sums, const Scalar& mass) {
    const std::size_t first = evaluate::first_above(evaluate::Array(sums.values), mass.number);
    if (first == evaluate::nowhere) return core::Cell::missing();
    const auto width = static_cast<double>(first + 1);
    if (!sums.is_enclosed()) return core::Cell::of(width);
    const auto count = [&](auto is_over) -> std::optional<double> {
        for (std::size_t n = 0; n < sums.enclosures.size(); ++n)
            if (is_over(n)) return static_cast<double>(n + 1);
        return std::nullopt;
    };
    const auto soonest = count([&](std::size_t n) { return !(sums.enclosures[n].hi <= mass.enclosure.lo); });
    const auto latest = count([&](std::size_t n) { return sums.enclosures[n].lo > mass.enclosure.hi; });
    // If the sums may never exceed the mass, the width may not exist.
    return latest ? cell(width, {soonest.value_or(width), *latest}) : core::Cell::of(width);
}

Scalar usual_mass() {
    const numerics::Interval decimal = numerics::enclose_decimal("0.99");
    return {0.99, {decimal.lo, decimal.hi}, "0.99"};
}

Scalar read_share(const Declaration& declaration, std::string_view key, const Scalar& fallback,
                  core::Problems& problems) {
    const std::optional<Scalar> scalar = read_scalar(declaration, key, problems);
    if (scalar && !(scalar->number >= 0 && scalar->number <= 1))
        problems.add(place_of_key(declaration, key), "'" + std::string(key) + "' is " + text_of(scalar->number),
                     "0 to 1");
    return scalar.value_or(fallback);
}

Scalar read_residual(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    Scalar residual = read_share(declaration, "residual", {0, {0, 0}, "0"}, problems);
    if (problems.reports() == before && residual.number == 1)
        problems.add(place_of_key(declaration, "residual"), "'residual' is 1",
                     "less than 1: at 1 no layer attends to anything");
    return residual;
}

Scalar read_mass(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    Scalar mass = read_share(declaration, "mass", usual_mass(), problems);
    if (problems.reports() == before && (mass.number == 0 || mass.number == 1))
        problems.add(place_of_key(declaration, "mass"), "'mass' is " + text_of(mass.number),
                     mass.number == 0 ? "more than 0, which every row is above" : "less than 1, which no row is above");
    return mass;
}

}  // namespace farfield::quantity
