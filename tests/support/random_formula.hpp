// Random well-typed formulas for laws that must hold for every formula. The same seed gives the same formulas
// everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/formula/tree.hpp>

namespace farfield::tests {

struct RandomOptions {
    std::vector<std::string> variables{"x", "y"};
    std::size_t nodes = 20;       ///< about how many nodes a formula has; reductions and t5_bucket may add a few
    bool smooth = false;          ///< leave out operators with steps, kinks, poles across a line, and conditions
    bool exact = false;           ///< only operators that every evaluator rounds correctly, or need not round
    bool binary_numbers = false;  ///< only numbers that every binary format holds exactly, so that steps fall alike
    bool roundings = true;        ///< fp16(...) and its like, whose derivative is not their slope
    bool conditions = true;       ///< if(...) with comparisons and logic; never when smooth
    bool reductions = false;      ///< sum and prod over at most five integers, all and exists in conditions
    std::vector<std::string> bounds{};   ///< whole numbers that reductions end at, as at variables of those around
    std::vector<std::string> tables{};   ///< tables of one index that may be read at small integers
    std::vector<formula::Op> without{};  ///< operators that are left out
};

/// A stream of random formulas from a seed.
class RandomFormula {
public:
    explicit RandomFormula(std::uint64_t seed, RandomOptions options = {})
        : random_(seed), options_(std::move(options)) {}

    /// A formula of type real.
    formula::Node real() { return tree(formula::Type::real, options_.nodes); }
    /// A formula of type boolean; options.smooth must be false.
    formula::Node boolean() { return tree(formula::Type::boolean, options_.nodes); }

    /// A whole number in [0, count).
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
    /// A real in [low, high], a multiple of 2^-20 of the width.
    double between(double low, double high) {
        return low + (high - low) * static_cast<double>(below((std::size_t{1} << 20) + 1)) / 1048576.0;
    }

private:
    using Op = formula::Op;
    using Node = formula::Node;
    using Type = formula::Type;

    static bool is_smooth(Op op) {
        for (const Op sharp : {Op::modulo, Op::select, Op::absolute, Op::arctangent, Op::floor, Op::ceiling, Op::round,
                               Op::sign, Op::minimum, Op::maximum, Op::clamp, Op::t5_bucket}) {
            if (op == sharp) return false;
        }
        return !formula::is_rounding(op);
    }

    static bool is_exact(Op op) {
        const formula::OperatorRow& row = formula::row(op);
        if (row.reduction || row.result == Type::boolean) return true;
        for (const Op rounded_once :
             {Op::add, Op::subtract, Op::multiply, Op::divide, Op::negate, Op::select, Op::absolute, Op::square_root,
              Op::floor, Op::ceiling, Op::round, Op::sign, Op::minimum, Op::maximum, Op::clamp}) {
            if (op == rounded_once) return true;
        }
        return formula::is_rounding(op);
    }

    bool is_wanted(const formula::OperatorRow& row, Type type, std::size_t nodes) const {
        if (row.arguments.size() + 1 > nodes) return false;
        if (std::find(options_.without.begin(), options_.without.end(), row.op) != options_.without.end()) return false;
        if (options_.exact && !is_exact(row.op)) return false;
        if (!options_.roundings && formula::is_rounding(row.op)) return false;
        if (row.op == Op::select) return options_.conditions && !options_.smooth;
        if (row.result != type) return false;
        // Evaluators of numbers have an integral to 1e-9: tests/evaluate/integral_test.cpp.
        if (row.integral || (row.choice && options_.smooth)) return false;
        if (row.reduction) return options_.reductions && bound_.size() < 2 && nodes >= 4;
        return !options_.smooth || is_smooth(row.op);
    }

