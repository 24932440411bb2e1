"""Shards of a study without a scheduler: `shards.py FARFIELD [--full] [TEST...]`. --full kills 100 shards instead of 8
and runs 64 at once instead of 12.

Whatever the shards compute, and in whatever order, a plain run over their store gives the same bits as a run without
shards.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from support import STUDY, TASKS, Folder, check, models


FULL = "--full" in sys.argv


def test_tasks(folder):
    """Every task is listed once, after the tasks that it needs; costs add up; nothing is done."""
    tasks = folder.tasks("none")
    check(len(tasks) == TASKS, f"{len(tasks)} tasks, not {TASKS}")
    seen = set()
    for task in tasks:
        check(set(task) == {"id", "study", "name", "kind", "cost", "needs", "done"}, f"the keys are {set(task)}")
        check(len(task["id"]) == 64 and set(task["needs"]) <= seen and not task["done"], f"{task}")
        check(task["cost"]["seconds"] > 0, f"{task} has no cost")
        needs = {"training": 0, "perplexity": 2 if task["name"].startswith("pair") else 1}[task["kind"]]
        needs += task["name"].startswith("tuned[") and task["kind"] == "training"  # the training that it starts from
        check(len(task["needs"]) == needs, f"{task}")
        check(task["cost"]["bytes"] > 0, f"{task} has no memory")
        seen.add(task["id"])
    check(len(seen) == TASKS, "an id is listed twice")
    # With equal lengths, two models in memory take more than one, by the size of one model.
    two, one = ({task["cost"]["bytes"] for task in tasks if task["kind"] == "perplexity" and len(task["needs"]) == count}
                for count in (2, 1))
    check(max(one) < min(two), f"measurements of two models take {two}, of one {one}")


def test_search(folder):
    """A search is a task with its budget. Its cost is what searches usually take, less than a hundredth of this budget.
    Its memory is not known in advance."""
    (folder.path / "search.toml").write_text("""
