// Random questions about random formulas: what a proof might get wrong is drawn more often than what it cannot.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace farfield::soundness {

class Random {
public:
    explicit Random(unsigned long long seed) : engine_(seed) {}

    std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
    bool one_in(std::size_t count) { return below(count) == 0; }
    int between(int lo, int hi) { return lo + static_cast<int>(below(static_cast<std::size_t>(hi - lo + 1))); }
    std::string pick(std::initializer_list<const char*> choices) { return *(choices.begin() + below(choices.size())); }
    template <class T>
    const T& of(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

private:
    std::mt19937_64 engine_;
};

/// One variable of a domain: all reals of [from, to], or the grid from, from + step, ... up to `to`.
struct Side {
    std::string name;
    std::string from;
    std::string to;
    std::string step;  ///< "" of reals
    bool is_grid() const { return !step.empty(); }
};

/// What one quantity, or one condition of a claim, is asked.
struct Question {
    std::string kind;
    std::string formula;  ///< or the condition
    std::string other;    ///< an identity's right side, a fit's weights, the condition of an optimum
    std::string model;    ///< of a fit, linear in p0 and p1
    std::vector<Side> over;
    std::string direction;
    std::string goal;  ///< of an optimum
    std::string tolerance;
    std::string format;
    bool is_stepwise = false;

    /// The keys of the quantity in TOML.
    std::string settings() const;
    /// A study of this quantity with a claim of this condition.
    std::string study(const std::string& holds) const;
};

class Generator {
public:
    explicit Generator(Random& random) : random_(random) {}

    /// A question of the kind: identity, monotone, extremum, integral, crossing, feasible, collision, range, curve,
    /// oscillation, rounding-error, value, fit or condition.
    Question question(const std::string& kind);

private:
    std::string literal();
    std::string leaf();
    std::string formula(int depth);
    std::string function(int depth);
    std::string reduction(int depth);
    std::string condition(int depth);
    std::string top_condition();
    std::string feasible_condition();
    std::string polynomial(const std::string& variable, int degree);
    std::string rising_part(const std::string& x);
    std::string spoiler(const std::string& x);
    std::string monotone_formula(const std::string& x);
    void rewrite(Question& question);
    Side stretch(const std::string& name);
    Side grid(const std::string& name, int most_points);
    void fill(Question& question, bool is_grid, bool may_have_two);
    int depth();

    Random& random_;
    std::vector<std::string> names_;  ///< variables that a formula may use
};

}  // namespace farfield::soundness
