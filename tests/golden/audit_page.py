"""The table of papers in docs/audit.md counts the verdicts of results/: audit_page.py ROOT [--write]. --write updates
the counts."""
import collections
import json
import pathlib
import re
import sys

# The folder of each row's studies, by the row's link.
FOLDERS = {
    "Chi et al. 2023": "chi-2023", "Sun et al. 2023": "sun-2023", "the note on ALiBi": "alibi-receptive-field",
    "ALiBi": "press-2022", "RoFormer": "su-2021", "Position Interpolation": "chen-2023", "YaRN": "peng-2023",
    "adjusted base frequency": "xiong-2023", "LongRoPE": "ding-2024", "Round and round we go": "barbero-2024",
    "Base of RoPE": "men-2024", "STRING": "an-2024", "DroPE": "gelberg-2025", "position bias in masks": "wu-2025",
}
ROW = re.compile(r"^\| (\[([^]]+)\]\([^)]+\)) \|(?: \d+ \|){6}$", re.MULTILINE)


def counted(root, match):
    verdicts, certified = collections.Counter(), 0
    for path in (root / "results" / FOLDERS[match.group(2)]).rglob("results.json"):
        for claim in json.loads(path.read_text())["claims"]:
            verdicts[claim["verdict"]] += 1
            certified += claim["certified"]
    named = [verdicts[name] for name in ("confirmed", "refuted", "depends")]
    numbers = [verdicts.total(), certified, *named, verdicts.total() - sum(named)]
    return f"| {match.group(1)} |" + "".join(f" {number} |" for number in numbers)


def main():
    root = pathlib.Path(sys.argv[1])
    page = root / "docs" / "audit.md"
    text = page.read_text()
    rows = list(ROW.finditer(text))
    if sorted(row.group(2) for row in rows) != sorted(FOLDERS):
        print(f"{page}: the papers of the table differ from those of tests/golden/audit_page.py")
        return 1
    if "--write" in sys.argv:
        page.write_text(ROW.sub(lambda row: counted(root, row), text))
        return 0
    wrong = [f"{page}: '{row.group()}' should be '{counted(root, row)}'" for row in rows if row.group() != counted(root, row)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
