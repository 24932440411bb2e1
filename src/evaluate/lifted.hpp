// The language on symbols, some of which are constants: every operator comes from an arithmetic of constants.
#pragma once

#include <farfield/formula/tree.hpp>

namespace farfield::evaluate {

/// `Derived` decides what an operator does to its arguments: lift<type of the result>(function of constants,
/// arguments). A derived class may define a member of the same name for an operator of which it knows more.
template <class Derived, class Arithmetic>
class Lifted {
public:
    explicit Lifted(Arithmetic exact) : exact_(exact) {}

#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning)         \
    template <class... Values>                                                                  \
    auto name(const Values&... values) const {                                                  \
        return static_cast<const Derived&>(*this).template lift<formula::Type::result>(         \
            [this](const auto&... constants) { return exact_.name(constants...); }, values...); \
    }
#define REDUCTION(name, spelling, type, empty, latex, meaning)
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION

protected:
    Arithmetic exact_;
};

}  // namespace farfield::evaluate
