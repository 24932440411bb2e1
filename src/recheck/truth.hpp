// Three-valued logic.
#pragma once

namespace farfield::recheck {

enum class Truth { no, yes, maybe };

inline Truth truth_of(bool holds) {
    return holds ? Truth::yes : Truth::no;
}
inline Truth negated(Truth a) {
    return a == Truth::maybe ? a : truth_of(a == Truth::no);
}
inline Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no) return Truth::no;
    return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::maybe;
}
inline Truth either(Truth a, Truth b) {
    return negated(both(negated(a), negated(b)));
}
/// What is known about a value that is one of two.
inline Truth joined(Truth a, Truth b) {
    return a == b ? a : Truth::maybe;
}

}  // namespace farfield::recheck
