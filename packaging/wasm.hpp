// C++20 functions that the standard library of Debian's Emscripten (libc++ 13) lacks. Included before each source of a
// build for browsers. Numbers are written and read like in libstdc++.
#pragma once
#if defined(__cplusplus) && defined(__EMSCRIPTEN__)

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace std {

template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>) constexpr To
    bit_cast(const From& from) noexcept {
    return __builtin_bit_cast(To, from);
}

inline to_chars_result farfield_copy(char* first, char* last, string_view text) {
    if (static_cast<size_t>(last - first) < text.size()) return {last, errc::value_too_large};
    return {copy(text.begin(), text.end(), first), errc()};
}

/// Writes the fewest digits that read back as `value`, in the shorter notation. If both have the same length, writes no
/// exponent; an integer then has all its digits.
template <class Float>
requires is_floating_point_v<Float> to_chars_result to_chars(char* first, char* last, Float value) {
    if (isnan(value)) return farfield_copy(first, last, signbit(value) ? "-nan" : "nan");
    if (isinf(value)) return farfield_copy(first, last, value < 0 ? "-inf" : "inf");
    const string shortest = fmt::format("{}", value);
    // Splits the shortest text into digits and an exponent.
    string digits;
    const size_t e = shortest.find('e');
    const string mantissa = shortest.substr(0, e);
    size_t point = string::npos;
    for (const char c : mantissa) {
        if (c == '.') point = digits.size();
        if (c >= '0' && c <= '9') digits += c;
    }
    if (point == string::npos) point = digits.size();
    size_t leading = digits.find_first_not_of('0');
    if (leading == string::npos) return farfield_copy(first, last, signbit(value) ? "-0" : "0");
    int exponent = static_cast<int>(point) - static_cast<int>(leading) - 1;
    if (e != string::npos) exponent += atoi(shortest.c_str() + e + 1);
    digits = digits.substr(leading);
    digits.erase(digits.find_last_not_of('0') + 1);
    const string sign = signbit(value) ? "-" : "";
    const int count = static_cast<int>(digits.size());
    string with_exponent = sign + digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "");
    with_exponent += fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', abs(exponent));
    string plain;
    if (exponent < 0)
        plain = sign + "0." + string(static_cast<size_t>(-exponent - 1), '0') + digits;
    else if (exponent + 1 < count)
        plain = sign + digits.substr(0, static_cast<size_t>(exponent + 1)) + "." +
                digits.substr(static_cast<size_t>(exponent + 1));
    else
        plain = sign + string(static_cast<size_t>(exponent + 1), '0');
    if (plain.size() > with_exponent.size()) return farfield_copy(first, last, with_exponent);
    if (exponent + 1 >= count) plain = fmt::format("{:.0f}", value);
    return farfield_copy(first, last, plain);
}

/// Reads a decimal number without white space or a plus sign, or inf, infinity, nan. Does not accept the other forms of
/// strtod.
template <class Float>
requires(is_same_v<Float, double> || is_same_v<Float, float>) from_chars_result
    from_chars(const char* first, const char* last, Float& value) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const char* at = first != last && *first == '-' ? first + 1 : first;
    const bool is_number = at != last && (is_digit(*at) || (*at == '.' && at + 1 != last && is_digit(at[1])));
    const bool is_word = at != last && (*at == 'i' || *at == 'I' || *at == 'n' || *at == 'N');
    if (!is_number && !is_word) return {first, errc::invalid_argument};
    string text(first, last);
    // strtod also reads hexadecimal numbers.
    const size_t begin = static_cast<size_t>(at - first);
    if (is_number && text.size() > begin + 1 && text[begin] == '0' && (text[begin + 1] | 32) == 'x')
        text.resize(begin + 1);
    char* end = nullptr;
    Float read;
    if constexpr (is_same_v<Float, float>)
        read = strtof(text.c_str(), &end);
    else
        read = strtod(text.c_str(), &end);
    if (end == text.c_str()) return {first, errc::invalid_argument};
    const char* const reached = first + (end - text.c_str());
    const string_view used(text.c_str(), static_cast<size_t>(end - text.c_str()));
    const bool is_zero_of_digits = read == 0 && used.find_first_of("123456789") < used.find_first_of("eE");
    if (is_number && (isinf(read) || is_zero_of_digits)) return {reached, errc::result_out_of_range};
    value = read;
    return {reached, errc()};
}

}  // namespace std

#endif
