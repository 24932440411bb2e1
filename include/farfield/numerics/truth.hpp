// The truth value of a condition on numbers that are known only as enclosures.
#pragma once

namespace farfield::numerics {

/// A condition holds for none, for some but not provably all, or for all numbers of the enclosures.
enum class Truth { no, unknown, yes };

constexpr Truth operator!(Truth a) {
    if (a == Truth::unknown) return a;
    return a == Truth::yes ? Truth::no : Truth::yes;
}

/// Conjunction and disjunction: the smaller and the larger in the order no < unknown < yes (Kleene's logic).
constexpr Truth both(Truth a, Truth b) {
    return a < b ? a : b;
}
constexpr Truth either(Truth a, Truth b) {
    return a < b ? b : a;
}

constexpr Truth to_truth(bool condition) {
    return condition ? Truth::yes : Truth::no;
}

}  // namespace farfield::numerics
