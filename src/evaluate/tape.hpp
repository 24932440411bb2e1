// A formula as a list of operations, loops written out, equal operations once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <farfield/formula/tree.hpp>

#include "evaluate/shape.hpp"
#include "numerics/rational.hpp"

namespace farfield::evaluate {

/// One entry. Its arguments come before it.
struct Operation {
    enum class Kind : std::uint8_t { input, literal, constant, operation };
    Kind kind = Kind::operation;
    formula::Op op{};
    std::array<std::uint32_t, 3> arguments{};
    std::uint8_t arity = 0;
    bool is_boolean = false;
    std::uint32_t input = 0;         ///< of an input: which
    numerics::Rational literal = 0;  ///< of a literal
    formula::Node source;            ///< what it was written as; of a loop its body's, or the loop itself
};

class Tape {
public:
    /// Nothing, and why in `problem`, where the formula has a lookup, a loop between bounds that are not numbers, or more
    /// operations than `most_operations`.
    static std::optional<Tape> of(const formula::Node& tree, const std::vector<std::string>& inputs,
                                  std::string& problem);

    static constexpr std::size_t most_operations = 1'000'000;

    const std::vector<Operation>& operations() const { return operations_; }
    std::size_t inputs() const { return inputs_; }
    /// Which operation is the formula.
    std::size_t root() const { return root_; }

private:
    friend class TapeBuilder;
    std::vector<Operation> operations_;
    std::size_t inputs_ = 0;
    std::size_t root_ = 0;
};

/// Values of a tape in some arithmetic.
template <class Arithmetic>
struct TapeValues {
    std::vector<typename Arithmetic::Real> reals;
    std::vector<typename Arithmetic::Boolean> booleans;
};

/// Computes one operation from its arguments.
template <class Arithmetic>
class TapeStep {
public:
    using Real = typename Arithmetic::Real;
    using Boolean = typename Arithmetic::Boolean;

    TapeStep(const Arithmetic& arithmetic, const Operation& operation, TapeValues<Arithmetic>& values, std::size_t at)
        : arithmetic_(arithmetic), operation_(operation), values_(values), at_(at) {}

    void run() {
        switch (operation_.op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: \
        store<shape_of(formula::Type::result, arguments)>( \
            [this](const auto&... values) { return arithmetic_.name(values...); }); \
        break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
            // clang-format on
        }
    }

private:
    const Real& real(std::size_t i) const { return values_.reals[operation_.arguments[i]]; }
    const Boolean& boolean(std::size_t i) const { return values_.booleans[operation_.arguments[i]]; }

    template <Shape shape, class Function>
    void store(Function function) {
        if constexpr (shape == Shape::r_r) values_.reals[at_] = function(real(0));
        if constexpr (shape == Shape::r_rr) values_.reals[at_] = function(real(0), real(1));
        if constexpr (shape == Shape::r_rrr) values_.reals[at_] = function(real(0), real(1), real(2));
        if constexpr (shape == Shape::r_brr) values_.reals[at_] = function(boolean(0), real(1), real(2));
        if constexpr (shape == Shape::b_rr) values_.booleans[at_] = function(real(0), real(1));
        if constexpr (shape == Shape::b_b) values_.booleans[at_] = function(boolean(0));
        if constexpr (shape == Shape::b_bb) values_.booleans[at_] = function(boolean(0), boolean(1));
    }

    const Arithmetic& arithmetic_;
    const Operation& operation_;
    TapeValues<Arithmetic>& values_;
    std::size_t at_;
};

}  // namespace farfield::evaluate
