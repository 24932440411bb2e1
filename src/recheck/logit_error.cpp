// The error of a logit in a number format, from docs/quantities/logit-error.md.
#include <algorithm>
#include <optional>

#include "recheck/algebra.hpp"
#include "recheck/format.hpp"
#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"
#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

/// A pair of dimensions at one position: its angle's cosine and sine, and its scale.
struct Turn {
    Number cosine;
    Number sine;
    Number scale;
    Number reciprocal;
};

/// How an implementation rounds each step, as formulas.
struct Recipe {
    Node position;
    Node frequency;
    Node angle;
    Node value;
    Node scale;
    Node bias;
};

class LogitError : public Computed {
public:
    explicit LogitError(const Quantity& quantity)
        : quantity_(quantity), format_(find_format(quantity.needed("setting.format"))) {
        pairs_ = whole(quantity.needed("pairs"));
        const std::string* key = quantity.fact("setting.key");
        key_ = key ? whole(*key) : 0;
        if (pairs_ > 0) {
            angle_ = quantity.formula("angle");
            scale_ = quantity.formula("scale");
        }
        if (quantity.fact("bias")) bias_ = quantity.formula("bias");
        rounded_ = ", " + quantity.needed("rounded") + ",";
        if (quantity.fact("recipe.angle")) {
            recipe_ = Recipe{quantity.formula("recipe.position"), quantity.formula("recipe.frequency"),
                             quantity.formula("recipe.angle"),    quantity.formula("recipe.value"),
                             quantity.formula("recipe.scale"),    quantity.formula("recipe.bias")};
        }
        if (pairs_ > 0 && (recipe_ || rounds("frequencies"))) require_proportional();
        read_positions();
    }

    Number field(const std::string& name) override {
        if (name == "first") return error(positions_.front());
        if (name == "last") return error(positions_.back());
        if (name != "max") throw Unprovable("the recheck does not compute '" + name + "' of a logit error");
        Number largest;
        for (const long position : positions_) largest = max(largest, error(position));
        return largest;
    }

    long points() override { return is_by_pair() ? pairs_ : static_cast<long>(positions_.size()); }
    Rational point(long index) override {
        return Rational(is_by_pair() ? index : positions_.at(static_cast<std::size_t>(index)));
    }

    Number entry(const std::string& column, long index) override {
        if (!is_by_pair()) {
            if (column == "error" || column == "value") return error(positions_.at(static_cast<std::size_t>(index)));
            throw Unprovable("the recheck does not compute the column '" + column + "'");
        }
        const long position = positions_.front();
        if (column == "error" || column == "value") return of_pair(position, index);
        const Turn turn = column.starts_with("rounded_") ? rounded_turn(position, index) : exact_turn(position, index);
        if (column == "cosine" || column == "rounded_cosine") return turn.cosine;
        if (column == "sine" || column == "rounded_sine") return turn.sine;
        throw Unprovable("the recheck does not compute the column '" + column + "'");
    }

private:
    bool is_by_pair() const { return positions_.size() == 1 && pairs_ > 0; }
    bool rounds(const std::string& step) const { return rounded_.find(", " + step + ",") != std::string::npos; }

    void require_proportional() const {
        const Node p = make(Op::name, "p", {});
        const Node at_one = substituted(angle_, {{"p", make_number(Rational(1))}});
        if (!are_equal(angle_, make(Op::multiply, "", {p, at_one})))
            throw Unprovable("angles that are not shown to be proportional to positions");
    }

    static long whole(const std::string& text) {
        const std::optional<Rational> value = read_rational(text);
        const auto number = value ? whole_number(*value) : std::nullopt;
        if (!number) throw Unprovable("'" + text + "' is not a whole number");
        return *number;
    }

    void read_positions() {
        for (int i = 0; const std::string* text = quantity_.fact("setting.positions." + std::to_string(i)); ++i)
            positions_.push_back(whole(*text));
        if (positions_.empty()) {
            const std::string* from = quantity_.fact("setting.positions.from");
            const std::string* step = quantity_.fact("setting.positions.step");
            const long to = whole(quantity_.needed("setting.positions.to"));
            const long by = step ? whole(*step) : 1;
            if (by < 1) throw Unprovable("no positions");
            for (long p = from ? whole(*from) : 0; p <= to; p += by) positions_.push_back(p);
        }
        if (positions_.empty()) throw Unprovable("no positions");
    }

    Number at(const Node& formula, const Number& position, long pair) {
        return evaluator_.value(formula, {{"p", position}, {"i", Number(Rational(pair))}});
    }

