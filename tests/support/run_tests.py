"""Runs the tests that meson registered and ends with the line `N passed, N failed`, which counts test cases.

Each test case of a Catch2 program counts; a script counts as one test case. A program that dies, hangs or prints no
count is a failed case. The status is 1 if a case failed or nothing ran, and 2 for an unknown test name.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SKIPPED = 77  # meson's status of a skipped script, for example without a device
ALL_PASSED = re.compile(r"^All tests passed \(.* in (\d+) test cases?\)$", re.MULTILINE)
SOME_FAILED = re.compile(r"^test cases: (.*)$", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    name: str
    passed: int
    failed: int
    seconds: float
    output: str


def count_catch_cases(output, status):
    """(passed, failed) of a Catch2 console report. A bad status without a failed case counts as a failure."""
    passed = failed = 0
    summary = ALL_PASSED.findall(output)
    if summary:
        passed = int(summary[-1])
    elif SOME_FAILED.search(output):
        parts = dict(reversed(part.strip().split(" ", 1)) for part in SOME_FAILED.findall(output)[-1].split("|")[1:])
        passed = int(parts.get("passed", 0)) + int(parts.get("failed as expected", 0))
        failed = int(parts.get("failed", 0))
    if failed == 0 and (status != 0 or passed == 0):
        failed = 1
    return passed, failed


def run(test, timeout_factor):
    is_catch = "catch" in test["suite_labels"]
    limit = test["timeout"] * timeout_factor if test["timeout"] > 0 else None
    start = time.monotonic()
    try:
        done = subprocess.run(test["cmd"], env=os.environ | test["env"], cwd=test["workdir"] or None, timeout=limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"") + f"\nstopped after {limit:.0f} s\n".encode(), 1
    except OSError as error:
        output, status = str(error).encode(), 1
    text = output.decode(errors="replace")
    if status < 0:
        text += f"\nended by signal {-status}\n"
    passed, failed = count_catch_cases(text, status) if is_catch else (int(status == 0), int(status != 0))
    if status == SKIPPED and not is_catch:
        passed = failed = 0
    return Outcome(test["name"], passed, failed, time.monotonic() - start, text)


def tell(outcome):
    total = outcome.passed + outcome.failed
    if total == 0:
        print(f"skip   {outcome.name}: {outcome.output.strip()}", flush=True)
        return
    word = "ok    " if outcome.failed == 0 else "FAILED"
    print(f"{word} {outcome.name}: {total} case{'s' if total != 1 else ''} in {outcome.seconds:.1f} s", flush=True)
    if outcome.failed:
        print(outcome.output.rstrip(), flush=True)


def listed_tests(build):
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text())
    for test in tests:
        test["suite_labels"] = [suite.split(":")[-1] for suite in test["suite"]]
    return tests


def main():
    parser = argparse.ArgumentParser(prog="./farfield test")
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help="modules or tests to run (default: all)")
    parser.add_argument("--suite", help="run only the tests of this suite: catch or script")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of tests that run at the same time")
    parser.add_argument("--timeout-factor", type=float, default=1.0, help="factor for the time limits of slow builds, such as those with sanitizers")
    options = parser.parse_args()

    tests = listed_tests(options.build)
    unknown = sorted(set(options.names) - {test["name"] for test in tests})
    if unknown:
        known = ", ".join(sorted(test["name"] for test in tests))
        print(f"unknown test {', '.join(unknown)}; known: {known}", file=sys.stderr)
        return 2
    chosen = [test for test in tests if (not options.names or test["name"] in options.names)
              and (not options.suite or options.suite in test["suite_labels"])]
    chosen.sort(key=lambda test: -test["priority"])  # long tests first, so that none of them runs alone at the end
    outcomes = []
    # Tests that must not run in parallel with others come last, one by one.
    for jobs, group in ((options.jobs, [t for t in chosen if t["is_parallel"]]),
                        (1, [t for t in chosen if not t["is_parallel"]])):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(run, t, options.timeout_factor) for t in group]):
                outcomes.append(done.result())
                tell(outcomes[-1])
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
