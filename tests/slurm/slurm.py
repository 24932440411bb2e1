"""A study's models as an array of six Slurm jobs, with all faults of a cluster: `slurm.py FARFIELD`.

One job is killed, one is cancelled, one is requeued, and the store's disk is full for a while. The missing shards are
submitted again. The results must equal those of a run without shards, bit for bit. Skipped (77) if Slurm is not
installed or the user is not root.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "shards"))
from cluster import Cluster, missing  # noqa: E402
from support import TASKS, Folder, check, models  # noqa: E402

SHARDS = 6
STEPS = 3000  # of each model: about two seconds
SKIPPED = 77


def run(cluster, folder, *arguments, status=0):
    return folder.run(*arguments, status=status, environment=cluster.environment)[0]


def wait_for_end(cluster, what, seconds=300):
    cluster.wait(lambda: not cluster.jobs(), what, seconds)


def process_of(folder, shard):
    """The program that computes a shard."""
    found = subprocess.run(["pgrep", "-f", f"{folder.program} run.*--shard {shard}/{SHARDS} "], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


class Disk:
    """A small disk of its own for the store."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.path.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", self.path], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.path], check=True)

    def fill(self):
        file = os.open(self.path / "filler", os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(file, b"\0" * 4096)
        except OSError:
            os.close(file)

    def free(self):
        (self.path / "filler").unlink()


def test_faults(cluster, folder):
    alone, own = folder.alone()
    with Disk(folder.path / "store") as disk:
        submit = ["submit", "slurm", "s.toml", "--store", "store", "--shards", SHARDS, "--time", 10, "--", "--cpus-per-task=1"]
        output = run(cluster, folder, *submit)
        job = re.match(r"job (\d+): 6 of 6 shards", output)
        check(job, output)
        job = job[1]
        check("in the queue" in run(cluster, folder, *submit), "a second submit did not see the first")

        # Of the first two running jobs, one is killed and one requeued. A waiting job is cancelled.
        cluster.wait(lambda: process_of(folder, 0) and process_of(folder, 1), "two shards")
        time.sleep(1)
        subprocess.run(["kill", "-KILL", *map(str, process_of(folder, 0))], check=False)
        cluster.ask("scontrol", "requeue", f"{job}_1")
        cluster.ask("scancel", f"{job}_5")
        cluster.wait(lambda: process_of(folder, 2) or process_of(folder, 3), "the next shard")
        disk.fill()
        time.sleep(3)
        disk.free()
        wait_for_end(cluster, "the first array")

        output = run(cluster, folder, "status", "s.toml", "--store", "store", "--shards", SHARDS, status=3)
        print(output)
        check(re.search(r"shard +0 +(lost|failed)", output) and re.search(r"shard +5 +(lost|open)", output), output)
        output = run(cluster, folder, *submit)
        again = re.search(r"job \d+: (\d) of 6 shards", output)
        check(again and int(again[1]) >= 2, output)  # the killed and the cancelled job, and those that failed on the full disk
        wait_for_end(cluster, "the second array")
        output = run(cluster, folder, *submit)
        check("nothing is missing" in output, output)
        model = next((folder.path / "store").glob("models/*/*.json"))
        model.unlink()
        model.with_suffix(".safetensors").unlink()
        output = run(cluster, folder, *submit)
        check("1 of 6 shards" in output, output)
        wait_for_end(cluster, "the one shard")
        output = run(cluster, folder, "status", "s.toml", "--store", "store", "--shards", SHARDS)
        check("6 shards: 6 done" in output and f"{TASKS} tasks: {TASKS} done" in output, output)
        run(cluster, folder, "store", "verify", "--store", "store")
        check(folder.gather() == alone, "the array gave different results")
        check(models(folder.path / "store") == own, "the array gave different models")


def test_preemption(cluster, folder):
    """A job that gets SIGTERM writes its checkpoint within 5 s, and continues from it after it is requeued."""
    long = Folder(folder.program, folder.path / "long", steps=20000)
    output = run(cluster, long, "submit", "slurm", "s.toml", "--store", "store", "--shards", 1, "--", "--cpus-per-task=1")
    job = re.match(r"job (\d+)", output)[1]
    cluster.wait(lambda: len(list((long.path / "store").glob("shards/*/0.log"))) == 1, "the shard")
    time.sleep(4)
    asked = time.monotonic()
    cluster.ask("scontrol", "requeue", f"{job}_0")
    cluster.wait(lambda: list((long.path / "store").glob("models/*/*.unfinished.safetensors")), "a checkpoint", 5)
    print(f"checkpoint {time.monotonic() - asked:.1f} s after the requeue")
    # The shard has ended with status 130 and waits in the queue. It has not failed, and must not be submitted again.
    cluster.wait(lambda: cluster.jobs().get(f"{job}_0") == "PENDING", "the requeued job", 30)
    output = run(cluster, long, "status", "s.toml", "--store", "store", "--shards", 1, status=3)
    check("1 waiting" in output, output)
    output = run(cluster, long, "submit", "slurm", "s.toml", "--store", "store", "--shards", 1)
    check("nothing else is missing" in output and f"{job}_0" in cluster.jobs() and len(cluster.jobs()) == 1, output)
    cluster.ask("scancel", job)
    wait_for_end(cluster, "the cancelled job")


def main():
    absent = missing()
    if absent:
        print(f"Slurm cannot be started here: {absent} missing")
        return SKIPPED
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="farfield-slurm-") as path:
        with Cluster(pathlib.Path(path) / "slurm") as cluster:
            for test in (test_faults, test_preemption):
                start = time.monotonic()
                test(cluster, Folder(program, pathlib.Path(path) / test.__name__, STEPS))
                print(f"{test.__name__}: {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
