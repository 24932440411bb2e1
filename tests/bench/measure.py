"""Common code of the benchmark scripts: the timing program, the rotation between peers, and the printed lines."""
import datetime
import json
import os
import pathlib
import platform
import subprocess
import time

CPUINFO = pathlib.Path("/proc/cpuinfo").read_text()
# OpenBLAS 0.3.21 does not recognize newer processors. This must be set before numpy is loaded.
if " avx512f" in CPUINFO:
    os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")

BUILD = pathlib.Path(os.environ["FARFIELD_BUILD"])
PROGRAM = os.environ["FARFIELD"]


class Timing:
    """The timing program with one task, which does pieces of the task on command."""

    def __init__(self, task, *arguments):
        path = BUILD / "tests" / "bench" / "bench_timing"
        self.process = subprocess.Popen([path, task, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the timing program ended at '{line}'")
        return answer

    def seconds(self, work):
        return float(self.ask(work)) * 1e-6

    def values(self):
        return [float(value) for value in self.ask("values").split()]

    def threads(self):
        return int(self.ask("threads"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def peak_bytes(process):
    """The peak of a running process's memory."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def take_turns(repeats, **works):
    """Measures the seconds of each piece of work once a round. The first round is a warm-up and is not counted."""
    found = {name: [] for name in works}
    for _ in range(repeats + 1):
        for name, work in works.items():
            found[name].append(work())
            time.sleep(0.002)  # lets spinning threads go to sleep, so that the next work has the processor
    return {name: sorted(times[1:]) for name, times in found.items()}


class Report:
    """Prints the lines of a benchmark and stores them for results/bench."""

    def __init__(self, name, size, threads):
        self.record = {"name": name, "size": size, "threads": threads, "load": os.getloadavg()[0], "times": [],
                       "ratios": []}
        print(f"{name}: {size}; {threads} threads")

    def times(self, what, seconds, floor=""):
        """Reports the least, median and largest of several times. `floor` describes the lower bound of the work."""
        middle = seconds[len(seconds) // 2]
        self.record["times"].append({"what": what, "min_ms": seconds[0] * 1e3, "median_ms": middle * 1e3,
                                     "max_ms": seconds[-1] * 1e3, "repeats": len(seconds), "floor": floor})
        print(f"  {what:<46} {seconds[0] * 1e3:11.3f} {middle * 1e3:11.3f} {seconds[-1] * 1e3:11.3f} ms  {floor}".rstrip(),
              flush=True)

    def ratio(self, what, value, target, at_least=True, unit=""):
        """Reports a number and its target."""
        reached = value >= target if at_least else value <= target
        asked = f"{'at least' if at_least else 'at most'} {target:g}{unit}"
        self.record["ratios"].append({"what": what, "value": value, "target": asked, "reached": reached})
        print(f"  {what:<46} {value:11.2f}{unit}  {asked}: {'reached' if reached else 'MISSED'}", flush=True)

    def value(self, what, value):
        """Reports a number that has no target."""
        self.record["ratios"].append({"what": what, "value": value, "target": "", "reached": None})
        print(f"  {what:<46} {value:11.2f}", flush=True)

    def save(self):
        """Writes the record to the run's file, one for each benchmark. The exit status says whether all targets were
        reached."""
        path = os.environ.get("FARFIELD_BENCH_RESULTS")
        if path:
            file = pathlib.Path(path)
            run = json.loads(file.read_text()) if file.exists() else {"benchmarks": []}
            run["machine"] = machine()
            run["benchmarks"] = [other for other in run["benchmarks"] if other["name"] != self.record["name"]]
            run["benchmarks"].append(self.record)
            file.write_text(json.dumps(run, indent=1) + "\n")
        return 0 if all(ratio["reached"] is not False for ratio in self.record["ratios"]) else 1


def least(times):
    return times[0]


def machine():
    models = [line.split(":")[1].strip() for line in CPUINFO.splitlines() if line.startswith("model name")]
    widest = next((name for name in ("avx512f", "avx2", "sse2") if f" {name}" in CPUINFO), "")
    return {"processor": models[0] if models else platform.machine(), "cores": os.cpu_count(), "vectors": widest,
            "date": datetime.date.today().isoformat(), **versions()}


def versions():
    found = {"python": platform.python_version(), "farfield": first_line([PROGRAM, "--version"]),
             "compiler": first_line(["g++", "--version"])}
    for package in ("python3-numpy", "python3-numexpr", "libopenblas0-pthread", "libsleef3"):
        found[package] = first_line(["dpkg-query", "-W", "-f", "${Version}", package])
    return found


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"
