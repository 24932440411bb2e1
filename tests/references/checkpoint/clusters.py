"""Writes src/checkpoint/clusters.inc: ranges of the characters that form grapheme clusters.

python3 clusters.py > clusters.inc

Uses the PyPI package `regex`, by the property Grapheme_Cluster_Break of Unicode Standard Annex 29.
"""
import regex

from classes import table

print(f"// By `regex` {regex.__version__}, written by tests/references/checkpoint/clusters.py.")
for name, values in (("joining", ("Extend", "ZWJ", "SpacingMark")), ("preceding", ("Prepend",)), ("separate", ("Control", "CR", "LF"))):
    table(name, regex.compile("[" + "".join(rf"\p{{Grapheme_Cluster_Break={value}}}" for value in values) + "]").match)
