// The functions that recompute each kind of quantity.
#pragma once

#include <memory>

#include "recheck/recompute.hpp"

namespace farfield::recheck {

using Made = std::unique_ptr<Computed>;

Made make_curve(const Quantity& quantity, Recomputation& all);
Made make_value(const Quantity& quantity, Recomputation& all);
Made make_fit(const Quantity& quantity, Recomputation& all);
Made make_profile(const Quantity& quantity, Recomputation& all);
Made make_receptive_field(const Quantity& quantity, Recomputation& all);
Made make_resolution(const Quantity& quantity, Recomputation& all);
Made make_oscillation(const Quantity& quantity, Recomputation& all);
Made make_crossing(const Quantity& quantity, Recomputation& all);
Made make_feasible(const Quantity& quantity, Recomputation& all);
Made make_optimum(const Quantity& quantity, Recomputation& all);
Made make_identity(const Quantity& quantity, Recomputation& all);
Made make_monotone(const Quantity& quantity, Recomputation& all);
Made make_integral(const Quantity& quantity, Recomputation& all);
Made make_extremum(const Quantity& quantity, Recomputation& all);
Made make_range(const Quantity& quantity, Recomputation& all);
Made make_collision(const Quantity& quantity, Recomputation& all);
Made make_logit_error(const Quantity& quantity, Recomputation& all);
Made make_correlation(const Quantity& quantity, Recomputation& all);
Made make_ttest(const Quantity& quantity, Recomputation& all);
Made make_rounding_error(const Quantity& quantity, Recomputation& all);

/// A quantity whose values are all computed at once.
class Fixed : public Computed {
public:
    explicit Fixed(std::map<std::string, Number, std::less<>> values) : values_(std::move(values)) {}
    Number field(const std::string& name) override {
        const auto found = values_.find(name);
        if (found == values_.end()) throw Unprovable("the recheck does not compute '" + name + "'");
        return found->second;
    }

private:
    std::map<std::string, Number, std::less<>> values_;
};

}  // namespace farfield::recheck
