// The best value of a formula where a condition holds, by the subdivision of the second implementation.
#include <optional>

#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"

namespace farfield::recheck {
namespace {

class Optimum : public Computed {
public:
    explicit Optimum(const Quantity& quantity)
        : quantity_(quantity), formula_(quantity.formula("formula")), sides_(read_sides(quantity)) {
        if (quantity.fact("where")) where_ = quantity.formula("where");
        const std::string* goal = quantity.fact("setting.goal");
        if (goal && *goal == "least") sign_ = -1;
    }

    Number field(const std::string& name) override {
        if (name != "best") throw Unprovable("the recheck does not compute '" + name + "' of an optimum");
        if (!best_) best_ = extreme(formula_, sides_, sign_, where_, recorded_point());
        return *best_;
    }

private:
    /// The recorded best point.
    std::optional<Point> recorded_point() const {
        Point point;
        for (const Side& side : sides_) {
            const auto value = quantity_.values.find(sides_.size() == 1 ? "at" : "at_" + side.variable);
            if (value == quantity_.values.end() || !value->second) return std::nullopt;
            point.push_back(on_side(side, *value->second));
        }
        return point;
    }

    const Quantity& quantity_;
    Node formula_;
    Node where_;
    std::vector<Side> sides_;
    int sign_ = 1;
    std::optional<Number> best_;
};

}  // namespace

Made make_optimum(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Optimum>(quantity);
}

}  // namespace farfield::recheck
