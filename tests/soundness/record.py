"""Asks the fuzzer of certified answers a given number of questions and records the outcomes.

python3 tests/soundness/record.py build/tests/soundness/soundness_claims --claims 1000000 --jobs 2 -o results/soundness/claims.json

Runs parts of 10,000 questions, each with its own seed, so that each part can be repeated alone. The file is written
after each part. Ends with status 1 if an answer was wrong, and prints a study that shows it.
"""

import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import time

PART = 10_000
COLUMNS = ["asked", "refused", "undecided", "certified", "wrong", "suspect"]


def ask(program, seed, count):
    command = [program, "--seconds", "1000000", "--count", str(count), "--seed", str(seed)]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    kinds = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == len(COLUMNS) + 2 and words[1].isdigit():
            kinds[words[0]] = dict(zip(COLUMNS, map(int, words[1:])))
    if "all" not in kinds or done.returncode:
        print(done.stdout, done.stderr, sep="\n", flush=True)
    return seed, kinds, time.monotonic() - started, done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--claims", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1, help="of the first part; the next ones follow")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("results/soundness/claims.json"))
    options = parser.parse_args()
    counts = [min(PART, options.claims - first) for first in range(0, options.claims, PART)]
    record = {"command": f"soundness_claims --count {PART} --seed SEED", "seeds": [], "seconds": 0, "kinds": {}}
    status = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = [pool.submit(ask, options.program, options.seed + i, count) for i, count in enumerate(counts)]
        for part in concurrent.futures.as_completed(parts):
            seed, kinds, seconds, returned = part.result()
            status = status or returned
            record["seeds"] = sorted(record["seeds"] + [seed])
            record["seconds"] = round(record["seconds"] + seconds)
            for kind, counted in kinds.items():
                total = record["kinds"].setdefault(kind, dict.fromkeys(COLUMNS, 0))
                for column in COLUMNS:
                    total[column] += counted[column]
            record["kinds"] = dict(sorted(record["kinds"].items()))
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(json.dumps(record, indent=1) + "\n")
            print(f"seed {seed}: {kinds.get('all', {})}, {seconds:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
