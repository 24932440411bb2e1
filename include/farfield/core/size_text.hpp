// Sizes in memory and of files, for people.
#pragma once

#include <string>

namespace farfield::core {

/// "3.1 GiB", "2 GiB", "12 MiB": GiB from 1 GiB on with one decimal at most, MiB below, rounded.
std::string size_text(double bytes);

}  // namespace farfield::core
