"""Runs the studies again and compares verdicts and numbers with the results on record.

Usage: compare.py FARFIELD STUDIES RESULTS [OPTION of run ...]

A number may differ from the one on record by one part in 10^9. Sums are computed in a fixed order, so only the
mathematical library of another processor can change digits, and only far behind the ninth. A position of an extreme
value (argmin, argmax) must be the same. If neighbours tie within that tolerance, it must be in the enclosure on record.
Cells of tables, the `printed` numbers, verdicts, and certificates of claims and of each reading must be the same.
Results that need trained models come from a run with --train and are not compared here. Times, explanations and the
manifest are not compared. With `--device cuda` the numbers are computed on a device; the test is skipped without one.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = 1e-9  # of every number, for the reason above
POSITIONS = {"argmin", "argmax"}
# Kinds that need trained models or checkpoints, which are not trained or read here.
MEASURED = {"perplexity", "gradient-field", "attention-resolution", "timing", "learned", "loss-by-position", "attention-sink",
            "attention-by-distance", "frequency-use", "retrieval"}
SKIPPED = 77  # meson's status of a skipped test
READERS = {"ttest", "correlation"}  # may read quantities of MEASURED, and then need trained models too


def value_agrees(field, new, old):
    if field in POSITIONS and field in old.get("enclosures", {}):
        low, high = old["enclosures"][field]
        if isinstance(new["values"][field], (int, float)) and low <= new["values"][field] <= high:
            return True
    return numbers_agree(new["values"][field], old["values"][field])


def numbers_agree(now, then):
    if isinstance(now, str) or isinstance(then, str) or now is None or then is None:
        return now == then
    return math.isclose(now, then, rel_tol=TOLERANCE, abs_tol=1e-300)


def verdicts_of_readings(claim):
    return [(reading["name"], reading["verdict"], reading["certified"]) for reading in claim["readings"]]


def waits(name, then):
    """Whether a quantity on record needs trained models, itself or through the quantities that it may read."""
    kind = then["quantities"].get(name, {}).get("kind")
    is_measured = any(each["kind"] in MEASURED for each in then["quantities"].values())
    return kind in MEASURED or (kind in READERS and is_measured)


def differences(now, then):
    """The differences of two results.json, one per line."""
    found = []
    for name in sorted(set(now["quantities"]) | set(then["quantities"])):
        if name not in now["quantities"] and waits(name, then):
            continue
        if name not in now["quantities"] or name not in then["quantities"]:
            found.append(f"quantity {name} is only in one of the results")
            continue
        new, old = now["quantities"][name], then["quantities"][name]
        if new["values"].keys() != old["values"].keys():
            found.append(f"quantity {name} has different fields: {sorted(new['values'])}, on record {sorted(old['values'])}")
            continue
        found += [f"{name}.{field} is {new['values'][field]}, on record {old['values'][field]}"
                  for field in new["values"] if not value_agrees(field, new, old)]
        found += [f"{name}'s {part} differs" for part in ("kind", "table", "printed", "rigour", "columns", "rows")
                  if new.get(part) != old.get(part)]
    new_claims = {claim["id"]: claim for claim in now["claims"]}
    old_claims = {claim["id"]: claim for claim in then["claims"]}
    for identity in sorted(set(new_claims) | set(old_claims)):
        new, old = new_claims.get(identity), old_claims.get(identity)
        if not new or not old:
            found.append(f"claim {identity} is only in one of the results")
        elif new["verdict"] == "skipped":
            continue
        elif (new["verdict"], new["certified"]) != (old["verdict"], old["certified"]):
            found.append(f"claim {identity} is {new['verdict']}, certified {new['certified']}; "
                         f"on record {old['verdict']}, certified {old['certified']}")
        elif verdicts_of_readings(new) != verdicts_of_readings(old):
            found.append(f"claim {identity} has readings {verdicts_of_readings(new)}; on record {verdicts_of_readings(old)}")
    return found


def main():
    program, studies, record, options = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, "run", studies, "-o", folder, "--no-figures", "--fresh", *options], capture_output=True, text=True)
        if run.returncode == 3 and run.stderr.startswith("--device cuda: "):
            print(f"skipped, no device: {run.stderr}")
            return SKIPPED
        if run.returncode != 0:
            print(run.stderr[-4000:])
            return f"farfield run ended with {run.returncode}"
        fresh = {path.parent.relative_to(folder).as_posix(): path for path in pathlib.Path(folder).rglob("results.json")}
        kept = {path.parent.relative_to(record).as_posix(): path for path in record.rglob("results.json")}
        bad = sorted(f"study {name} is only in one of the results" for name in fresh.keys() ^ kept.keys())
        for name in sorted(fresh.keys() & kept.keys()):
            now, then = json.loads(fresh[name].read_text()), json.loads(kept[name].read_text())
            bad += [f"{name}: {line}" for line in differences(now, then)]
    if bad:
        return "\n".join(bad)
    if not kept:
        return "no results on record"
    print(f"{len(kept)} studies agree with the record")
    return 0


if __name__ == "__main__":
    sys.exit(main())
