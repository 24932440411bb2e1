// Numbers and names as the files of a report write them.
#pragma once

#include <string>
#include <string_view>

namespace farfield::report {

/// 17 significant digits, trailing zeros dropped; "inf", "-inf", "nan" for what is not finite.
std::string exact_number(double value);

/// `digits` significant digits for a reader's eye; "inf", "-inf", "nan" for what is not finite.
std::string short_number(double value, int digits = 6);

/// A name as a file's name without its ending: letters, digits, and "_.,=+-[]()" stay, except a dot in front; every
/// other byte becomes %XX, so that different names stay different.
std::string file_stem(std::string_view name);

/// A path as a relative link: reserved bytes as %XX, slashes kept.
std::string url(std::string_view path);

/// Text inside HTML or XML, also between double or single quotes. Bytes that XML forbids become U+FFFD.
std::string escaped(std::string_view text);

/// The text with every byte that is not part of valid UTF-8, and every control character but tab and newline, replaced
/// by U+FFFD.
std::string valid_text(std::string_view text);

}  // namespace farfield::report
