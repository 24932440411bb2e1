"""Writes src/checkpoint/classes.inc: ranges of Unicode's letters, numbers, marks, and characters that normalization
form C may change.

python3 classes.py > classes.inc

Uses Python's unicodedata; Python 3.12 has Unicode 15.0.
"""
import sys
import unicodedata


def ranges(belongs):
    found = []
    for code in range(sys.maxunicode + 1):
        if not belongs(chr(code)):
            continue
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def of_category(initial):
    return lambda character: unicodedata.category(character).startswith(initial)


def seconds():
    """Characters that may compose with the preceding one: NFC_QC is Maybe (Unicode Standard Annex 15)."""
    found = set(map(chr, [*range(0x1161, 0x1176), *range(0x11a8, 0x11c3)]))  # vowels and final consonants of Hangul
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and unicodedata.normalize("NFC", chr(code)) == chr(code) and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return found


def table(name, belongs):
    print(f"// clang-format off\nconstexpr CodeRange {name}[] = {{")
    line = ""
    for first, last in ranges(belongs):
        item = f"{{{first:#x}, {last:#x}}}, "
        if len(line) + len(item) > 118:
            print(line.rstrip())
            line = ""
        line += item
    print(line.rstrip() + "\n};\n// clang-format on")


def main():
    second = seconds()
    print(f"// Unicode {unicodedata.unidata_version}, written by tests/references/checkpoint/classes.py.")
    table("letters", of_category("L"))
    table("numbers", of_category("N"))
    table("marks", unicodedata.combining)
    table("recomposed", lambda character: character in second or unicodedata.normalize("NFC", character) != character)


if __name__ == "__main__":
    main()
