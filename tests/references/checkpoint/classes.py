"""Ranges of Unicode's letters and numbers, of src/checkpoint/classes.inc: python3 classes.py > classes.inc

From Python's unicodedata; Python 3.12 has Unicode 15.0.
"""
import sys
import unicodedata


def ranges(initial):
    found = []
    for code in range(sys.maxunicode + 1):
        if not unicodedata.category(chr(code)).startswith(initial):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def table(name, initial):
    print(f"// clang-format off\nconstexpr CodeRange {name}[] = {{")
    line = ""
    for first, last in ranges(initial):
        item = f"{{{first:#x}, {last:#x}}}, "
        if len(line) + len(item) > 118:
            print(line.rstrip())
            line = ""
        line += item
    print(line.rstrip() + "\n};\n// clang-format on")


print(f"// Unicode {unicodedata.unidata_version}, written by tests/references/checkpoint/classes.py.")
table("letters", "L")
table("numbers", "N")
