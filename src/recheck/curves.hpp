// Curves of a results.json, recomputed point by point.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recheck/proof.hpp"
#include "recheck/recompute.hpp"

namespace farfield::recheck {

/// A formula over a grid; values are computed on request.
class Curve : public Computed {
public:
    Curve(Side grid, Node formula);

    Number field(const std::string& name) override;
    long points() override { return grid_.count; }
    Rational point(long index) override { return grid_.at(index); }
    Number entry(const std::string& column, long index) override;
    const std::string& variable() const { return grid_.variable; }

private:
    Number extreme(int sign);
    Number where_extreme(int sign);

    Side grid_;
    Node formula_;
    Evaluator evaluator_;
    std::vector<std::optional<Number>> values_;
};

/// The formula over the grid of the quantity's own settings.
std::unique_ptr<Curve> own_curve(const Quantity& quantity, const std::string& formula);

/// The points of a curve within `setting.range`, by their indexes: [first, last].
struct Stretch {
    long first = 0;
    long last = -1;
};
Stretch read_range(const Quantity& quantity, Computed& curve);

/// The curve of a quantity: that of another one (`setting.of`), or its own formula.
struct Source {
    std::unique_ptr<Curve> own;
    Computed* curve = nullptr;
    std::string variable;
    Stretch range;
};
Source source_of(const Quantity& quantity, Recomputation& all);

}  // namespace farfield::recheck
