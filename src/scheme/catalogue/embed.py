"""Writes the catalogue's TOML files into a C++ source: embed.py OUTPUT FILE..."""
import pathlib
import sys

# Compilers need not take a literal of more than 65536 characters.
PIECE = 8000

HEAD = """#include "scheme/catalogue.hpp"

#include <array>

namespace farfield::scheme {
namespace {

"""


def literals(text):
    pieces = [text[start:start + PIECE] for start in range(0, len(text), PIECE)] or [""]
    return "\n    ".join(f'R"catalogue({piece})catalogue"' for piece in pieces)


def main():
    output, files = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    rows = [f'    CatalogueFile{{"{path.name}",\n    {literals(path.read_text())}}},\n' for path in files]
    output.write_text(HEAD + "constexpr std::array files = {\n" + "".join(rows) + "};\n\n}  // namespace\n\n"
                      "std::span<const CatalogueFile> catalogue_files() { return files; }\n\n"
                      "}  // namespace farfield::scheme\n")


if __name__ == "__main__":
    main()
