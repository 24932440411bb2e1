#include "evaluate/closed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/format.hpp>

#include "numerics/progression.hpp"

namespace farfield::evaluate {
namespace {

using formula::Kind;
using formula::Node;
using formula::Op;
using numerics::Integer;
using numerics::Rational;
using Value = std::optional<Rational>;

constexpr std::size_t most_bits = 100000;
constexpr std::size_t most_bits_of_literal = 4096;
constexpr int largest_exponent = 1024;
constexpr std::int64_t most_terms = 256;
/// This takes about a hundredth of a second. The time to reduce a quotient grows with the square of its length.
constexpr std::size_t most_work = 5000;
constexpr std::size_t work_of_enclosure = 50;
/// Precisions at which closed formulas are compared: 38 to 308 decimal digits.
constexpr std::array<long, 4> precisions = {128, 256, 512, 1024};

std::size_t bits_of(const Rational& x) {
    const Integer top = abs(numerator(x));
    return std::max<std::size_t>(top == 0 ? 0 : msb(top), msb(Integer(denominator(x)))) + 1;
}

Value checked(const Rational& x) {
    return bits_of(x) < most_bits ? Value(x) : std::nullopt;
}

Value whole_power(const Rational& base, const Integer& exponent) {
    if (abs(exponent) > largest_exponent || (base == 0 && exponent < 0)) return std::nullopt;
    const auto times = static_cast<unsigned>(Integer(abs(exponent)));
    if (bits_of(base) * (times + 1) > most_bits) return std::nullopt;
    const Rational raised(Integer(pow(Integer(numerator(base)), times)),
                          Integer(pow(Integer(denominator(base)), times)));
    return exponent < 0 ? Rational(1 / raised) : raised;
}

/// The root if it is an integer: bisection between powers of 2.
std::optional<Integer> whole_root(const Integer& value, unsigned degree) {
    if (value < 2) return value;
    const std::size_t length = msb(value) / degree + 1;
    Integer low = 0;
    Integer high = Integer(1) << length;
    while (high - low > 1) {
        const Integer middle = (low + high) / 2;
        (pow(middle, degree) <= value ? low : high) = middle;
    }
    return pow(low, degree) == value ? std::optional(low) : std::nullopt;
}

Value root(const Rational& base, const Integer& degree) {
    if (base < 0 || degree > largest_exponent || bits_of(base) > most_bits / 8) return std::nullopt;
    const auto count = static_cast<unsigned>(degree);
    const std::optional<Integer> above = whole_root(numerator(base), count);
    const std::optional<Integer> below = whole_root(denominator(base), count);
    return above && below ? Value(Rational(*above, *below)) : std::nullopt;
}

Value power(const Rational& base, const Rational& exponent) {
    const Value rooted = numerics::is_integer(exponent) ? Value(base) : root(base, denominator(exponent));
    return rooted ? whole_power(*rooted, numerator(exponent)) : std::nullopt;
}

Rational rounded(const Rational& x) {
    const Integer below = numerics::floor_of(x);
    const Rational above_by = x - Rational(below);
    const Rational half(1, 2);
    const bool up = above_by > half || (above_by == half && below % 2 != 0);
    return Rational(Integer(below + (up ? 1 : 0)));
}

int sign_of(const Rational& x) {
    return x < 0 ? -1 : x > 0 ? 1 : 0;
}

Value logarithm_two(const Rational& x) {
    if (x <= 0) return std::nullopt;
    const Integer above = numerator(x);
    const Integer below = denominator(x);
    const auto exponent = static_cast<long>(msb(above)) - static_cast<long>(msb(below));
    const bool is_power = above == Integer(1) << msb(above) && below == Integer(1) << msb(below);
    return is_power ? Value(Rational(exponent)) : std::nullopt;
}

/// The value at the one number that the function's row states, or at 0.
Value at_known_argument(Op op, const Rational& x) {
    if (op == Op::sigmoid && x == 0) return Rational(1, 2);
#define KNOWN(name, stem, at, value, low, high, least, greatest) \
    if (op == Op::name && x == (at)) return Value(value);
#include <farfield/numerics/functions.def>
    return std::nullopt;
}

/// Rounds once. If the number is not a double, the neighbour with an odd last bit is on the same side of every midpoint
/// of the format, which has fewer bits.
Value in_format(const numerics::Format& format, const Rational& x) {
    const numerics::Interval around = numerics::enclose(x);
    const bool is_odd = std::bit_cast<std::uint64_t>(around.lo) % 2 == 1;
    const double rounded = numerics::round_to(format, is_odd ? around.lo : around.hi);
    return std::isfinite(rounded) ? Value(numerics::exactly(rounded)) : std::nullopt;
}

Value unary(Op op, const Rational& x) {
    switch (op) {
        case Op::negate: return Rational(-x);
        case Op::absolute: return Rational(abs(x));
        case Op::floor: return Rational(numerics::floor_of(x));
        case Op::ceiling: return Rational(-numerics::floor_of(Rational(-x)));
        case Op::round: return rounded(x);
        case Op::sign: return Rational(sign_of(x));
        case Op::square_root: return root(x, 2);
        case Op::logarithm_two: return logarithm_two(x);
        default: break;
    }
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    if (op == Op::to_##name) return in_format(numerics::known::name, x);
#include <farfield/numerics/formats.def>
    return at_known_argument(op, x);
}

Value binomial_of(const Rational& n, const Rational& k) {
    if (!numerics::is_integer(n) || !numerics::is_integer(k) || n < 0 || !numerics::counted(n)) return std::nullopt;
    if (k < 0 || k > n) return Rational(0);
    const Rational fewer = k <= n - k ? k : Rational(n - k);
    if (fewer > largest_exponent) return std::nullopt;
    Integer product = 1;
    for (Integer i = 1; i <= numerator(fewer); ++i) product = product * (numerator(n) - numerator(fewer) + i) / i;
    return Rational(product);
}

Value binary(Op op, const Rational& a, const Rational& b) {
    switch (op) {
        case Op::add: return checked(a + b);
        case Op::subtract: return checked(a - b);
        case Op::multiply: return checked(a * b);
        case Op::divide: return b == 0 ? std::nullopt : checked(a / b);
        case Op::modulo: return b == 0 ? std::nullopt : checked(a - b * Rational(numerics::floor_of(Rational(a / b))));
        case Op::power: return power(a, b);
        case Op::minimum: return a < b ? a : b;
        case Op::maximum: return a < b ? b : a;
        case Op::binomial: return binomial_of(a, b);
        case Op::arctangent: return a == 0 && b > 0 ? Value(0) : std::nullopt;
        default: return std::nullopt;
    }
}

Truth compare(Op op, int sign) {
    const auto truth = [](bool holds) { return holds ? Truth::yes : Truth::no; };
    switch (op) {
        case Op::less: return truth(sign < 0);
        case Op::less_equal: return truth(sign <= 0);
        case Op::greater: return truth(sign > 0);
        case Op::greater_equal: return truth(sign >= 0);
        case Op::equals: return truth(sign == 0);
        case Op::differs: return truth(sign != 0);
        default: return Truth::unknown;
    }
}

bool is_step(Op op) {
    return op == Op::floor || op == Op::ceiling || op == Op::round || op == Op::sign || formula::is_rounding(op);
}

/// Formulas with loops and lookups are not simplified here, and are not evaluated with a second precision.
bool is_plain(const Node& tree) {
    if (tree->kind == Kind::reduction || tree->kind == Kind::index || tree->kind == Kind::call) return false;
    return std::all_of(tree->children.begin(), tree->children.end(), is_plain);
}

/// Whether every part of a closed formula is proved to have a value.
bool has_value(const Node& tree) {
    const formula::Condition condition = formula::defined(tree);
    if (condition.kind != formula::Condition::Kind::depends) return condition.is_always();
    return decide_closed(formula::compile(condition.tree, {}), precisions.front()) == Truth::yes;
}

class Evaluator {
public:
    explicit Evaluator(const ExactValues& values) : values_(values) {}

    Truth condition(const Node& node) {
        if (node->kind == Kind::reduction) return quantifier(*node);
        if (node->kind != Kind::operation) return Truth::unknown;
        const auto& parts = node->children;
        switch (node->op) {
            case Op::logical_not: return !condition(parts[0]);
            case Op::logical_and: return both(condition(parts[0]), condition(parts[1]));
            case Op::logical_or: return either(condition(parts[0]), condition(parts[1]));
            default: return comparison(node);
        }
    }

    Value real(const Node& node) {
        switch (node->kind) {
            case Kind::number: return numerics::read_rational(node->text);
            case Kind::name: return value_of(node->text);
            case Kind::index: return lookup(*node);
            case Kind::operation: return operation(node);
            case Kind::reduction: return reduction(*node);
            default: return std::nullopt;
        }
    }

private:
    Truth comparison(const Node& node) {
        if (formula::row(node->op).arguments != "rr") return Truth::unknown;
        const Value a = real(node->children[0]);
        const Value b = real(node->children[1]);
        if (a && b) return compare(node->op, sign_of(Rational(*a - *b)));
        // A known side is an exact number; enclosures would widen 9 % 0.3.
        const auto side = [](const Value& value, const Node& whole) {
            const bool is_short = value && bits_of(*value) < most_bits_of_literal;
            return is_short ? formula::parse(numerics::rational_text(*value)) : whole;
        };
        work_ += work_of_enclosure;
        const Node tree = closed(formula::make(node->op, {side(a, node->children[0]), side(b, node->children[1])}));
        if (!tree || !has_value(tree)) return Truth::unknown;
        const formula::Program program = formula::compile(tree, {});
        Truth truth = decide_closed(program, precisions.front());
        if (truth != Truth::unknown || !is_plain(tree)) return truth;
        const Node& left = tree->children[0];
        const Node& right = tree->children[1];
        if (formula::proves_equal(left, right)) return compare(node->op, 0);
        for (std::size_t i = 1; i < precisions.size() && truth == Truth::unknown; ++i)
            truth = decide_closed(program, precisions[i]);
        return truth;
    }

    /// The tree with its names replaced by their exact values; null if a name has none.
    Node closed(const Node& tree) const {
        std::vector<formula::Replacement> replacements;
        if (!formula::indexed_names(tree).empty()) return nullptr;
        for (const std::string& name : formula::free_names(tree)) {
            if (name == "pi" || name == "e" || name == "inf") continue;
            const Value value = value_of(name);
            if (!value) return nullptr;
            replacements.push_back({name, formula::parse(numerics::rational_text(*value))});
        }
        return formula::substitute(tree, replacements);
    }

    Value value_of(const std::string& name) const {
        const auto bound = bound_.find(name);
        if (bound != bound_.end()) return bound->second;
        return values_.value ? values_.value(name) : std::nullopt;
    }

    Value lookup(const formula::Tree& node) {
        const Value index = real(node.children[0]);
        return index && values_.entry ? values_.entry(node.text, *index) : std::nullopt;
    }

    Value operation(const Node& node) {
        const auto& parts = node->children;
        if (work_ > most_work) return std::nullopt;
        if (node->op == Op::select) {
            const Truth truth = condition(parts[0]);
            return truth == Truth::unknown ? std::nullopt : real(parts[truth == Truth::yes ? 1 : 2]);
        }
        if (formula::row(node->op).arguments.find('b') != std::string_view::npos) return std::nullopt;
        std::vector<Rational> x;
        for (const Node& part : parts) {
            const Value value = real(part);
            if (!value) return is_step(node->op) ? step(node) : std::nullopt;
            const std::size_t words = bits_of(*value) / 64;
            work_ += 1 + words * words / 16;
            x.push_back(*value);
        }
        if (node->op == Op::clamp) return std::min(std::max(x[0], x[1]), x[2]);
        return x.size() == 1 ? unary(node->op, x[0]) : x.size() == 2 ? binary(node->op, x[0], x[1]) : std::nullopt;
    }

    /// A step function such as floor(exp(1)), if the enclosure of its argument leaves one value.
    Value step(const Node& node) const {
        const Node tree = closed(node);
        if (!tree || !has_value(tree)) return std::nullopt;
        const formula::Program program = formula::compile(tree, {});
        for (const long bits : precisions) {
            const core::Enclosure value = enclose_closed(program, bits);
            if (value.lo == value.hi && std::isfinite(value.lo)) return numerics::exactly(value.lo);
            if (!is_plain(tree)) break;
        }
        return std::nullopt;
    }

    /// Calls `body` with each integer of a reduction's range until it returns false. Returns whether the range is known
    /// and short, and the work was within the limit; a body may itself be a reduction.
    template <class Body>
    bool for_each_integer(const formula::Tree& node, Body body) {
        const Value first = real(node.children[0]);
        const Value last = real(node.children[1]);
        if (!first || !last || !numerics::is_integer(*first) || !numerics::is_integer(*last)) return false;
        if (*last - *first > most_terms) return false;
        const auto outer = bound_;
        bool goes_on = true;
        for (Rational at = *first; at <= *last && goes_on && work_ <= most_work; at += 1) {
            bound_[node.text] = at;
            goes_on = body(at);
            ++work_;
        }
        bound_ = outer;
        return work_ <= most_work;
    }

    /// Runs up to the first integer that decides the quantifier or is itself undecided.
    Truth quantifier(const formula::Tree& node) {
        if (node.op != Op::for_all && node.op != Op::for_some) return Truth::unknown;
        const Truth usual = node.op == Op::for_all ? Truth::yes : Truth::no;
        Truth truth = usual;
        const bool is_known = for_each_integer(node, [&](const Rational&) {
            truth = condition(node.children[2]);
            return truth == usual;
        });
        return is_known ? truth : Truth::unknown;
    }

    Value reduction(const formula::Tree& node) {
        const Node& body = node.children[2];
        if (node.op == Op::argmin || node.op == Op::argmax) return choice(node, body);
        const bool is_sum = node.op == Op::sum;
        if (!is_sum && node.op != Op::product) return std::nullopt;
        Value total = Rational(is_sum ? 0 : 1);
        const bool is_known = for_each_integer(node, [&](const Rational&) {
            const Value term = real(body);
            total = term ? binary(is_sum ? Op::add : Op::multiply, *total, *term) : std::nullopt;
            return total.has_value();
        });
        return is_known ? total : std::nullopt;
    }

    /// The first integer with the best body, if all bodies are known.
    Value choice(const formula::Tree& node, const Node& body) {
        Value best;
        Value best_at;
        const bool is_known = for_each_integer(node, [&](const Rational& at) {
            const Value value = real(body);
            const bool is_better = value && (!best || (node.op == Op::argmin ? *value < *best : *value > *best));
            if (is_better) best_at = at;
            if (is_better || !value) best = value;
            return value.has_value();
        });
        return is_known && best ? best_at : std::nullopt;
    }

    const ExactValues& values_;
    std::map<std::string, Rational> bound_;
    std::size_t work_ = 0;
};

}  // namespace

Value exact_value(const Node& tree, const ExactValues& values) {
    return Evaluator(values).real(tree);
}

Value exact_at(const std::string& formula, const std::string& variable, const Rational& at,
               const core::Enclosure& enclosure) {
    if (formula.empty() || !std::isfinite(enclosure.lo) || !std::isfinite(enclosure.hi)) return std::nullopt;
    ExactValues values;
    values.value = [&](const std::string& name) { return name == variable ? Value(at) : std::nullopt; };
    return exact_value(formula::parse(formula), values);
}

Value exact_row(const core::Series& series, const core::Column& column, std::size_t row) {
    if (column.formula.empty() || series.variables != 1 || row >= column.enclosures.size()) return std::nullopt;
    const std::optional<numerics::Progression> grid = numerics::progression_of(series.columns.front());
    if (!grid || row >= series.rows()) return std::nullopt;
    return exact_at(column.formula, series.columns.front().name, grid->exact(row), column.enclosures[row]);
}

Truth decide_exactly(const Node& tree, const ExactValues& values) {
    return Evaluator(values).condition(tree);
}

}  // namespace farfield::evaluate