    Number one_of_format(const Number& x) const { return rounded_between(format_, x); }

    Turn exact_turn(long position, long pair) {
        const Number p{Rational(position)};
        const Number angle = at(angle_, p, pair);
        const Number scale = at(scale_, p, pair);
        return {cos(angle), sin(angle), scale, Number(Rational(1)) / scale};
    }

    Number step(const Node& formula, const char* name, const Number& x) {
        return evaluator_.value(formula, {{name, x}});
    }

    Number recipe_angle(const Number& p, long pair) {
        const Number one(Rational(1));
        const Number frequency = evaluator_.value(
            recipe_->frequency,
            {{"f", at(angle_, one, pair)}, {"ratio", at(angle_, one, 1)}, {"i", Number(Rational(pair))}});
        if (!uses(*recipe_->angle, "previous")) return step(recipe_->angle, "it", p * frequency);
        Number angle = p;
        for (long i = 0; i < pair; ++i)
            angle = evaluator_.value(recipe_->angle, {{"previous", angle}, {"frequency", frequency}});
        return angle;
    }

    Turn recipe_turn(long position, long pair) {
        const Number p = step(recipe_->position, "p", Number(Rational(position)));
        const Number angle = recipe_angle(p, pair);
        const Number scale = at(scale_, p, pair);
        return {step(recipe_->value, "it", cos(angle)), step(recipe_->value, "it", sin(angle)),
                step(recipe_->scale, "it", scale), step(recipe_->scale, "it", Number(Rational(1)) / scale)};
    }

    Turn rounded_turn(long position, long pair) {
        if (recipe_) return recipe_turn(position, pair);
        const Number exact{Rational(position)};
        const Number p = rounds("positions") ? one_of_format(exact) : exact;
        // An angle that is proportional to the position is the position times the angle at 1.
        Number angle =
            rounds("frequencies") ? p * one_of_format(at(angle_, Number(Rational(1)), pair)) : at(angle_, p, pair);
        if (rounds("angles")) angle = one_of_format(angle);
        const Number scale = at(scale_, p, pair);
        Turn turn{cos(angle), sin(angle), scale, Number(Rational(1)) / scale};
        if (rounds("scale")) {
            turn.scale = one_of_format(turn.scale);
            turn.reciprocal = one_of_format(turn.reciprocal);
        }
        if (rounds("values")) {
            turn.cosine = one_of_format(turn.cosine);
            turn.sine = one_of_format(turn.sine);
        }
        return turn;
    }

    /// |conj(u~) v~ - conj(u) v|.
    Number of_pair(long position, long pair) {
        const auto product = [](const Turn& u, const Turn& v) {
            const Number size = u.scale * v.reciprocal;
            return std::pair(size * (u.cosine * v.cosine + u.sine * v.sine),
                             size * (u.cosine * v.sine - u.sine * v.cosine));
        };
        const auto meant = product(exact_turn(position, pair), exact_turn(key_, pair));
        const auto got = product(rounded_turn(position, pair), rounded_turn(key_, pair));
        const Number two(Rational(2));
        return sqrt(power(got.first - meant.first, two) + power(got.second - meant.second, two));
    }

    Number error(long position) {
        Number worst;
        for (long pair = 0; pair < pairs_; ++pair) worst = max(worst, of_pair(position, pair));
        return worst + bias_error(position);
    }

    Number bias_error(long position) {
        if (!bias_) return Number();
        const auto bias = [&](const Number& q, const Number& k) {
            return evaluator_.value(bias_, {{"q", q}, {"k", k}});
        };
        const Number q{Rational(position)};
        const Number k{Rational(key_)};
        if (recipe_) {
            const Number got = bias(step(recipe_->position, "p", q), step(recipe_->position, "p", k));
            return abs(step(recipe_->bias, "it", got) - bias(q, k));
        }
        Number got = rounds("positions") ? bias(one_of_format(q), one_of_format(k)) : bias(q, k);
        if (rounds("bias")) got = one_of_format(got);
        return abs(got - bias(q, k));
    }

    const Quantity& quantity_;
    const Format& format_;
    long pairs_ = 0;
    long key_ = 0;
    Node angle_;
    Node scale_;
    Node bias_;
    std::string rounded_;
    std::optional<Recipe> recipe_;
    std::vector<long> positions_;
    Evaluator evaluator_;
};

}  // namespace

Made make_logit_error(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<LogitError>(quantity);
}

}  // namespace farfield::recheck
