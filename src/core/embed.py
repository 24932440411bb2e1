"""Embeds text files in a C++ source: embed.py OUTPUT NAMESPACE::FUNCTION FILE...

The source defines std::span<const farfield::core::DataFile> NAMESPACE::FUNCTION().
"""
import pathlib
import sys

# Compilers need not accept a literal of more than 65536 characters, so texts are split.
PIECE = 8000

SOURCE = """#include <array>
#include <span>

#include "core/data_file.hpp"

namespace {space} {{

std::span<const farfield::core::DataFile> {function}() {{
    static constexpr std::array files = {{
{rows}    }};
    return files;
}}

}}  // namespace {space}
"""


def row(path):
    text = path.read_text()
    pieces = [text[start:start + PIECE] for start in range(0, len(text), PIECE)] or [""]
    literals = "\n    ".join(f'R"file({piece})file"' for piece in pieces)
    return f'    farfield::core::DataFile{{"{path.name}",\n    {literals}}},\n'


def main():
    output, name, files = pathlib.Path(sys.argv[1]), sys.argv[2], [pathlib.Path(each) for each in sys.argv[3:]]
    space, function = name.rsplit("::", 1)
    output.write_text(SOURCE.format(space=space, function=function, rows="".join(map(row, files))))


if __name__ == "__main__":
    main()
