// Sums of products with exact rational coefficients: what simplify() computes with.
//
// An expression is a sum of terms, a term is a coefficient times powers of atoms, and exponents are expressions again.
// Terms and factors have a fixed order, so that equal expressions are equal piece by piece.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <farfield/formula/tree.hpp>

#include "numerics/rational.hpp"

namespace farfield::formula::normal {

using numerics::floor_of;
using numerics::Integer;
using numerics::is_integer;
using numerics::Rational;

struct Sum;
using Expr = std::shared_ptr<const Sum>;

enum class AtomKind : std::uint8_t {
    number,  ///< a rational, as the base of a power that has no rational value
    euler,   ///< e; exp(x) is its power
    name,    ///< a name, or a decimal too long to compute with
    index,
    operation,  ///< any operator except the arithmetic ones; sqrt and exp are powers
    call,
    text,
    reduction,  ///< arguments: first, last, body
    sum,        ///< an expression of several terms, or of one term that has no other base
};

struct Atom {
    AtomKind kind = AtomKind::name;
    Op op{};
    Rational value;
    std::string text;
    std::vector<Expr> arguments;
    bool infinite = false;  ///< from inf or a division by zero: never cancelled
    Node written;           ///< the tree that stays as it is written, if it does
};
using AtomPointer = std::shared_ptr<const Atom>;

struct Factor {
    AtomPointer base;
    Expr exponent;
};

struct Term {
    Rational coefficient;
    std::vector<Factor> factors;
    bool infinite = false;
};

struct Sum {
    std::vector<Term> terms;
    bool infinite = false;
};

/// The most bits of a rational's numerator and denominator, so that its value is a finite double.
inline constexpr unsigned longest_rational = 500;

/// Thrown if an expression becomes too large to compute with, or subtracts an infinity from itself; simplify() then
/// returns the tree unchanged.
struct GivenUp : std::exception {
    const char* what() const noexcept override { return "the expression is too large, or has no value"; }
};

/// What an Algebra may do. `collect` keeps products of sums as they are. `expand` multiplies them out, expresses
/// functions by exp and log, and gives reduction variables standard names. Its results are for decisions, not for
/// reading or evaluation. `keep_jumps` is `collect`, but operators that may jump keep their arguments as written.
enum class Mode : std::uint8_t { collect, keep_jumps, expand };

/// The decimal as a rational, if it is short enough to compute with.
std::optional<Rational> rational_from_decimal(const std::string& text);
/// The rational as a formula; a fraction if no short decimal equals it.
Node rational_node(const Rational& value);
/// The decimal text of a non-negative rational, if it has one of at most `longest` characters.
std::optional<std::string> short_decimal(const Rational& value, std::size_t longest);

/// The laws of arithmetic over expressions.
class Algebra {
public:
    explicit Algebra(Mode mode) : mode_(mode) {}

    bool expands() const { return mode_ == Mode::expand; }
    bool keeps_jumps() const { return mode_ == Mode::keep_jumps; }

    Expr number(const Rational& value) const;
    Expr atom(Atom atom);
    Expr operation(Op op, std::vector<Expr> arguments);

    Expr add(const Expr& a, const Expr& b);
    Expr subtract(const Expr& a, const Expr& b);
    Expr scale(const Expr& a, const Rational& by);
    Expr multiply(const Expr& a, const Expr& b);
    Expr divide(const Expr& a, const Expr& b);
    Expr power(const Expr& base, const Expr& exponent);
    Expr exponential(const Expr& exponent);
    Expr logarithm(const Expr& of);
    Expr absolute(const Expr& of);
    Expr from_factor(const Factor& factor);
    /// term * sum^by, where the power is merged with one that the term already has.
    Expr cleared(const Term& term, const Expr& sum, const Rational& by);

    /// Negative, zero or positive: the fixed order.
    int compare(const Expr& a, const Expr& b);
    bool same(const Expr& a, const Expr& b) { return compare(a, b) == 0; }

    /// The rational that the expression is, if it is one.
    static std::optional<Rational> constant(const Expr& a);
    static bool is_positive(const Expr& a);
    static bool is_nonnegative(const Expr& a);
    /// Whether every coefficient is negative (and there is one).
    static bool is_all_negative(const Expr& a);
    /// The positive rational that all coefficients are integer multiples of.
    static Rational content(const Expr& a);
    /// Whether the first coefficient is negative.
    static bool leads_with_minus(const Expr& a);
    /// Whether -a is the simpler of a and -a.
    bool turns(const Expr& a) const { return expands() ? leads_with_minus(a) : is_all_negative(a); }

    /// Counts work; throws GivenUp if there is too much.
    void spend(std::size_t amount);

private:
    int compare(const AtomPointer& a, const AtomPointer& b);
    int compare_factors(const Term& a, const Term& b);
    Expr sum_of(std::vector<Term> terms);
    Expr product(const Term& a, const Term& b);
    Expr expand_product(const Expr& a, const Expr& b);
    Expr from_factors(Rational coefficient, const std::vector<Factor>& factors);
    bool absorb(Rational& coefficient, Factor& factor, std::vector<Expr>& others);
    void split_whole_power(Rational& coefficient, Factor& factor);
    Term as_term(const Expr& a);
    Expr power_of_constant(const Rational& base, const Expr& exponent);
    Expr power_of_term(const Term& term, const Expr& exponent);
    Expr whole_power_of_term(const Term& term, const Rational& exponent);
    Expr power_of_rest(const Term& rest, const Expr& exponent);
    Expr power_of_sum(const Expr& base, const Expr& exponent);
    Expr primes_to_power(const Rational& base, const Expr& exponent);
    Expr logarithm_of_base(const Factor& factor);
    Expr logarithm_of_term(const Term& term);

    Mode mode_;
    std::size_t work_ = 0;
};

/// The tree as an expression.
Expr normalise(const Node& tree, Algebra& algebra);
/// The expression with every product of sines and cosines replaced by a sum, until no term has more than one of them.
Expr without_wave_products(Expr expression, Algebra& algebra);
/// The expression as a tree.
Node rebuild(const Expr& expression);

}  // namespace farfield::formula::normal
