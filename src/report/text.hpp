// Numbers and names in the format of report files.
#pragma once

#include <string>
#include <string_view>

namespace farfield::report {

/// 17 significant digits without trailing zeros; "inf", "-inf", "nan" for numbers that are not finite.
std::string exact_number(double value);

/// `digits` significant digits for readers; "inf", "-inf", "nan" for numbers that are not finite.
std::string short_number(double value, int digits = 6);

/// A name as a file name without its ending: letters, digits and "_.,=+-[]()" are kept, except a leading dot. Every
/// other byte becomes %XX, so that different names stay different.
std::string file_stem(std::string_view name);

/// A path as a relative link: reserved bytes as %XX, slashes kept.
std::string url(std::string_view path);

/// A name as the id of an element, which is also the fragment of links to it: other characters than letters, digits and
/// "-_./" become "~" and their code, since browsers decode a "%" in some places and not in others.
std::string fragment(std::string_view name);

/// Text escaped for HTML or XML, also between double or single quotes. Bytes that XML forbids become U+FFFD.
std::string escaped(std::string_view text);

/// The text with every byte that is not part of valid UTF-8, and every control character except tab and newline,
/// replaced by U+FFFD.
std::string valid_text(std::string_view text);

}  // namespace farfield::report
