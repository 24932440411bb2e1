"""Runs the studies again and compares verdicts and numbers with the results on record.

Usage: compare.py FARFIELD STUDIES RESULTS

A number may differ from the one on record by one part in 10^9, or lie in the other's enclosure: sums are made in a fixed
order, so only the mathematical library of another processor can change a digit, and that far behind the ninth. Text, counts,
verdicts and certificates must be the same. Times and the manifest are not compared.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

TOLERANCE = 1e-9


def numbers_agree(now, then):
    if isinstance(now, str) or isinstance(then, str) or now is None or then is None:
        return now == then
    return math.isclose(now, then, rel_tol=TOLERANCE, abs_tol=1e-300)


def differences(now, then):
    """What differs between two results.json, a line each."""
    found = []
    for name in sorted(set(now["quantities"]) | set(then["quantities"])):
        if name not in now["quantities"] or name not in then["quantities"]:
            found.append(f"quantity {name} is only in one of them")
            continue
        new, old = now["quantities"][name]["values"], then["quantities"][name]["values"]
        if new.keys() != old.keys():
            found.append(f"quantity {name} has other fields: {sorted(new)} against {sorted(old)}")
            continue
        found += [f"{name}.{field} is {new[field]}, on record {old[field]}"
                  for field in new if not numbers_agree(new[field], old[field])]
    new_claims = {claim["id"]: claim for claim in now["claims"]}
    old_claims = {claim["id"]: claim for claim in then["claims"]}
    for identity in sorted(set(new_claims) | set(old_claims)):
        new, old = new_claims.get(identity), old_claims.get(identity)
        if not new or not old:
            found.append(f"claim {identity} is only in one of them")
        elif (new["verdict"], new["certified"]) != (old["verdict"], old["certified"]):
            found.append(f"claim {identity} is {new['verdict']}, certified {new['certified']}; "
                         f"on record {old['verdict']}, certified {old['certified']}")
    return found


def main():
    program, studies, record = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, "run", studies, "-o", folder, "--no-figures", "--fresh"], capture_output=True, text=True)
        if run.returncode != 0:
            print(run.stderr[-4000:])
            return f"farfield run ended with {run.returncode}"
        fresh = {path.parent.relative_to(folder).as_posix(): path for path in pathlib.Path(folder).rglob("results.json")}
        kept = {path.parent.relative_to(record).as_posix(): path for path in record.rglob("results.json")}
        bad = sorted(f"study {name} is only in one of them" for name in fresh.keys() ^ kept.keys())
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
