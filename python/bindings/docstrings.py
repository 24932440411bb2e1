"""Writes the comments of the public headers as C++ strings, which the bindings use as docstrings.

    docstrings.py OUTPUT ROOT HEADER...

A `///` comment before a declaration, or a `///<` comment after it, becomes `doc::module_Name` or
`doc::module_Class_member`. A binding that refers to a missing comment does not compile.
"""
import pathlib
import re
import sys
import textwrap

NAMESPACE = re.compile(r"^namespace farfield(?:::(\w+))? \{")
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)[^;]*$")
FUNCTION = re.compile(r"(\w+)\(")
VARIABLE = re.compile(r"(\w+)\s*(?:=[^;]*|\{[^;]*\})?;")
ENUMERATOR = re.compile(r"^(\w+)(?:\s*=[^,]*)?,")

# The Python names of the error classes.
ERRORS = {"core::UserError": "InputError", "core::MissingError": "WorldError", "core::PreconditionError": "Error"}


def declared_name(line):
    """The name that the declaration on this line declares; None if the line is not a declaration."""
    line = re.sub(r"\[\[\w+\]\]\s*", "", line.strip())
    if match := TYPE.match(line):
        return match[1]
    before_default = line.split("=")[0]
    if match := FUNCTION.search(before_default):
        return match[1]
    match = VARIABLE.search(line) or ENUMERATOR.match(line)
    return match[1] if match else None


class Header:
    """The comments of one header by name."""

    def __init__(self, text):
        self.comments = {}
        self.room = None
        self.types = []  # (name, depth of its body)
        self.depth = 0
        self.comment = []
        for line in text.splitlines():
            self.read(line)

    def read(self, line):
        stripped = line.strip()
        if match := NAMESPACE.match(stripped):
            self.room, self.depth = match[1] or "farfield", 0
            return
        if stripped.startswith("///") and not stripped.startswith("///<"):
            self.comment.append(stripped[3:].removeprefix(" "))
            return
        code, _, behind = stripped.partition("///<")
        name = declared_name(code) if self.room else None
        if name:
            self.add(name, self.comment or ([behind.strip()] if behind else []))
        self.comment = []
        self.follow(code, name)

    def add(self, name, comment):
        if comment:
            key = "_".join([self.room, *(each for each, _ in self.types), name])
            self.comments.setdefault(key, []).append("\n".join(comment))

    def follow(self, code, name):
        opens = code.count("{") - code.count("}")
        if TYPE.match(code) and opens > 0:
            self.types.append((name, self.depth))
        self.depth += opens
        while self.types and self.depth <= self.types[-1][1]:
            self.types.pop()


def in_python(comment):
    for ours, theirs in ERRORS.items():
        comment = comment.replace(ours, theirs)
    return comment


def main():
    output, root, *headers = map(pathlib.Path, sys.argv[1:])
    comments = {}
    for header in headers:
        for name, texts in Header(header.read_text()).comments.items():
            comments.setdefault(name, []).extend(texts)
    lines = [
        f"// Written by python/bindings/docstrings.py from the headers under {headers[0].relative_to(root).parts[0]}/.",
        "#pragma once",
        "",
        "namespace farfield::python::doc {",
        "",
    ]
    for name, texts in sorted(comments.items()):
        text = in_python(textwrap.dedent("\n\n".join(texts)))
        lines.append(f'inline constexpr const char* {name} = R"doc({text})doc";')
    output.write_text("\n".join([*lines, "", "}  // namespace farfield::python::doc", ""]))


if __name__ == "__main__":
    main()
