// The built-in schemes' files as they were when the library was built.
#pragma once

#include <span>
#include <string_view>

namespace farfield::scheme {

struct CatalogueFile {
    std::string_view name;
    std::string_view text;
};

/// Defined in a source that catalogue/embed.py writes from the TOML files.
std::span<const CatalogueFile> catalogue_files();

}  // namespace farfield::scheme
