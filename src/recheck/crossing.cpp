// Recomputes crossings of a level: point by point on a grid, by halving stretches of the reals.
#include <optional>

#include "recheck/curves.hpp"
#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_parts = 40'000;
constexpr int most_halvings = 200;
constexpr long most_points = 200'000;

/// A stretch on which the value is never on the other side of the level: -1 below, 1 above, 0 equal to it everywhere.
struct CrossingPart {
    Rational from;
    Rational to;
    int side = 0;
};

/// No value if the sign is unknown.
std::optional<int> side_of(const Number& difference) {
    const Number zero;
    if (less(zero, difference) == Truth::yes) return 1;
    if (less(difference, zero) == Truth::yes) return -1;
    if (equal(difference, zero) == Truth::yes) return 0;
    return std::nullopt;
}

int sure_side(const Number& difference) {
    const std::optional<int> side = side_of(difference);
    if (!side) throw Unprovable("a value too near to the level to tell its side");
    return *side;
}

class Crossing : public Computed {
public:
    Crossing(const Quantity& quantity, Recomputation& all) {
        level_ = quantity.fact("level") ? quantity.formula("level") : make_number(Rational(0));
        const std::string* direction = quantity.fact("setting.direction");
        if (direction && *direction == "up") wanted_ = 1;
        if (direction && *direction == "down") wanted_ = -1;
        const bool is_own = !quantity.fact("setting.of");
        const std::vector<Side> sides = is_own ? read_sides(quantity) : std::vector<Side>{};
        if (sides.size() == 1 && !sides.front().is_grid) {
            side_ = sides.front();
            difference_ = make(Op::subtract, "", {quantity.formula("formula"), level_});
        } else {
            source_ = source_of(quantity, all);
        }
    }

    Number field(const std::string& name) override {
        if (name != "count" && name != "first" && name != "last")
            throw Unprovable("the recheck does not compute '" + name + "' of crossings");
        find();
        if (name == "count") return Number(Rational(static_cast<long>(found_.size())));
        if (found_.empty()) return Number::nowhere();
        return name == "first" ? found_.front().place : found_.back().place;
    }

    /// The series counts the crossings from 1.
    long points() override {
        find();
        return static_cast<long>(found_.size());
    }
    Rational point(long index) override { return Rational(index + 1); }
    Number entry(const std::string& column, long index) override {
        find();
        const Found& crossing = found_[static_cast<std::size_t>(index)];
        if (column == "value") return crossing.place;
        if (column == "direction") return Number(Rational(crossing.direction));
        throw Unprovable("the recheck does not compute the column '" + column + "' of crossings");
    }

private:
    struct Found {
        Number place;
        int direction = 0;  ///< 1 up, -1 down
    };

    void find() {
        if (is_found_) return;
        found_.clear();
        int before = 0;
        Rational left;
        const auto add = [&](const CrossingPart& part) {
            const bool crosses = before != 0 && part.side != 0 && part.side != before;
            if (crosses && (wanted_ == 0 || wanted_ == part.side)) {
                const Interval between{enclose(left).lo, enclose(part.from).hi};
                found_.push_back({source_.curve ? Number(part.from) : Number(between), part.side});
            }
            if (part.side != 0) before = part.side;
            left = part.to;
        };
        if (!source_.curve) {
            halve(add);
            is_found_ = true;
            return;
        }
        if (source_.range.last - source_.range.first >= most_points)
            throw Unprovable("a crossing on a grid of more than " + std::to_string(most_points) + " points");
        const Number level = evaluator_.value(level_, {});
        for (long i = source_.range.first; i <= source_.range.last; ++i) {
            const Rational at = source_.curve->point(i);
            add({at, at, sure_side(source_.curve->entry("value", i) - level)});
        }
        is_found_ = true;
    }

    Number difference_at(const Rational& x) { return evaluator_.value(difference_, {{side_.variable, Number(x)}}); }

    /// Parts from the left: on one side by their values, or monotone with at most one change of side.
    template <class Add>
    void halve(Add add) {
        struct Open {
            Rational from;
            Rational to;
            int depth;
        };
        std::vector<Open> open = {{side_.from, side_.to, 0}};
        for (std::size_t looked_at = 0; !open.empty(); ++looked_at) {
            const Open part = std::move(open.back());
            open.pop_back();
            const Number box(Interval{enclose(part.from).lo, enclose(part.to).hi});
            const Jet jet = evaluator_.jet(difference_, {{side_.variable, box}}, side_.variable);
            const Interval value = jet.value.interval();
            const bool is_defined = jet.value.defined() == Truth::yes;
            if (is_defined && (value.lo.sign() > 0 || value.hi.sign() < 0)) {
                add(CrossingPart{part.from, part.to, value.lo.sign() > 0 ? 1 : -1});
            } else if (is_defined && jet.is_continuous && (jet.first.lo.sign() >= 0 || jet.first.hi.sign() <= 0)) {
                add_monotone(part.from, part.to, add);
            } else {
                if (looked_at >= most_parts || part.depth >= most_halvings || part.from == part.to)
                    throw Unprovable("a stretch on which the side of the level is not decided");
                const Rational cut = (part.from + part.to) / Rational(2);
                open.push_back({cut, part.to, part.depth + 1});
                open.push_back({part.from, cut, part.depth + 1});
            }
        }
    }

    template <class Add>
    void add_monotone(Rational from, Rational to, Add add) {
        const int first = sure_side(difference_at(from));
        const int last = sure_side(difference_at(to));
        if (first == 0 || last == 0 || first == last) {
            add(CrossingPart{from, to, first != 0 ? first : last});
            return;
        }
        const Rational start = from;
        const Rational end = to;
        for (int halving = 0; halving < 60; ++halving) {
            const Rational cut = (from + to) / Rational(2);
            const std::optional<int> side = side_of(difference_at(cut));
            if (!side || *side == 0) break;
            (*side == first ? from : to) = cut;
        }
        add(CrossingPart{start, from, first});
        add(CrossingPart{to, end, last});
    }

    Node level_;
    int wanted_ = 0;
    Source source_;    ///< for points of a grid
    Side side_;        ///< for reals
    Node difference_;  ///< likewise
    Evaluator evaluator_;
    bool is_found_ = false;
    std::vector<Found> found_;
};

}  // namespace

Made make_crossing(const Quantity& quantity, Recomputation& all) {
    return std::make_unique<Crossing>(quantity, all);
}

}  // namespace farfield::recheck
