// Safe lengths by their definition: every token, every pair of a query and an earlier key, in every head.
#include "soundness/scheme_oracle.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// Whether a limit is reached within a sequence, and how.
struct Reached {
    Truth truth = Truth::no;
    bool is_without_value = false;  ///< by a number that does not exist, and by nothing else
    std::string what;

    void add(Truth other, const std::string& where, bool is_missing = false) {
        const bool is_settled = truth == Truth::yes && !(is_without_value && other == Truth::yes && !is_missing);
        if (other == Truth::no || is_settled) return;
        truth = other;
        is_without_value = is_missing;
        what = where;
    }
};

class Sequence {
public:
    Sequence(const Question& question, long tokens, const Steps& steps)
        : question_(question), tokens_(tokens), steps_(steps) {}

    Reached reached() {
        const auto has = [&](const char* piece) { return question_.pieces.count(piece) != 0; };
        if (steps_.position && (has("angle") || has("frequency") || has("bias"))) look_for_collisions();
        for (long head = 1; head <= question_.numbers.at("heads") && !is_sure(); ++head) {
            SchemeOracle scheme(question_, question_.numbers.at("longest"));
            scheme.set("h", head);
            look(scheme, head);
        }
        return reached_;
    }

private:
    bool is_sure() const { return reached_.truth == Truth::yes && !reached_.is_without_value; }

    void look_for_collisions() {
        for (long position = 0; position + 1 < tokens_; ++position) {
            const auto a = recheck::rounded(*steps_.position, Number(Rational(position)));
            const auto b = recheck::rounded(*steps_.position, Number(Rational(position + 1)));
            if (a && b && a->infinite() == 0 && b->infinite() == 0)
                reached_.add(recheck::equal(*a, *b), "positions collide at " + std::to_string(position));
        }
    }

    void look(SchemeOracle& scheme, long head) {
        RoundedScheme rounded(scheme, steps_, tokens_);
        const long pairs = scheme.pairs();
        const bool has_far = scheme.has("far.where");
        const bool has_both = pairs > 0 && scheme.has("bias");
        const Number whole(recheck::of_double(std::stod(question_.tolerance)));
        const Number bound = has_both ? whole / Number(Rational(2)) : whole;
        for (long query = 0; query < tokens_ && !is_sure(); ++query) {
            for (long pair = 0; pair < pairs && scheme.has("scale"); ++pair) look_for_vanishing(rounded, query, pair);
            // No pair may be turned by these angles, which are some at this position all the same.
            for (long pair = 0; pair < pairs && has_far; ++pair)
                if (overflows(rounded.rounded(query, pair))) reached_.add(Truth::maybe, "");
            const Number temperature = scheme.temperature(query);
            if (has_no_value(temperature))
                reached_.add(Truth::yes, "no temperature at q = " + std::to_string(query), true);
            else if (temperature.defined() != Truth::yes)
                reached_.add(Truth::maybe, "");
            for (long key = 0; key <= query; ++key) {
                const std::string where =
                    "q = " + std::to_string(query) + ", k = " + std::to_string(key) + ", h = " + std::to_string(head);
                for (long pair = 0; pair < pairs; ++pair)
                    compare(rounded.rotation_error(query, key, pair), temperature, bound,
                            where + ", i = " + std::to_string(pair));
                // The bias is added to the product after the temperature has multiplied it.
                if (scheme.has("bias")) compare(rounded.bias_error(query, key), Number(Rational(1)), bound, where);
            }
        }
    }

    static bool overflows(const Turn& turn) { return turn.scale && turn.scale->infinite() != 0; }

    void look_for_vanishing(RoundedScheme& rounded, long position, long pair) {
        const Turn& exact = rounded.exact(position, pair);
        for (const std::optional<Number>& number : {exact.scale, exact.reciprocal}) {
            const std::string where = " at p = " + std::to_string(position) + ", i = " + std::to_string(pair);
            if (has_no_value(*number)) return reached_.add(Truth::yes, "no scale" + where, true);
            if (number->defined() != Truth::yes) return reached_.add(Truth::maybe, "");
            for (const auto& [event, name] :
                 {std::pair(recheck::Event::overflow, "overflow"), std::pair(recheck::Event::underflow, "underflow")})
                reached_.add(recheck::happens(event, *steps_.scale, *number), name + where);
        }
    }

    void compare(const std::optional<Number>& error, const Number& factor, const Number& bound,
                 const std::string& where) {
        if (!error) return reached_.add(Truth::maybe, "");
        if (error->infinite() != 0) return reached_.add(Truth::yes, "overflow at " + where);
        if (has_no_value(*error)) return reached_.add(Truth::yes, "no value at " + where, true);
        const Number whole = *error * recheck::abs(factor);
        reached_.add(recheck::less(bound, whole), "error " + show(whole) + " at " + where);
    }

    const Question& question_;
    long tokens_;
    Steps steps_;
    Reached reached_;
};

Steps steps_of(const Question& question, bool is_proportional) {
    const auto recipe = question.pieces.find("recipe");
    const auto format = question.pieces.find("format");
    Steps steps =
        recipe == question.pieces.end()
            ? Steps::all(question.format, is_proportional)
            : Steps::of_recipe(recipe->second, format == question.pieces.end() ? question.format : format->second);
    if (question.is_stepwise) steps.position = nullptr;
    return steps;
}

/// Of an angle that may be proportional to the position or not: what both say.
Reached reached_by(const Question& question, long tokens) {
    const auto by = [&](bool is_proportional) {
        return Sequence(question, tokens, steps_of(question, is_proportional)).reached();
    };
    if (question.must_be_proportional || !question.may_be_proportional) return by(question.must_be_proportional);
    Reached a = by(true);
    const Reached b = by(false);
    if (a.truth != b.truth) a.truth = Truth::maybe;
    a.is_without_value = a.is_without_value && b.is_without_value;
    return a;
}

}  // namespace

Outcome judge_safe_length(const Question& question, const quantity::SafeLength& safe, Random& random) {
    const long longest = question.numbers.at("longest");
    const std::string claimed = std::to_string(safe.length) + " tokens are safe";
    if (safe.length < 0 || safe.length > longest) return wrong(claimed, claimed);
    // Fewer are safe too.
    for (const long tokens :
         {static_cast<long>(safe.length), static_cast<long>(random.below(static_cast<std::size_t>(safe.length) + 1))}) {
        const Reached reached = reached_by(question, tokens);
        if (reached.truth == Truth::yes)
            return wrong(claimed + ", but of " + std::to_string(tokens) + ": " + reached.what, claimed);
    }
    if (!safe.is_longest) return {true, std::nullopt};
    if (safe.length == longest) return wrong(claimed + " and no more, beyond the examined lengths", claimed);
    const Reached next = reached_by(question, safe.length + 1);
    if (next.truth == Truth::no) return wrong(claimed + " and no more, but one more is safe too", claimed);
    if (next.truth == Truth::yes && next.is_without_value)
        return wrong(claimed + " and no more, but: " + next.what, claimed);
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
