// Exact rational numbers: what decimals and whole numbers are kept as.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <farfield/numerics/interval.hpp>

namespace farfield::numerics {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

/// The number that "3", "-0.4", "1e-7" or "3/10" states, without error. Nothing for any other text, and for exponents
/// beyond those of doubles.
std::optional<Rational> read_rational(std::string_view text);

/// The shortest decimal that reads back to it, if there is one of 60 characters; else a fraction "1/3".
std::string rational_text(const Rational& value);
/// The same if it has at most `longest` characters; a longer one is not made.
std::optional<std::string> rational_text(const Rational& value, std::size_t longest);

/// The number that a finite double is.
Rational exactly(double value);

/// The number that the shortest text of a finite double states: 0.3 of the double next to it.
Rational shortest_decimal(double value);

/// The nearest double, ties to even.
double nearest(const Rational& value);

/// The narrowest interval around it: a point where it is a double.
Interval enclose(const Rational& value);

bool is_integer(const Rational& value);
Integer floor_of(const Rational& value);

/// The number, if it is an integer between -largest_counted and largest_counted.
std::optional<std::int64_t> counted(const Rational& value);

}  // namespace farfield::numerics
