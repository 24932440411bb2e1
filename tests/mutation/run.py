"""Changes one token of a room's sources at a time and sees whether the room's own tests notice.

Each change is made in a scratch copy of the tree with a build of its own. It is noticed when the room's test program
fails or runs too long; one that does not compile says nothing and is counted apart. A change that alters nothing is
listed in equivalent.toml, by the whole line before and after it, with the reason. The status is 1 when a room's tests
notice less than its limit, 2 when they do not build and pass without any change.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import queue
import random
import re
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = pathlib.Path(__file__).with_name("equivalent.toml")
LIMITS = dict.fromkeys(["formula", "numerics", "evaluate", "quantity", "claim", "scheme", "model"], 0.95)
USUAL_LIMIT = 0.90
FLAGS = ["--buildtype=debugoptimized", "-Ddebug=false", "-Doptimization=1"]
NOTICED = ("failed", "timeout")

# What is never changed: comments, strings, characters, lines of the preprocessor, assertions at compile time.
HIDDEN = re.compile(
    r'''//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.[^'\n]*|[^'\\\n])'
        |^[ ]*\#(?:[^\n\\]|\\.)*|\bstatic_assert\s*\([^;]*;''', re.DOTALL | re.MULTILINE | re.VERBOSE)
# clang-format sets spaces around operators, and none around the brackets of templates or the marks of references.
SWAPS = {"==": ["!="], "!=": ["=="], "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
         "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "+=": ["-="], "-=": ["+="],
         "*=": ["/="], "/=": ["*="]}
OPERATOR = re.compile(r"(?<=\s)(?:" + "|".join(re.escape(each) for each in sorted(SWAPS, key=len, reverse=True)) +
                      r")(?=\s)")
WORD = {"true": "false", "false": "true", "std::min": "std::max", "std::max": "std::min"}
WORDS = re.compile(r"\b(?:true|false|std::min|std::max)\b")
NUMBER = re.compile(r"(?<![\w.'])\d+(?:\.\d+)?(?![\w.'])")
RETURN = re.compile(r"(?<=\breturn )[^;{}\n]+(?=;)")


@dataclasses.dataclass(frozen=True)
class Change:
    file: str
    begin: int
    end: int
    text: str  # what replaces [begin, end)


def changes_of(file, source):
    """Every change of one token, in the order of the file."""
    seen = HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)
    found = [(match, text) for match in OPERATOR.finditer(seen) for text in SWAPS[match.group()]]
    found += [(match, WORD[match.group()]) for match in WORDS.finditer(seen)]
    for match in NUMBER.finditer(seen):
        whole, point, rest = match.group().partition(".")
        found += [(match, str(int(whole) + 1) + point + rest)]
        found += [(match, str(int(whole) - 1) + point + rest)] if int(whole) > 0 else []
    found += [(match, f"!({source[match.start():match.end()]})") for match in RETURN.finditer(seen)]
    return sorted((Change(file, match.start(), match.end(), text) for match, text in found), key=lambda c: c.begin)


def changes_in(room):
    files = sorted(path for path in (ROOT / "src" / room).rglob("*") if path.suffix in (".cpp", ".hpp"))
    return [change for path in files for change in changes_of(str(path.relative_to(ROOT)), path.read_text())]


def give_up(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def quiet(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)


class Scratch:
    """A copy of the tracked files with a build of its own."""

    def __init__(self, folder):
        self.tree, self.build = folder / "tree", folder / "build"
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                               stdout=subprocess.PIPE).stdout.decode().split("\0")
        for name in filter(None, names):
            source, target = ROOT / name, self.tree / name
            if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read_bytes())
                target.chmod(source.stat().st_mode)
        self.env = os.environ | {"CCACHE_BASEDIR": str(self.tree), "CCACHE_NOHASHDIR": "1"}
        if not (self.build / "build.ninja").exists():
            quiet(["meson", "setup", str(self.build), *FLAGS], cwd=self.tree, env=self.env, check=True)

    def compile(self, room, jobs):
        targets = [f"tests/test_{room}"] + (["src/cli/farfield"] if room == "cli" else [])
        return quiet(["ninja", "-C", str(self.build), f"-j{jobs}", *targets], env=self.env).returncode == 0

    def test(self, room, limit):
        """passed, failed or timeout, and the seconds taken."""
        start = time.monotonic()
        try:
            status = quiet([self.build / "tests" / f"test_{room}", "--abort"], cwd=self.build, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            return "timeout", limit
        return "failed" if status else "passed", time.monotonic() - start

    def outcome(self, room, change, limit):
        path = self.tree / change.file
        source = path.read_text()
        path.write_text(source[:change.begin] + change.text + source[change.end:])
        try:
            if not self.compile(room, 1):
                return "no build"
            found, _ = self.test(room, limit)
            return "survived" if found == "passed" else found
        finally:
            path.write_text(source)


def told(change, outcome, equivalents):
    """The record of a change."""
    source = (ROOT / change.file).read_text()
    begin, end = source.rfind("\n", 0, change.begin) + 1, (source + "\n").index("\n", change.end)
    record = {"file": change.file, "line": source.count("\n", 0, change.begin) + 1,
              "before": source[begin:end].strip(),
              "after": (source[begin:change.begin] + change.text + source[change.end:end]).strip(), "outcome": outcome}
    if outcome == "survived" and any(all(record[key] == each[key] for key in ("file", "before", "after"))
                                     for each in equivalents):
        record["outcome"] = "equivalent"
    return record


def try_room(room, options, scratches, equivalents):
    """Tries so many changes of the room; their records."""
    free = queue.SimpleQueue()
    for scratch in scratches:
        if not scratch.compile(room, options.jobs):
            give_up(f"{room}: the tests do not build without any change")
        free.put(scratch)
    found, seconds = scratches[0].test(room, None)
    if found != "passed":
        give_up(f"{room}: the tests fail without any change")
    every = changes_in(room)
    chosen = random.Random(f"{options.seed} {room}").sample(every, min(options.count, len(every)))

    def run(change):
        scratch = free.get()
        try:
            record = told(change, scratch.outcome(room, change, 30 + 5 * seconds), equivalents)
        finally:
            free.put(scratch)
        if record["outcome"] == "survived":
            print(f"{record['file']}:{record['line']}: survived", f"  - {record['before']}", f"  + {record['after']}",
                  sep="\n", flush=True)
        return record

    with concurrent.futures.ThreadPoolExecutor(len(scratches)) as pool:
        return list(pool.map(run, chosen))


def tell_share(room, records):
    """Prints what was noticed; whether that is enough."""
    count = {name: sum(record["outcome"] == name for record in records)
             for name in (*NOTICED, "survived", "equivalent", "no build")}
    noticed = sum(count[name] for name in NOTICED)
    counted = noticed + count["survived"]
    share, limit = noticed / counted if counted else 0, LIMITS.get(room, USUAL_LIMIT)
    print(f"{room}: {noticed} of {counted} noticed, {100 * share:.1f} % (limit {100 * limit:.0f} %); "
          f"{count['timeout']} by time, {count['equivalent']} equivalent, {count['no build']} do not build", flush=True)
    return share >= limit


def main():
    known = sorted(path.name for path in (ROOT / "src").iterdir() if (ROOT / "tests" / path.name).is_dir())
    parser = argparse.ArgumentParser(description="Mutation tests of the rooms.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="all rooms when none is named")
    parser.add_argument("--count", type=int, default=300, help="changes of each room (300)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the changes (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="changes tried at once, each in its own copy")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build-mutation",
                        help="for the copies, and the record mutations.json (build-mutation)")
    options = parser.parse_args()
    if unknown := set(options.rooms) - set(known):
        parser.error(f"no room is named {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    equivalents = tomllib.loads(EQUIVALENT.read_text()).get("equivalent", [])
    scratches = [Scratch(options.build_dir.resolve() / str(job)) for job in range(options.jobs)]
    records, is_enough = {}, True
    for room in options.rooms or known:
        records[room] = try_room(room, options, scratches, equivalents)
        (options.build_dir / "mutations.json").write_text(json.dumps(records, indent=1) + "\n")
        is_enough = tell_share(room, records[room]) and is_enough
    return 0 if is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