    Node tree(Type type, std::size_t nodes) {
        std::vector<const formula::OperatorRow*> fitting;
        for (const formula::OperatorRow& row : formula::operators()) {
            if (is_wanted(row, type, nodes)) fitting.push_back(&row);
        }
        if (fitting.empty()) return type == Type::real ? leaf() : comparison();
        const formula::OperatorRow& row = *fitting[below(fitting.size())];
        // The body of a choice must have a value at every integer of its range, which few do.
        if (row.choice && below(2) == 0) return leaf();
        if (row.reduction) return reduction(row, nodes);
        if (row.op == Op::t5_bucket) return bucket(nodes);
        if (row.op == Op::binomial) return binomial(nodes);
        std::vector<Type> types;
        for (const char letter : row.arguments)
            types.push_back(letter == 'b' ? Type::boolean : type_of_real(row, type));
        return formula::make(row.op, children(types, nodes - 1));
    }

    /// The branches of a select have the type of the whole.
    static Type type_of_real(const formula::OperatorRow& row, Type wanted) {
        return row.op == Op::select ? wanted : Type::real;
    }

    std::vector<Node> children(const std::vector<Type>& types, std::size_t nodes) {
        std::vector<Node> made;
        for (std::size_t left = types.size(); left > 0; --left) {
            const std::size_t reserved = left - 1;
            const std::size_t free = nodes > reserved ? nodes - reserved : 1;
            const std::size_t share = left == 1 ? free : 1 + below(free);
            made.push_back(tree(types[made.size()], share));
            nodes -= share < nodes ? share : nodes;
        }
        return made;
    }

    Node comparison() { return formula::make(below(2) == 0 ? Op::less : Op::greater_equal, {leaf(), leaf()}); }

    Node leaf() {
        static constexpr std::string_view numbers[] = {"0", "1", "2", "3", "0.5", "7", "1.25", "10", "0.1", "1e-2"};
        const std::size_t names = options_.variables.size() + bound_.size();
        const std::size_t choice = below(2 * names + 3);
        if (choice < options_.tables.size()) {
            return formula::make_index(options_.tables[choice], {formula::make_number(std::to_string(below(4)))});
        }
        if (choice >= 2 * names) {
            if (below(8) == 0) return formula::make_name(below(2) == 0 ? "pi" : "e");
            const std::size_t count = std::size(numbers) - (options_.binary_numbers ? 2 : 0);
            return formula::make_number(std::string(numbers[below(count)]));
        }
        const std::size_t at = choice % names;
        if (at < options_.variables.size()) return formula::make_name(options_.variables[at]);
        return formula::make_name(bound_[at - options_.variables.size()]);
    }

    Node reduction(const formula::OperatorRow& row, std::size_t nodes) {
        const std::size_t from = below(3);
        const std::string variable = "v" + std::to_string(bound_.size() + 1);
        bound_.push_back(variable);
        const Node body = tree(row.result, nodes - 3);
        bound_.pop_back();
        return formula::make_reduction(row.op, variable, formula::make_number(std::to_string(from)), last(from), body);
    }

    Node last(std::size_t from) {
        const std::size_t names = options_.bounds.size();
        if (names == 0) return formula::make_number(std::to_string(from + below(5)));
        const std::size_t choice = below(names + bound_.size());
        return formula::make_name(choice < names ? options_.bounds[choice] : bound_[choice - names]);
    }

    /// Of integers, elsewhere it has no value.
    Node binomial(std::size_t nodes) {
        const Node part = formula::make(Op::floor, {tree(Type::real, nodes > 3 ? nodes - 3 : 1)});
        return formula::make(Op::binomial, {formula::make_number("7"), part});
    }

    Node bucket(std::size_t nodes) {
        return formula::make(Op::t5_bucket, {tree(Type::real, nodes > 3 ? nodes - 3 : 1), formula::make_number("32"),
                                             formula::make_number("128")});
    }

    std::mt19937_64 random_;
    RandomOptions options_;
    std::vector<std::string> bound_;
};

}  // namespace farfield::tests
