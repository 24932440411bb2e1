"""Changes one token of a module's sources at a time and checks whether the module's own tests notice.

Changes are drawn from all sources of the module. One program contains as many changes as possible, and an environment
variable selects the active one (switch.py). A module's tests are the cases of its Catch2 program, and the scripts of
its folder that run farfield. The tests of the command line are partly in the folders of what the commands do
(SCRIPTS_OF_OTHERS). A first run of each test case records which changes it reaches. A change is then tried with the
test cases that reach it, up to the first one that fails twice (a test of time limits may fail once under load). The
first test cases are those with the least time for each change noticed so far. A change that no test case reaches
survives.

Changes that cannot be switched (an array's size, a template argument, a compile-time constant) are compiled separately.
So are changes that survive in a function that constant expressions may use. None is replaced by another draw, so that
the sample stays unbiased. The source tree and the build do not change. A change is noticed if a test case fails or
exceeds its time limit. A change that does not compile is counted separately. A separately compiled change that survives
and leaves the machine code as it was counts as equivalent. Any other change without effect is listed in
equivalent.toml, by the whole line before and after it, with the reason; it is recorded as survived without a run. The
status is 1 if a module's tests notice less than its limit, and 2 if they fail without any change. Sources that are only
compiled for a GPU, or for instructions that this processor lacks, are excluded.

The outcomes of each module are written to DIR/ROOM.json as they become known. An interrupted run continues from there;
--count adds changes to the existing ones. If a source of the module, a public header or one of the module's tests has
changed, the module starts again from nothing, except with --survivors, which tries the surviving changes again to check
whether new tests notice them. --summary FILE writes the shares of all modules on record and the surviving changes, and
tries nothing.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import relink  # noqa: E402
import switch  # noqa: E402

PROGRAM = "src/cli/farfield"
EQUIVALENT = pathlib.Path(__file__).with_name("equivalent.toml")
LIMITS = dict.fromkeys(["formula", "numerics", "evaluate", "quantity", "claim", "scheme", "model"], 0.95)
USUAL_LIMIT = 0.90
# The tests of shards, of forward.cpp and tokens.cpp, and of bad input (CONTRIBUTING.md requires cases for each
# command).
SCRIPTS_OF_OTHERS = {"cli": ["shards/shards.py", "shards/recipes.py", "checkpoint/forward.py", "checkpoint/tokens.py",
                             "errors/gallery.py"]}
SKIPPED = 77  # the status of a script that is skipped
NOTICED = ("failed", "timeout")
SURVIVED = ("survived", "not reached")
SAME_CODE = "same code"  # the machine code is the same with and without the change

# Parts that are never changed: comments, strings, characters, preprocessor lines, static assertions.
HIDDEN = re.compile(
    r'''//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.[^'\n]*|[^'\\\n])'
        |^[ ]*\#(?:[^\n\\]|\\.)*|\bstatic_assert\s*\([^;]*;''', re.DOTALL | re.MULTILINE | re.VERBOSE)
# clang-format puts spaces around operators, but not around the brackets of templates or the marks of references.
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
    text: str  # the replacement of [begin, end)


def changes_of(file, source):
    """All changes of one token, in the order of the file."""
    seen = HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)
    found = [(match, text) for match in OPERATOR.finditer(seen) for text in SWAPS[match.group()]]
    found += [(match, WORD[match.group()]) for match in WORDS.finditer(seen)]
    for match in NUMBER.finditer(seen):
        whole, point, rest = match.group().partition(".")
        found += [(match, str(int(whole) + 1) + point + rest)]
        found += [(match, str(int(whole) - 1) + point + rest)] if int(whole) > 0 else []
    found += [(match, f"!({source[match.start():match.end()]})") for match in RETURN.finditer(seen)]
    return sorted((Change(file, match.start(), match.end(), text) for match, text in found), key=lambda c: c.begin)


@functools.lru_cache
def instructions():
    """The instruction sets of this processor, without underscores."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    return set(re.search(r"^(?:flags|Features)\s*:(.*)", text, re.MULTILINE)[1].replace("_", "").split())


def runs_here(unit):
    """Whether the tests can run a unit: it is not in the library for CUDA, and needs no instructions that are missing
    here."""
    needed = {word[2:].replace("-", "") for word in unit.words if re.match(r"-m(avx|amx|fma)", word)}
    return "libcuda_device" not in " ".join(unit.words) and needed <= instructions()


