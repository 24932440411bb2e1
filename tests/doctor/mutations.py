"""Breaks one key of a public configuration at a time: mutations.py PROGRAM SOURCE [COUNT]

A mutation drops a key that affects positions, renames it, writes it twice, or gives it a value of a wrong type. Every
mutation that changes the result or makes the configuration invalid must be found: by exit status 2, or by a finding
that the original configuration lacks. The numbers decide whether a mutation changes the result, not the findings. No
original configuration has a warning.
"""
import json
import pathlib
import random
import subprocess
import sys

NUMBERS = ("scheme", "inv_freq", "attention_factor", "trained", "window", "layers", "rotated", "params")
OTHER = ("_facts", "transformers_version", "torch_dtype", "dtype", "num_key_value_heads", "use_logn_attn", "v_head_dim")
WRONG = {str: 7, int: "many", float: "many", bool: "no", list: "none", dict: [1]}


def diagnose(program, text):
    done = subprocess.run([program, "doctor", "-", "--json"], input=text, capture_output=True, text=True)
    assert done.returncode in (0, 1, 2), f"status {done.returncode}: {done.stderr}"
    return None if done.returncode == 2 else json.loads(done.stdout)


def numbers(diagnosis):
    parts = diagnosis.get("layer_types", {"": diagnosis})
    return {name: {key: part.get(key) for key in NUMBERS} for name, part in parts.items()}


def findings(diagnosis):
    return {(each["id"], each["key"], each["severity"]) for each in diagnosis["findings"]}


def paths_of(configuration):
    for key, value in configuration.items():
        if key in OTHER:
            continue
        yield (key,)
        if isinstance(value, dict):
            for inner in value:
                yield key, inner


def mutate(configuration, path, how):
    """The text of the mutated configuration, or None if the mutation does not apply."""
    copy = json.loads(json.dumps(configuration))
    part = copy if len(path) == 1 else copy[path[0]]
    key = path[-1]
    value = part[key]
    if how == "drop":
        del part[key]
    elif how == "rename":
        spot = max(1, len(key) // 2)
        renamed = key[:spot - 1] + key[spot] + key[spot - 1] + key[spot + 1:] if len(key) > 3 else key + "x"
        if renamed == key:
            renamed = key + "s"
        items = [(renamed if name == key else name, kept) for name, kept in part.items()]
        part.clear()
        part.update(items)
    elif how == "type":
        if value is None:
            return None
        part[key] = WRONG[type(value)]
    else:
        text = json.dumps(copy)
        spelled = f"{json.dumps(key)}: {json.dumps(value)}"
        return text.replace(spelled, f"{spelled}, {spelled}", 1)
    return json.dumps(copy)


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    problems, cases, clean = [], [], {}
    for path in sorted((source / "studies/configurations").glob("*.json")):
        configuration = json.loads(path.read_text())
        clean[path.stem] = diagnose(program, json.dumps(configuration))
        for finding in clean[path.stem]["findings"]:
            if finding["severity"] != "note":
                problems.append(f"{path.stem} is clean, but: {finding['message']}")
        cases += [(path.stem, configuration, place, how) for place in paths_of(configuration)
                  for how in ("drop", "rename", "double", "type")]
    changed = 0
    for name, configuration, place, how in random.Random(22).sample(cases, min(count, len(cases))):
        text = mutate(configuration, place, how)
        if text is None:
            continue
        found = diagnose(program, text)
        if found is None:
            changed += 1
            continue
        if numbers(found) == numbers(clean[name]):
            continue
        changed += 1
        if not findings(found) - findings(clean[name]):
            problems.append(f"{name}: {how} of {'/'.join(place)} changes what is computed and is not found")
    print("\n".join(problems))
    print(f"{len(clean)} clean configurations, {changed} mutations that change something")
    return 1 if problems or len(clean) < 40 or changed < count // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
