// Proves again the ends of the set on which a condition holds: it holds at the recorded end, and fails everywhere
// beyond.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"
#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_stretches = 40'000;
/// The most evaluations of the condition: half a minute for sums of 64 cosines.
constexpr std::size_t most_tests = 50'000;

class Feasible : public Computed {
public:
    explicit Feasible(const Quantity& quantity) : quantity_(quantity), condition_(quantity.formula("condition")) {
        const std::vector<Side> sides = read_sides(quantity);
        if (sides.size() != 1) throw Unprovable("a set of several variables");
        side_ = sides.front();
        read_hints();
    }

    Number field(const std::string& name) override {
        const auto known = known_.find(name);
        if (known != known_.end()) return known->second;
        if (name == "share") return known_.emplace(name, share()).first->second;
        if (name != "least" && name != "greatest")
            throw Unprovable("the recheck does not compute '" + name + "' of a feasible set");
        return known_.emplace(name, end(name)).first->second;
    }

private:
    /// 0 if the condition fails everywhere; otherwise at most the distance between the ends.
    Number share() {
        const auto least = quantity_.values.find("least");
        if (least == quantity_.values.end()) throw Unprovable("no value is on record");
        if (!least->second) {
            require_failure(side_.from, last_value());
            return Number(Rational(0));
        }
        const Number step = side_.is_grid ? Number(side_.step) : Number(Rational(0));
        const Number whole = Number(last_value() - side_.from) + step;
        const Interval most = ((field("greatest") - field("least") + step) / whole).interval();
        return Number(Interval{Float(), most.hi});
    }

    Number end(const std::string& name) {
        const bool is_least = name == "least";
        const auto value = quantity_.values.find(name);
        if (value == quantity_.values.end() || !value->second) throw Unprovable("no value is on record");
        const Rational inner = on_side(side_, *value->second);
        if (evaluator_.truth(condition_, {{side_.variable, Number(inner)}}) != Truth::yes)
            throw Unprovable("the condition is not shown to hold at the value on record");
        const Rational outer = end_beyond(name, inner, is_least);
        const Rational first = is_least ? side_.from : outer;
        const Rational last = is_least ? outer : last_value();
        // A grid has no value between the end and its neighbour beyond.
        const Rational step = is_grid_end(inner, outer) ? side_.step : Rational(0);
        if (is_least && first < last) require_failure(first, last - step);
        if (!is_least && first < last) require_failure(first + step, last);
        if (inner == outer) return Number(inner);
        return Number(is_least ? Interval{enclose(outer).lo, enclose(inner).hi}
                               : Interval{enclose(inner).lo, enclose(outer).hi});
    }

    Rational last_value() const { return side_.is_grid ? side_.at(side_.count - 1) : side_.to; }
    bool is_grid_end(const Rational& inner, const Rational& outer) const { return side_.is_grid && inner == outer; }

    /// The recorded bound beyond which the set does not extend.
    Rational end_beyond(const std::string& name, const Rational& inner, bool is_least) const {
        const auto ends = quantity_.enclosures.find(name);
        if (side_.is_grid || ends == quantity_.enclosures.end()) return inner;
        Rational outer = of_double(is_least ? ends->second.first : ends->second.second);
        if (!side_.contains(outer)) return is_least ? side_.from : side_.to;
        return outer;
    }

    /// Reads the integers of the quantifier that decided boxes: "m = 3, m = 7".
    void read_hints() {
        const std::string* text = quantity_.fact("decided by");
        if (!text || condition_->op != Op::for_all) return;
        const std::string start = condition_->name + " = ";
        for (std::size_t at = text->find(start); at != std::string::npos; at = text->find(start, at + 1)) {
            const std::size_t from = at + start.size();
            const auto member = read_rational(text->substr(from, text->find(',', from) - from));
            if (!member || !is_member(*member)) continue;
            hints_.push_back(substituted(condition_->parts[2], {{condition_->name, make_number(*member)}}));
        }
    }

    bool is_member(const Rational& value) {
        const std::optional<Rational> from = evaluator_.value(condition_->parts[0], {}).exact();
        const std::optional<Rational> to = evaluator_.value(condition_->parts[1], {}).exact();
        return from && to && value.is_whole() && !(value < *from) && !(*to < value);
    }

    void require_failure(const Rational& from, const Rational& to) {
        std::vector<std::pair<Rational, Rational>> open = {{from, to}};
        for (std::size_t looked_at = 0; !open.empty(); ++looked_at) {
            const auto [lo, hi] = open.back();
            open.pop_back();
            if (fails_on(lo, hi)) continue;
            const bool is_last = lo == hi || (side_.is_grid && hi - lo < side_.step);
            if (is_last || looked_at >= most_stretches)
                throw Unprovable("a stretch on which the condition is not shown to fail");
            Rational cut = (lo + hi) / Rational(2);
            if (side_.is_grid) cut = side_.from + side_.step * floor((cut - side_.from) / side_.step);
            open.emplace_back(side_.is_grid ? cut + side_.step : cut, hi);
            open.emplace_back(lo, cut);
        }
    }

    /// Tries first the integer that decided the previous part.
    bool fails_on(const Rational& lo, const Rational& hi) {
        const Number box = lo == hi ? Number(lo) : Number(Interval{enclose(lo).lo, enclose(hi).hi});
        const Evaluator::Box at = {{side_.variable, box}};
        if (hints_.empty()) return evaluator_.truth(condition_, at) == Truth::no;
        for (auto hint = hints_.begin(); hint != hints_.end(); ++hint) {
            if (++tests_ > most_tests) throw Unprovable("a failure that takes more evaluations than the recheck makes");
            if (evaluator_.truth(*hint, at) != Truth::no) continue;
            std::rotate(hints_.begin(), hint, hint + 1);
            return true;
        }
        return lo == hi && evaluator_.truth(condition_, at) == Truth::no;
    }

    const Quantity& quantity_;
    Node condition_;
    Side side_;
    std::vector<Node> hints_;
    std::map<std::string, Number> known_;
    std::size_t tests_ = 0;
    Evaluator evaluator_;
};

}  // namespace

Made make_feasible(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Feasible>(quantity);
}

}  // namespace farfield::recheck
