#include "recheck/recompute.hpp"

#include <algorithm>

#include "recheck/kinds.hpp"

namespace farfield::recheck {
namespace {

/// Published numbers: the table itself is trusted as printed.
class Table : public Computed {
public:
    explicit Table(const Quantity& quantity) : quantity_(quantity) {}
    Number field(const std::string& name) override {
        if (name == "rows") return Number(Rational(static_cast<long>(quantity_.rows.size())));
        if (name == "columns") return Number(Rational(static_cast<long>(quantity_.columns.size())));
        throw Unprovable("the recheck does not compute '" + name + "' of a table");
    }

private:
    const Quantity& quantity_;
};

struct Maker {
    std::string_view kind;
    std::unique_ptr<Computed> (*make)(const Quantity&, Recomputation&);
};

constexpr Maker makers[] = {
    {"curve", make_curve},
    {"expectation", make_curve},
    {"value", make_value},
    {"fit", make_fit},
    {"profile", make_profile},
    {"receptive-field", make_receptive_field},
    {"resolution", make_resolution},
    {"oscillation", make_oscillation},
    {"identity", make_identity},
    {"monotone", make_monotone},
    {"extremum", make_extremum},
    {"range", make_range},
    {"collision", make_collision},
    {"logit-error", make_logit_error},
    {"crossing", make_crossing},
    {"feasible", make_feasible},
    {"optimum", make_optimum},
    {"integral", make_integral},
    {"rounding-error", make_rounding_error},
    {"correlation", make_correlation},
    {"ttest", make_ttest},
};

bool is_exact_column(const Quantity& table, const std::string& column) {
    const std::string* all = table.fact("setting.exact");
    if (all) return *all == "true" || *all == column;
    for (std::size_t i = 0; const std::string* name = table.fact("setting.exact." + std::to_string(i)); ++i)
        if (*name == column) return true;
    return false;
}

}  // namespace

const Quantity& Recomputation::declared(std::string_view name) const {
    const auto found = results_.quantities.find(name);
    if (found == results_.quantities.end()) throw Unprovable("the results lack '" + std::string(name) + "'");
    return found->second;
}

Computed& Recomputation::at(std::string_view name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return *known->second;
    const Quantity& quantity = declared(name);
    std::unique_ptr<Computed> made;
    if (quantity.kind == "table") {
        made = std::make_unique<Table>(quantity);
    } else {
        const auto* maker = std::find_if(std::begin(makers), std::end(makers),
                                         [&](const Maker& each) { return each.kind == quantity.kind; });
        if (maker == std::end(makers))
            throw Unprovable("'" + quantity.name + "': the recheck does not compute the kind '" + quantity.kind + "'");
        made = maker->make(quantity, *this);
    }
    return *known_.emplace(std::string(name), std::move(made)).first->second;
}

Rational half_unit(std::string_view decimal) {
    const std::optional<Rational> value = read_rational(decimal);
    if (!value || decimal.find('/') != std::string_view::npos || decimal.find('x') != std::string_view::npos)
        throw Unprovable("'" + std::string(decimal) + "' is not a printed decimal");
    const std::size_t mark = decimal.find_first_of("eE");
    const std::string_view digits = decimal.substr(0, mark);
    const std::size_t point = digits.find('.');
    const long decimals = point == std::string_view::npos ? 0 : static_cast<long>(digits.size() - point - 1);
    const long exponent = mark == std::string_view::npos ? 0 : std::stol(std::string(decimal.substr(mark + 1)));
    return *power(Rational(10), Rational(exponent - decimals)) / Rational(2);
}

Number printed_number(const Quantity& table, std::size_t row, std::size_t column, bool as_decimal) {
    if (row >= table.printed.size() || column >= table.printed[row].size())
        throw Unprovable("'" + table.name + "' has no printed cell " + std::to_string(row) + ", " +
                         std::to_string(column));
    const std::string& text = table.printed[row][column];
    const std::optional<Rational> value = read_rational(text);
    if (!value) return Number::nowhere();
    if (as_decimal || is_exact_column(table, table.columns.at(column))) return Number(*value);
    const Rational half = half_unit(text);
    return Number(Interval{enclose(*value - half).lo, enclose(*value + half).hi});
}

}  // namespace farfield::recheck
