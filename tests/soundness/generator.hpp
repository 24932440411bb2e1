// Random questions about random formulas: what a proof might get wrong is drawn more often than what it cannot.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
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

/// A condition about results, as a study says it and as a formula of what these stand for.
struct Said {
    std::string study;
    std::string oracle;
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
    bool are_inputs_numbers = false;  ///< of a rounding error: of the format
    /// Formulas of a scheme by their keys: bias, mask, angle, scale, ...; "bias.when" of a condition beside one,
    /// "let.NAME" of a name. In place of an angle its "frequency"; "far.query" and "far.key" are then positions.
    std::map<std::string, std::string> pieces;
    std::map<std::string, long> numbers;        ///< whole numbers by the keys of the quantity: length, heads, ...
    std::map<std::string, std::string> values;  ///< reals by the keys of the quantity: mass, residual, scale, after
    bool is_causal = true;
    bool may_be_proportional = true;    ///< an angle may be the position times its value at position 1
    bool must_be_proportional = false;  ///< and is, for anyone to see
    std::vector<std::string> masks;     ///< of a receptive field, one for each layer
    std::vector<std::string> rounded;   ///< steps of a logit error; none: as without the key
    std::vector<std::string> recipes;   ///< of a safe length: several at once
    std::map<std::string, bool> flags;  ///< keys of the quantity: all_heads, last

    bool is_of_curve = false;                                  ///< the quantity is of a curve `c`, of the formula
    std::optional<std::pair<std::string, std::string>> range;  ///< which of its points are used
    std::string curve_kind;                     ///< "" of the formula; "curve" or "expectation" of the scheme
    std::map<std::string, long> curve_numbers;  ///< whole numbers by the keys of the curve

    // A study has a curve `c` of the formula, perhaps swept over w, a table `t`, and a claim with a threshold.
    Said claim;
    std::vector<std::string> sweep;
    std::string threshold;
    std::map<std::string, std::string> cells;  ///< printed numbers by row and column: "au"

    /// Whether it is of a scheme, whose name is `own`.
    bool has_scheme() const { return !pieces.empty(); }
    /// The lines of the table of the scheme.
    std::string scheme() const;
    /// The keys of the curve `c` that the quantity is of.
    std::string curve() const;
    /// The keys of the quantity in TOML.
    std::string settings() const;
    /// A study of this quantity with a claim of this condition; of kind study with its own.
    std::string study(const std::string& holds) const;

private:
    std::string claim_study() const;
};

/// A formula in which another stands for a name.
std::string with_name(std::string text, const std::string& name, const std::string& formula);

/// from + step*quarters/4, in decimals.
std::string shifted(const std::string& from, const std::string& step, long quarters);

/// The formula that is meant: operators that round stand for their arguments.
std::string without_rounding(std::string text);

class Generator {
public:
    explicit Generator(Random& random) : random_(random) {}

    /// A question of the kind: identity, monotone, extremum, integral, crossing, feasible, collision, range, curve,
    /// oscillation, rounding-error, value, fit, condition, safe-length, receptive-field, resolution, logit-error,
    /// profile, expectation or study.
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
    void fill(Question& question, bool is_grid, bool may_have_more);
    void add_curve(Question& question);
    void add_range(Question& question);
    void fill_overflow(Question& question);
    int depth();
    void fill_rounding_pair(Question& question);
    std::string bias();
    std::string mask();
    std::string frequency();
    std::string frequency_of_powers();
    void add_rotation(Question& question);
    void add_scale(Question& question);
    void add_rounding(Question& question);
    void add_recipe(Question& question);
    void add_steps(Question& question);
    void add_operators(Question& question);
    void add_far(Question& question);
    void add_conditions(Question& question);
    Question of_scheme(const std::string& kind);
    Question of_scores(const std::string& kind);
    void score_by_scheme(Question& question);
    void add_layers(Question& question);
    void add_relative_far(Question& question);
    Question of_study();
    Said value_said(const Question& question);
    Said curve_said(const Question& question, const std::string& index, bool is_bound);
    Said comparison_said(const Question& question);
    Said condition_said(const Question& question);

    Random& random_;
    std::vector<std::string> names_;  ///< variables that a formula may use
};

}  // namespace farfield::soundness
