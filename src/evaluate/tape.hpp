// A formula as a list of operations, with loops written out and equal operations listed once.
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

#include "evaluate/apply.hpp"
#include "numerics/rational.hpp"

namespace farfield::evaluate {

/// One entry. Its arguments are entries before it.
struct Operation {
    enum class Kind : std::uint8_t { input, literal, constant, operation };
    Kind kind = Kind::operation;
    formula::Op op{};
    std::array<std::uint32_t, 3> arguments{};
    std::uint8_t arity = 0;
    bool is_boolean = false;
    std::uint32_t input = 0;         ///< of an input: which
    numerics::Rational literal = 0;  ///< of a literal
    formula::Node source;            ///< the node of the formula; for a loop, that of its body or the loop itself
};

class Tape {
public:
    /// Returns nothing, with the reason in `problem`, if the formula has a lookup, a loop whose bounds are not numbers,
    /// or more operations than `most_operations`.
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

/// The operands and the result of an entry of a tape, for apply().
template <class Arithmetic>
struct TapeOperands {
    const Operation& operation;
    TapeValues<Arithmetic>& values;
    std::size_t at;

    const auto& real(std::size_t i) const { return values.reals[operation.arguments[i]]; }
    const auto& boolean(std::size_t i) const { return values.booleans[operation.arguments[i]]; }
    void set_real(typename Arithmetic::Real value) { values.reals[at] = std::move(value); }
    void set_boolean(typename Arithmetic::Boolean value) { values.booleans[at] = value; }
};

}  // namespace farfield::evaluate
