// Exact rational numbers, which represent decimals and integers.
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

/// The exact number of a text such as "3", "-0.4", "1e-7" or "3/10". Nothing for any other text, and for exponents
/// beyond those of doubles.
std::optional<Rational> read_rational(std::string_view text);

/// The shortest decimal that equals it, if there is one of at most 60 characters; otherwise a fraction "1/3".
std::string rational_text(const Rational& value);
/// The same if it has at most `longest` characters, otherwise nothing.
std::optional<std::string> rational_text(const Rational& value, std::size_t longest);

/// The exact value of a finite double.
Rational exactly(double value);

/// The decimal number of the shortest text of a finite double: 0.3 for the double nearest to 0.3.
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
