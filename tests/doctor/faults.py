"""Reproduces each fault of src/doctor/reports.toml and expects its finding: faults.py PROGRAM SOURCE [--write]

A fault is a change of a public configuration, or a table that imitates a faulty engine, in Python's floats. The finding
must be new: the unchanged configuration does not have it with the same options, except --engine and --recipe. It must
cite the first report of this finding. The table of the page lists the same faults; --write writes it.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tables import npz

PAGE = "docs/doctor.md"
START, END = "<!-- faults -->\n", "<!-- end of faults -->\n"


def part_of(configuration, path):
    """The object that holds the last key of the path, and that key."""
    *objects, key = path.split("/")
    for name in objects:
        configuration = configuration[name]
    return configuration, key


def changed(configuration, fault):
    copy = json.loads(json.dumps(configuration))
    for path in fault.get("drop", []):
        part, key = part_of(copy, path)
        del part[key]
    for path, value in fault.get("set", {}).items():
        part, key = part_of(copy, path)
        part[key] = value
    return copy


def table_of(configuration, table):
    """The table of the faulty engine."""
    dims = table["dims"]
    scales = [table.get("factor", 1)] * (dims // 2)
    if "longrope" in table:
        scales = [1 / each for each in configuration["rope_scaling"][table["longrope"] + "_factor"]]
    base = table.get("base", configuration.get("rope_theta"))
    frequencies = [base ** (-2 * i / dims) * scale for i, scale in enumerate(scales)]
    if table["name"].endswith("inv_freq"):
        return frequencies
    cosine = [[table["attention"] * math.cos(p * f) for f in frequencies] for p in range(table["positions"])]
    return [row + row for row in cosine]


def findings_of(program, configuration, options):
    done = subprocess.run([program, "doctor", "-", "--json", *options], input=json.dumps(configuration), capture_output=True, text=True)
    assert done.returncode in (0, 1), f"status {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)["findings"]


def cited(listed, finding, model):
    """The report that the program must cite: the first one for the model type, otherwise the first one for any model
    type."""
    def is_of(each):
        key = each.get("key", "").split("/")[-1]
        return (each["finding"] == finding["id"] and each.get("model", model) == model and each.get("says", "") in finding["message"]
                and key in ("", finding["key"].split("/")[-1]))
    return next((each["report"] for each in listed if is_of(each)), None)


def problems_of(program, configuration, fault, folder, listed):
    options = list(fault.get("options", []))
    if "table" in fault:
        table = fault["table"]
        options += ["--against", str(npz(folder / "engine.npz", **{table["name"]: table_of(configuration, table)}))]

    def matching(findings):
        return [each for each in findings if each["id"] == fault["finding"] and each["key"] == fault.get("key", each["key"])]
    found = matching(findings_of(program, changed(configuration, fault), options))
    if not found:
        yield "not found"
        return
    if not any(fault.get("says", "") in each["message"] for each in found):
        yield f"found without its words: {found[0]['message']}"
    for each in found:
        if each.get("report") != cited(listed, each, fault["model"]):
            yield f"another report is cited: {each.get('report')}"
    clean = matching(findings_of(program, configuration, options[:2] if options[:1] == ["--served"] and "--engine" in options else []))
    if {each["message"] for each in clean} & {each["message"] for each in found}:
        yield f"the clean configuration has it too: {clean[0]['message']}"


def page_of(faults, names):
    rows = [f"| {each['configuration']} | {each['fault']} | `{each['finding']}` | {each['report']} |" for each in faults]
    clean = sorted(set(names) - {each["configuration"] for each in faults})
    return "\n".join(["| configuration | fault | finding | report |", "| --- | --- | --- | --- |", *rows, "",
                      f"The other {len(clean)} configurations are clean: {', '.join(clean)}.", ""])


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    names = [path.stem for path in (source / "studies/configurations").glob("*.json")]
    listed = tomllib.loads((source / "src/doctor/reports.toml").read_text())["report"]
    faults = [each for each in listed if "configuration" in each]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for fault in faults:
            configuration = json.loads((source / "studies/configurations" / f"{fault['configuration']}.json").read_text())
            problems += [f"{fault['configuration']}, {fault['report']}: {each}"
                         for each in problems_of(program, configuration, fault, pathlib.Path(folder), listed)]
    page = source / PAGE
    before, rest = page.read_text().split(START)
    written, after = rest.split(END)
    if "--write" in sys.argv:
        page.write_text(before + START + page_of(faults, names) + END + after)
    elif written != page_of(faults, names):
        problems.append(f"{PAGE} has another table; write it by tests/doctor/faults.py PROGRAM SOURCE --write")
    print("\n".join(problems))
    print(f"{len(faults)} faults of {len({each['configuration'] for each in faults})} configurations")
    return 1 if problems or len(faults) < 25 else 0


if __name__ == "__main__":
    sys.exit(main())