def changes_in(room, build):
    files = sorted(path for path in (ROOT / "src" / room).rglob("*")
                   if path.suffix in (".cpp", ".hpp") and build.users(path))
    return [change for path in files for change in changes_of(str(path.relative_to(ROOT)), path.read_text())]


def give_up(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def quiet(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)


@functools.lru_cache
def scripts(folder, room):
    """The scripts of a module's tests that run the program: name and command."""
    listed = json.loads(quiet(["meson", "introspect", folder, "--tests"]).stdout)
    others = {(ROOT / "tests" / each).resolve() for each in SCRIPTS_OF_OTHERS.get(room, [])}

    def is_own(command):
        paths = [pathlib.Path(word).resolve() for word in command if word.endswith(".py")]
        return str(folder / PROGRAM) in command and any(
            ROOT / "tests" / room in path.parents or path in others for path in paths)

    return {each["name"]: each["cmd"] for each in listed if is_own(each["cmd"])}


def has_program(room):
    return any((ROOT / "tests" / room).glob("*test*.cpp"))


class Program:
    """The programs that a module's tests run, as built or with changes: its test program, and farfield for scripts."""

    def __init__(self, build, room, objects=None, place=None):
        self.folder, self.env = build.folder, dict(os.environ)
        self.tests = build.folder / f"tests/test_{room}" if has_program(room) else None
        program, named = build.folder / PROGRAM, scripts(build.folder, room)
        if objects and (room == "cli" or named):
            program = place / "farfield"
            build.link(PROGRAM, objects, program)
            (place / "farfield-recheck").symlink_to(build.folder / "src/cli/farfield-recheck")
            self.env["FARFIELD_PROGRAM"] = str(program)
        if objects and self.tests and room != "cli":  # its test program contains none of its sources, and runs farfield
            self.tests = place / "test"
            build.link(f"tests/test_{room}", objects, self.tests)
        self.scripts = {name: [word if word != str(build.folder / PROGRAM) else program for word in command]
                        for name, command in named.items()}

    def cases(self):
        listed = quiet([self.tests, "--list-test-names-only"]).stdout.decode().splitlines() if self.tests else []
        return listed + list(self.scripts)

    def commands(self, case):
        """The commands of a case, or of all cases."""
        if case in self.scripts:
            return [self.scripts[case]]
        named = [re.sub(r"(^-|[\\\[\],])", r"\\\1", case)] if case else []
        own = [[self.tests, "--abort", "--warn", "NoTests", *named]] if self.tests else []
        return own if case else own + list(self.scripts.values())

    def run(self, limit, case=None, **env):
        """Returns passed, failed or timeout, and the seconds taken. The limit is for processor time, because other
        programs may be running."""
        start = time.monotonic()
        for command in self.commands(case):
            limited = ["prlimit", f"--cpu={math.ceil(limit)}", "--", *command] if limit else command
            try:
                status = quiet(limited, cwd=self.folder, env=self.env | env, timeout=limit and 60 + 20 * limit).returncode
            except subprocess.TimeoutExpired:
                status = -signal.SIGXCPU
            if status not in (0, SKIPPED):
                return ("timeout" if status == -signal.SIGXCPU else "failed"), time.monotonic() - start
        return "passed", time.monotonic() - start

    def run_twice(self, limit, case=None, **env):
        """Runs a failed case again. A failure by chance then passes."""
        found, _ = self.run(limit, case, **env)
        return self.run(limit, case, **env)[0] if found == "failed" else found


def outcome_alone(build, room, change, limit):
    path = ROOT / change.file
    source = path.read_text()
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        try:
            text = source[:change.begin] + change.text + source[change.end:]
            # Of a header's users, only sources of the module are compiled: its tests do not cover what other sources
            # inline.
            own = {source for unit in build.users(path) for source in unit.sources
                   if ROOT / "src" / room in source.parents and path in relink.included(source)}
            objects = build.compile(path, text, place, own)
            program = Program(build, room, objects, place)
        except subprocess.CalledProcessError:
            return "no build"
        found = program.run_twice(limit)
        if found != "passed":
            return found
        changed = [each.read_bytes() for each in objects]
        before = [each.read_bytes() for each in build.compile(path, source, place, own)]
    return SAME_CODE if changed == before else "survived"


class Switched:
    """The program with all changes in it, and for each change the test cases that reach it."""

    def __init__(self, build, room, changes, place, jobs):
        self.switches = switch.Switches(build, room, changes, place)
        self.program = Program(build, room, self.switches.compile(jobs), place)
        self.reached, self.seconds = [[] for _ in changes], 0
        self.tried, self.noticed = collections.Counter(), collections.Counter()  # changes, by test case
        cases = self.program.cases()

        def read_reach(index):
            asked = place / f"asked{index}"
            asked.write_bytes(bytes(len(changes) + 1))
            return *self.program.run(None, cases[index], FARFIELD_ASKED=str(asked)), asked.read_bytes()[:-1]

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for case, (found, seconds, asked) in zip(cases, pool.map(read_reach, range(len(cases)))):
                if found != "passed":
                    give_up(f"{room}: '{case}' fails without any change")
                self.seconds += seconds
                for number, is_asked in enumerate(asked):
                    if is_asked:
                        self.reached[number].append((seconds, case))

    def expected_time(self, reached):
        """The seconds for each change noticed, as if each test case had noticed one of two changes before."""
        seconds, case = reached
        return seconds * (self.tried[case] + 2) / (self.noticed[case] + 1)

    def outcome_of(self, number):
        if self.switches.fate(number) != "switched":
            return self.switches.fate(number)
        for seconds, case in sorted(self.reached[number], key=self.expected_time):
            found = self.program.run_twice(2 + 5 * seconds, case, FARFIELD_CHANGE=str(number))
            self.tried[case] += 1
            if found != "passed":
                self.noticed[case] += 1
                return found
        if not self.switches.is_certain(number):
            return "alone"
        return "survived" if self.reached[number] else "not reached"


def described(change):
    """The record of a change, without its outcome."""
    source = (ROOT / change.file).read_text()
    begin, end = source.rfind("\n", 0, change.begin) + 1, (source + "\n").index("\n", change.end)
    return {"file": change.file, "line": source.count("\n", 0, change.begin) + 1,
            "before": source[begin:end].strip(),
            "after": (source[begin:change.begin] + change.text + source[change.end:end]).strip()}


def state_of(room):
    """A hash of everything that the outcomes of a module's changes depend on."""
    state = hashlib.sha256()
    for folder in ("include", f"src/{room}", f"tests/{room}", "tests/support"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return state.hexdigest()


class Record:
    """The outcomes of a module's changes, in a file that is complete at any time."""

    def __init__(self, path, room, seed, survivors):
        self.path, self.lock = path, threading.Lock()
        self.data = {"state": state_of(room), "seed": seed, "records": []}
        old = json.loads(path.read_text()) if path.exists() else self.data
        self.survivors = [each for each in old["records"] if is_missed(each)] if survivors else []
        if survivors:
            self.data |= {"seed": old["seed"], "records": old["records"]}  # the records of the same draw
        elif all(old[key] == self.data[key] for key in ("state", "seed")):
            self.data = old

    def outcome_of(self, record):
        """The recorded outcome of the same change, or None."""
        for each in self.data["records"]:
            if all(each[key] == record[key] for key in record):
                return each["outcome"]
        return None

    def forget(self, survivor):
        """Removes the record of a survivor, wherever its line is now, because it is tried again or its line no longer
        exists."""
        for each in self.survivors:
            if all(each[key] == survivor[key] for key in ("file", "before", "after")):
                self.survivors.remove(each)
                self.data["records"].remove(each)
                return

    def add(self, record):
        with self.lock:
            self.forget(record)
            self.data["records"].append(record)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps(self.data, indent=1) + "\n")
            new.replace(self.path)


def same_change(record, every):
    """The change of a record, wherever its line is now; None if the line no longer exists."""
    for change in every:
        if change.file == record["file"] and all(described(change)[key] == record[key] for key in ("before", "after")):
            return change
    return None


def choose(room, options, record, build):
    """The changes to try."""
    every = changes_in(room, build)
    if options.survivors:
        found = [(each, same_change(each, every)) for each in record.survivors]
        for each, change in found:
            if not change:
                record.forget(each)
        return [change for _, change in found if change]
    chosen = random.Random(f"{options.seed} {room}")
    chosen.shuffle(every)
    return [change for change in every[:options.count] if record.outcome_of(described(change)) is None]


def try_room(room, options, build):
    """Tries the chosen changes of the module and returns all records."""
    record = Record(options.record.resolve() / f"{room}.json", room, options.seed, options.survivors)
    chosen = choose(room, options, record, build)
    if not chosen:
        return record.data["records"]
    with tempfile.TemporaryDirectory() as folder:
        switched = Switched(build, room, chosen, pathlib.Path(folder), options.jobs)

        def run(number):
            one = described(chosen[number])
            outcome = "survived" if is_equivalent(one) else switched.outcome_of(number)
            if outcome == "alone":
                outcome = outcome_alone(build, room, chosen[number], 2 + 3 * switched.seconds)
            record.add(one | {"outcome": outcome})
            if is_missed(one | {"outcome": outcome}):
                print(f"{one['file']}:{one['line']}: {outcome}", f"  - {one['before']}", f"  + {one['after']}", sep="\n",
                      flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(run, range(len(chosen))))
    return record.data["records"]


@functools.lru_cache
def equivalents():
    return tomllib.loads(EQUIVALENT.read_text()).get("equivalent", [])


def is_equivalent(record):
    return any(all(record[key] == each[key] for key in ("file", "before", "after")) for each in equivalents())


def is_missed(record):
    return record["outcome"] in SURVIVED and not is_equivalent(record)


def tally(room, records):
    """Counts the outcomes of a module's changes, and computes the share that is noticed."""
    def is_without_effect(each):
        return each["outcome"] == SAME_CODE or each["outcome"] in SURVIVED and not is_missed(each)

    outcomes = ["equivalent" if is_without_effect(each) else each["outcome"] for each in records]
    count = {name: outcomes.count(name) for name in (*NOTICED, *SURVIVED, "equivalent", "no build")}
    noticed = sum(count[name] for name in NOTICED)
    counted = noticed + sum(count[name] for name in SURVIVED)
    return count, noticed, counted, noticed / counted if counted else 0


def tell_share(room, records):
    """Prints what was noticed, and returns whether that is enough."""
    count, noticed, counted, share = tally(room, records)
    limit = LIMITS.get(room, USUAL_LIMIT)
    print(f"{room}: {noticed} of {counted} noticed, {100 * share:.1f} % (limit {100 * limit:.0f} %); "
          f"{count['timeout']} by time, {count['not reached']} not reached, {count['equivalent']} equivalent, "
          f"{count['no build']} do not build", flush=True)
    return share >= limit


def write_summary(path, folder):
    """The share of each module on record, and the survivors."""
    rooms = {}
    for file in sorted(folder.glob("*.json")):
        data = json.loads(file.read_text())
        count, noticed, counted, share = tally(file.stem, data["records"])
        left = [{key: each[key] for key in ("file", "line", "before", "after")} for each in data["records"]
                if is_missed(each)]
        rooms[file.stem] = {
            "drawn": len(data["records"]), "seed": data["seed"], "no_build": count["no build"],
            "equivalent": count["equivalent"], "counted": counted, "noticed": noticed, "percent": round(100 * share, 1),
            "limit": 100 * LIMITS.get(file.stem, USUAL_LIMIT), "survivors": left}
    path.write_text(json.dumps(rooms, indent=1) + "\n")


def main():
    known = sorted(path.name for path in (ROOT / "src").iterdir()
                   if has_program(path.name) or any(ROOT.glob(f"tests/{path.name}/*.py")))
    parser = argparse.ArgumentParser(description="Runs the mutation tests of modules.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="modules to test (default: all)")
    parser.add_argument("--count", type=int, default=300, help="number of changes in each module (300)")
    parser.add_argument("--seed", type=int, default=1, help="seed that selects the changes (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of changes tested at the same time")
    parser.add_argument("--survivors", action="store_true",
                        help="test only the survivors on record again, except those listed as equivalent")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="an existing build (build)")
    parser.add_argument("--record", type=pathlib.Path, metavar="DIR", default=ROOT / "results" / "mutation",
                        help="folder of the outcomes (results/mutation)")
    parser.add_argument("--summary", type=pathlib.Path, metavar="FILE", help="write the shares on record into FILE without testing")
    options = parser.parse_args()
    if options.summary:
        write_summary(options.summary, options.record)
        return 0
    if unknown := set(options.rooms) - set(known):
        parser.error(f"unknown module {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    build = relink.Build(options.build)
    build.units = [unit for unit in build.units if runs_here(unit)]
    is_enough = True
    for room in options.rooms or known:
        build.bring_up_to_date(PROGRAM, *([f"tests/test_{room}"] if has_program(room) else []))
        is_enough = tell_share(room, try_room(room, options, build)) and is_enough
    return 0 if is_enough else 1


if __name__ == "__main__":
    sys.exit(main())