[quantity.same]
kind  = "identity"
left  = "sum(i, 0, 999, sin(x*i))"
right = "sum(i, 0, 999, sin(i*x))"
over  = { x = [0, 1] }
boxes = 10000000
""")
    output, _ = folder.run("tasks", "search.toml", "--store", "none", "--json")
    (task,) = [json.loads(line) for line in output.splitlines()]
    # Ten million boxes of a thousand terms take hours.
    check(0 < task["cost"]["seconds"] < 36, f"{task}")
    check(task["cost"]["bytes"] is None, f"{task}")


def test_same_bits(folder):
    """1, 3 and 6 shards in turn, in reverse order and at once, give the results and the models of a run without shards."""
    alone, own = folder.alone()
    check(len(own) == 12, f"{len(own)} models, not 12")
    for count in (1, 3, 6):
        store = f"store-{count}"
        if count == 6:
            shards = [folder.start("run", "s.toml", "--store", store, "--shard", f"{i}/6", "--threads", 1) for i in range(6)]
            for shard in shards:
                error = shard.communicate(timeout=120)[1]
                check(shard.returncode == 0, error)
        else:
            for index in reversed(range(count)):
                folder.shard(index, count, store)
        check(folder.gather(store, f"gathered-{count}") == alone, f"{count} shards gave different results")
        check(models(folder.path / store) == own, f"{count} shards gave different models")
    leftovers = [path for path in folder.path.glob("store-*/**/.farfield-*")]
    check(not leftovers, f"temporary files are left: {leftovers}")


def test_one_task(folder):
    """--task computes one task, with the tasks that it needs."""
    tasks = folder.tasks("by-task")
    training = next(task for task in tasks if task["kind"] == "training")
    folder.run("run", "s.toml", "--store", "by-task", "--task", training["id"][:12])  # as the list shows it
    done = {task["id"] for task in folder.tasks("by-task") if task["done"]}
    check(done == {training["id"]}, f"done: {done}")
    measurement = next(task for task in tasks if len(task["needs"]) == 2)
    folder.run("run", "s.toml", "--store", "by-task", "--task", measurement["id"])
    done = {task["id"] for task in folder.tasks("by-task") if task["done"]}
    check(done == {training["id"], measurement["id"], *measurement["needs"]}, f"done: {done}")
    before, tuned = ({task["id"]: task for task in tasks if task["name"].startswith(name) and task["kind"] == "training"}
                     for name in ("one[", "tuned["))
    chained = next(iter(tuned.values()))
    check(chained["needs"][0] in before, f"{chained} does not start from {list(before)}")
    folder.run("run", "s.toml", "--store", "by-task", "--task", chained["id"])
    more = {task["id"] for task in folder.tasks("by-task") if task["done"]} - done
    check(more == {chained["id"], *chained["needs"]}, f"done: {more}")


def test_balance(folder):
    """No shard costs more than the mean plus the longest chain. The plan does not depend on the order of paths."""
    (folder.path / "t.toml").write_text(STUDY.format(steps=40).replace("SH-1", "SH-2"))
    plans = []
    for paths in (["s.toml", "t.toml"], ["t.toml", "s.toml"]):
        output, _ = folder.run("status", *paths, "--store", "none", "--shards", 5, status=3)
        plans.append([line for line in output.splitlines() if line.startswith("shard")])
    check(plans[0] == plans[1] and len(plans[0]) == 5, f"{plans}")
    output, _ = folder.run("tasks", "s.toml", "--store", "none", "--shards", "1,2,1000")
    rows = [line.split() for line in output.splitlines()[1:]]
    check([row[0] for row in rows] == ["1", "2", "1000"] and rows[0][-1] == "0%", output)


def test_damage(folder):
    """A truncated entry and a flipped bit are found by their digests. The entries are computed again, with the same
    bits."""
    alone, own = folder.alone()
    folder.shard(0, 1, "damaged")
    store = folder.path / "damaged"
    model = sorted(store.glob("models/*/*.safetensors"))[0]
    others = sorted(store.glob("quantities/*/*"))
    with model.open("r+b") as file:
        file.truncate(model.stat().st_size - 1)
    flipped = bytearray(others[0].read_bytes())
    flipped[-1] ^= 1
    others[0].write_bytes(flipped)
    others[1].write_bytes(others[1].read_bytes()[:100])
    output, _ = folder.run("store", "verify", "--store", "damaged", status=1)
    check("3 damaged" in output, output)
    output, _ = folder.run("store", "gc", "--store", "damaged")
    check(not model.exists() and not others[0].exists() and not others[1].exists(), output)
    folder.shard(0, 1, "damaged")
    check(folder.gather("damaged", "repaired") == alone and models(store) == own, "the repaired store gives different results")
    # Without gc, a run that reads the entry notices the damage.
    flipped = bytearray(model.read_bytes())
    flipped[-1] ^= 1
    model.write_bytes(flipped)
    for path in sorted(store.glob("quantities/*/*")):
        path.unlink()
    _, error = folder.run("run", "s.toml", "--store", "damaged", "--no-figures", "-o", "repaired")
    check("was trained again" in error and models(store) == own, error)


def test_twice(folder):
    """Two workers that compute the same shard at once do no harm."""
    alone, own = folder.alone()
    both = [folder.start("run", "s.toml", "--store", "twice", "--shard", "0/1", "--threads", 1) for _ in range(2)]
    for each in both:
        error = each.communicate(timeout=120)[1]
        check(each.returncode == 0, error)
    check(folder.gather("twice", "from-twice") == alone and models(folder.path / "twice") == own, "computing twice gave different results")


def kill_at_random(folder, store, times, seed):
    """Kills shards at random times from the seed, until `times` have been killed. Then the shards finish their work."""
    import random
    chance = random.Random(seed)
    killed = 0
    while killed < times:
        index = chance.randrange(3)
        process = folder.start("run", "s.toml", "--store", store, "--shard", f"{index}/3", "--threads", 1)
        time.sleep(chance.uniform(0.0, 0.25))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += 1
        if all(task["done"] for task in folder.tasks(store)):
            for path in sorted((folder.path / store).glob("models/*/*"))[::2]:
                path.unlink()  # more to kill
    for index in range(3):
        folder.shard(index, 3, store)


def test_kills(folder):
    alone, own = folder.alone()
    kill_at_random(folder, "killed", 100 if FULL else 8, seed=1)
    folder.run("store", "verify", "--store", "killed")
    check(folder.gather("killed", "from-killed") == alone and models(folder.path / "killed") == own, "kills changed the results")


def test_many_at_once(folder):
    """Runs all shards of a plan at once over one store."""
    alone, own = folder.alone()
    count = 64 if FULL else 12
    shards = [folder.start("run", "s.toml", "--store", "crowded", "--shard", f"{i}/{count}", "--threads", 1) for i in range(count)]
    for shard in shards:
        error = shard.communicate(timeout=300)[1]
        check(shard.returncode == 0, error)
    check(folder.gather("crowded", "from-crowded") == alone and models(folder.path / "crowded") == own, "many shards gave different results")


def preempt(folder, seconds):
    """Starts a shard and sends SIGTERM this time after it has written its state. Returns the unfinished checkpoints."""
    for state in (folder.path / "store").glob("shards/*/*"):
        state.unlink()
    shard = folder.start("run", "s.toml", "--store", "store", "--shard", "0/1", "--threads", 1)
    while shard.poll() is None and not list((folder.path / "store").glob("shards/*/*.json")):
        time.sleep(0.01)
    time.sleep(seconds)
    asked = time.monotonic()
    shard.send_signal(signal.SIGTERM)
    shard.send_signal(signal.SIGTERM)  # like a scheduler that signals both a job and its processes
    error = shard.communicate(timeout=60)[1]
    check(shard.returncode == 130, f"status {shard.returncode}: {error}")
    check(time.monotonic() - asked < 5, "the shard took over 5 s")
    return list((folder.path / "store").glob("models/*/*.unfinished.safetensors"))


def test_preempted(folder):
    """SIGTERM ends a shard within 5 s with status 130. A later run continues from its checkpoint, and the bits are the
    same."""
    long = Folder(folder.program, folder.path / "long", steps=2000)
    alone, own = long.alone()
    # A signal between two trainings leaves no checkpoint. Another one, at another time, finds the shard in a training.
    unfinished = next(filter(None, (preempt(long, 0.1 + 0.07 * attempt) for attempt in range(8))), None)
    check(unfinished, "no checkpoint was written")
    listed = [json.loads(line) for line in long.run("store", "ls", "--store", "store", "--json")[0].splitlines()]
    check(any(not entry["finished"] for entry in listed), f"{listed}")
    long.shard(0, 1)
    check(long.gather() == alone and models(long.path / "store") == own, "the interruption changed the results")


def test_full_disk(folder):
    """If the store cannot be written to, the shard ends with status 3 and a reason. Existing entries are kept."""
    full = folder.path / "full"
    full.mkdir()
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", full], check=False,
                                            capture_output=True).returncode == 0:
        try:
            _, error = folder.shard(0, 1, "full", status=3)
            check("No space left" in error and "not kept" in error, error)
            # No block is free for its last state, which says why it failed.
            output, _ = folder.run("status", "s.toml", "--store", "full", "--shards", 1, status=3)
            check(re.search(r"shard +0 +failed .*status 3 on .*: .*No space left", output) and "1 failed" in output, output)
            folder.run("store", "verify", "--store", "full")
            subprocess.run(["mount", "-o", "remount,ro", full], check=True)
            _, error = folder.shard(0, 1, "full", status=3)
            check("Read-only" in error, error)
        finally:
            subprocess.run(["umount", full], check=True)
    else:
        full.chmod(0o500)
        if os.geteuid() != 0:
            _, error = folder.shard(0, 1, "full", status=3)
            check("Permission denied" in error, error)


def test_clocks(folder):
    """Nothing depends on the times of files: entries an hour in the future or the past are used."""
    alone, own = folder.alone()
    folder.shard(0, 1, "clocks")
    for at, path in enumerate(sorted((folder.path / "clocks").glob("*/*/*"))):
        shifted = time.time() + (3600 if at % 2 else -3600)
        os.utime(path, (shifted, shifted))
    check("0 files removed" in folder.run("store", "gc", "--store", "clocks")[0], "gc removed entries by their time")
    check(folder.gather("clocks", "from-clocks") == alone and models(folder.path / "clocks") == own, "times changed the results")


def test_gc(folder):
    """gc removes temporary files and import folders of other hosts' writers after a day, but not after an hour."""
    folder.shard(0, 1, "cleaned")
    imports = [folder.path / "cleaned" / f".farfield-import-{name}" for name in ("aaaaaa", "bbbbbb", "cccccc")]
    for path, hours, inner in zip(imports, (25, 1, 25), (25, 1, 1)):
        (path / "models").mkdir(parents=True)
        os.utime(path / "models", (time.time() - 3600 * inner,) * 2)
        os.utime(path, (time.time() - 3600 * hours,) * 2)
    part = next((folder.path / "cleaned").glob("models/*"))
    old, new = part / ".farfield-00000000-1-aaaaaa", part / ".farfield-00000000-1-bbbbbb"
    for path, hours in ((old, 25), (new, 1)):
        path.write_bytes(b"part of a model")
        os.utime(path, (time.time() - 3600 * hours,) * 2)
    output, _ = folder.run("store", "gc", "--store", "cleaned")
    check("2 files removed" in output and new.exists() and not old.exists(), output)
    check([path.exists() for path in imports] == [False, True, True], "gc did not remove the right import folders: " + output)


