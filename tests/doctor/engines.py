"""Compares the answers of `farfield doctor --engine` with values that the engines' own code computed: engines.py
PROGRAM SOURCE

tests/references/doctor/engines.py wrote engines.json. Frequencies must agree up to rounding in fp32. An engine computes
the base to the power i/d in fp32. The error of the exponent is half a unit, so that of the power is ln(base) units, and
the following operations add some more. The tolerance is (ln(base) + 8) 2^-24, relative.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

UNIT = 2.0 ** -24


def answer_of(program, path, engine, *options):
    done = subprocess.run([program, "doctor", path, "--engine", engine, "--json", *options], capture_output=True, text=True)
    assert done.returncode in (0, 1), f"{path}: status {done.returncode}: {done.stderr}"
    return json.loads(done.stdout)["engines"][engine]


def problems_of(name, engine, found, expected):
    if found["refusal"]:
        yield f"{engine}, {name}: refused: {found['refusal']}"
        return
    for layer_type, wanted in expected.items():
        mine = found.get("layer_types", {}).get(layer_type, found)
        base = mine["params"].get("base", 10000)
        tolerance = (math.log(base) + 8) * UNIT
        if len(mine["inv_freq"]) != len(wanted["inv_freq"]):
            yield f"{engine}, {name} {layer_type}: {len(mine['inv_freq'])} frequencies, the engine has {len(wanted['inv_freq'])}"
            continue
        worst = max(abs(a - b) / abs(b) for a, b in zip(mine["inv_freq"], wanted["inv_freq"]))
        if worst > tolerance:
            yield f"{engine}, {name} {layer_type}: frequencies off by {worst:.3g}, {tolerance:.3g} allowed"
        if abs(mine["attention_factor"] - wanted["attention_factor"]) > 4 * UNIT * wanted["attention_factor"]:
            yield f"{engine}, {name} {layer_type}: attention factor {mine['attention_factor']}, the engine has {wanted['attention_factor']}"
        # Both are computed in double precision.
        if "softmax_factor" in wanted and abs(mine["softmax_factor"] / wanted["softmax_factor"] - 1) > 1e-14:
            yield f"{engine}, {name} {layer_type}: all logits multiplied by {mine['softmax_factor']}, the engine has {wanted['softmax_factor']}"


def problems_of_variants(program, source, facts):
    """Checks configurations with some keys replaced: values beyond the trained length, ignored keys, and refused
    configurations."""
    variants = json.loads((source / "tests/doctor/variants.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "config.json"
        for variant in variants:
            keys = json.loads((source / "studies/configurations" / f"{variant['of']}.json").read_text())
            path.write_text(json.dumps(keys | variant["set"]))
            served = ["--served", str(variant["served"])] if "served" in variant else []
            for engine, answers in facts.items():
                expected = answers.get("variants", {}).get(variant["name"])
                if expected is None:  # the engine lacks the model
                    continue
                found = answer_of(program, path, engine, *served)
                if not expected.get("refused"):
                    yield from problems_of(variant["name"], engine, found, expected)
                elif not found["refusal"]:
                    yield f"{engine}, {variant['name']}: not refused, the engine raises an error"


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    facts = json.loads((source / "tests/doctor/engines.json").read_text())
    problems, compared = [], 0
    for engine, answers in facts.items():
        for name, expected in answers["answers"].items():
            path = source / "studies/configurations" / f"{name}.json"
            problems += problems_of(name, engine, answer_of(program, path, engine), expected)
            compared += len(expected)
    problems += problems_of_variants(program, source, facts)
    print("\n".join(problems))
    print(f"{compared} answers of {len(facts)} engines compared")
    return 1 if problems or compared < 280 else 0


if __name__ == "__main__":
    sys.exit(main())
