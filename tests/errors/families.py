"""`farfield explain MESSAGE` recognizes 24 of 25 messages of the gallery. Each message family occurs in the gallery
or has a reason below.

Usage: families.py FARFIELD CASES...
"""
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import gallery

LEAST_SHARE = 0.96
# Families whose messages need a computer without some device or program, which the gallery cannot imitate.
WITHOUT_CASE = {"missing-gnuplot", "missing-verdict", "needs-training"}


def family_of(program, message, place):
    done = subprocess.run([program, "explain", "--", message], cwd=place, text=True, capture_output=True)
    return done.stdout.split("\n", 1)[0] if done.returncode == 0 else ""


def main():
    program, *paths = sys.argv[1:]
    messages = sorted({case.stderr.split("\n", 1)[0] for path in paths for case in gallery.read_cases(pathlib.Path(path))} - {""})
    source = pathlib.Path(__file__).parents[2] / "src/cli/error_families.cpp"
    known = set(re.findall(r'^    \{"([a-z-]+)",$', source.read_text(), re.M))
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda message: family_of(program, message, place), messages))
        unknown = family_of(program, "all is well with this study", place)
    counts = collections.Counter(found)
    share = 1 - counts[""] / len(messages)
    problems = [f"no message of the gallery belongs to the family {each}" for each in sorted(known - set(counts) - WITHOUT_CASE)]
    if share < LEAST_SHARE:
        problems += [f"not explained: {message}" for message, family in zip(messages, found) if not family]
    if unknown or not known:
        problems.append(f"a text that is not a message is explained as {unknown}")
    print("\n".join(problems))
    print(f"{len(messages)} messages, {share:.0%} explained by {len(known)} families, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