def test_export(folder):
    """The entries that a study needs are copied to another store in a tar, and verified on import."""
    alone, own = folder.alone()
    folder.shard(0, 1, "from")
    folder.run("store", "export", "s.toml", "--store", "from", "-o", "part.tar")
    output, _ = folder.run("store", "import", "part.tar", "--store", "to")
    check(f"{TASKS} entries imported" in output, output)
    check(folder.gather("to", "from-tar") == alone and models(folder.path / "to") == own, "the tar gave different results")
    (folder.path / "cut.tar").write_bytes((folder.path / "part.tar").read_bytes()[:60000])
    folder.run("store", "import", "cut.tar", "--store", "cut", status=3)
    folder.run("store", "verify", "--store", "cut")
    subprocess.run(["tar", "--create", "--file", "foreign.tar", "s.toml"], cwd=folder.path, check=True)
    _, error = folder.run("store", "import", "foreign.tar", "--store", "cut", status=3)
    check("no entry of a store" in error, error)


def test_kinds(folder):
    """Entries of another kind of processor are reported, and rejected by --same-kind."""
    folder.shard(0, 1, "mixed")
    record = next((folder.path / "mixed").glob("models/*/*.json"))
    entry = json.loads(record.read_text())
    check(entry["host"] in folder.hosts and entry["seconds"] > 0 and entry["program"], f"{entry}")
    record.write_text(json.dumps({**entry, "processor": "of another kind"}))
    _, error = folder.run("run", "s.toml", "--store", "mixed", "--no-figures", "-o", "mixed-results")
    check("1 of 'of another kind'" in error, error)
    for command in (["--shard", "0/1"], ["--no-figures", "-o", "mixed-results"]):
        _, error = folder.run("run", "s.toml", "--store", "mixed", "--same-kind", *command, status=2)
        check("'of another kind'" in error, error)
    # The manifest names the kinds of processors that computed the quantities.
    manifest = json.loads((folder.path / "mixed-results" / "s" / "results.json").read_text())["manifest"]
    check("processors of the store" not in manifest, f"{manifest}")
    for quantity in (folder.path / "mixed").glob("quantities/*/*"):
        mark, heading, payload = quantity.read_bytes().split(b"\n", 2)
        quantity.write_bytes(b"\n".join((mark, json.dumps({**json.loads(heading), "processor": "of a third"}).encode(), payload)))
    folder.run("run", "s.toml", "--store", "mixed", "--no-figures", "-o", "mixed-results")
    manifest = json.loads((folder.path / "mixed-results" / "s" / "results.json").read_text())["manifest"]
    check(manifest.get("processors of the store") == "of a third", f"{manifest}")


def test_programs(folder):
    """A store that another version of the program computes shards in is rejected, and keeps all entries."""
    folder.shard(0, 2, "versions")
    before = models(folder.path / "versions")
    own = next((folder.path / "versions" / "programs").iterdir())
    other = "0.0.9 another"
    import hashlib
    own.rename(own.parent / hashlib.sha256(other.encode()).hexdigest())
    next((folder.path / "versions" / "programs").iterdir()).write_text(other)
    _, error = folder.shard(1, 2, "versions", status=2)
    check("0.0.9 another" in error and "gc --other-programs" in error, error)
    _, error = folder.run("status", "s.toml", "--store", "versions", "--shards", 2, status=3)
    check("warning" in error and "0.0.9 another" in error, error)
    check(models(folder.path / "versions") == before, "models were lost")
    folder.run("store", "gc", "--store", "versions", "--other-programs")
    folder.shard(1, 2, "versions")


def test_status(folder):
    """Done, failed, lost and open shards are recognized by their files in the store."""
    folder.shard(0, 3, "followed")
    long = Folder(folder.program, folder.path / "slow", steps=20000)
    process = long.start("run", "s.toml", "--store", "store", "--shard", "1/3", "--threads", 1)
    deadline = time.monotonic() + 20
    while not list((long.path / "store").glob("shards/*/1.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    output, _ = long.run("status", "s.toml", "--store", "store", "--shards", 3, status=3)
    check("1 running" in output and "2 open" in output, output)
    process.kill()
    process.communicate()
    output, _ = long.run("status", "s.toml", "--store", "store", "--shards", 3, status=3)
    check("1 lost" in output, output)
    output, _ = folder.run("status", "s.toml", "--store", "followed", "--shards", 3, status=3)
    check("shard     0" not in output or "open" in output, output)
    for index in (1, 2):
        folder.shard(index, 3, "followed")
    output, _ = folder.run("status", "s.toml", "--store", "followed", "--shards", 3)
    check("3 shards: 3 done" in output and f"{TASKS} tasks: {TASKS} done" in output, output)


def test_refusals(folder):
    """Invalid input ends with status 2, and the message says what was expected."""
    for shard in ("7/4", "0/0", "-1/4", "x/y", "4/4", "1", "/", "1/", "1.5/4", "0/9999999999999999999999"):
        _, error = folder.run("run", "s.toml", "--store", "none", "--shard", shard, status=2)
        check(f"--shard has '{shard}'" in error and "from 0 to N - 1" in error, error)
    _, error = folder.run("run", "missing.toml", "--store", "none", "--shard", "0/2", status=2)
    check("missing.toml" in error, error)
    _, error = folder.run("run", "s.toml", "--store", "none", "--task", "beef", status=2)
    check("no task has the id 'beef'" in error, error)
    for more in (["--fresh"], ["-o", "x"], ["--task", "a"], ["--update", "--because", "x"]):
        folder.run("run", "s.toml", "--store", "none", "--shard", "0/2", *more, status=2)
    for command in (["store", "lss", "--store", "."], ["store", "ls", "--store", "nowhere"], ["submit", "pbs", "s.toml", "--shards", "2"],
                    ["submit", "slurm", "s.toml"], ["submit", "slurm", "s.toml", "--shards", "0"],
                    ["store", "export", "s.toml", "--store", "none"]):
        folder.run(*command, status=2)
    check(not (folder.path / "none").exists(), "a refused command wrote a store")


def test_environment(folder):
    """FARFIELD_STORE names the store."""
    folder.run("run", "s.toml", "--shard", "0/1", "--threads", 1, environment={"FARFIELD_STORE": str(folder.path / "named")})
    check(all(task["done"] for task in folder.tasks("named")), "the store of the environment variable was not used")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    chosen = [name for name in sys.argv[2:] if name != "--full"]
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_") or (chosen and name not in chosen):
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="farfield-shards-") as path:
            try:
                test(Folder(program, path))
                print(f"{name}: {time.monotonic() - start:.1f} s")
            except AssertionError as error:
                failed += 1
                print(f"{name}: FAILED\n{error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
