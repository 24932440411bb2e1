"""How long `farfield run --watch` takes from a save to the new results: redraw_time.py FARFIELD ROOT.

The study of the tutorial is saved until its figure is drawn again, and a table until the results of its study are written, ten times
each. The limit is 0.2 s. Other work on the machine delays some saves, so one in ten within the limit is enough.
"""
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 0.2
SAVES = 10
LONGEST = 30
STUDY_OF_TABLE = '[study]\ntitle = "T"\n[quantity.t]\nkind = "table"\nfile = "x.csv"\n[[claim]]\nid = "T-1"\nsays = "small"\n' \
                 """source = "s"\nholds = "t['r', 'a'] < 100"\n"""


def time_of(file):
    return file.stat().st_mtime_ns if file.exists() else 0


def wait_for(file, before):
    start = time.monotonic()
    while time_of(file) == before:
        if time.monotonic() - start > LONGEST:
            raise AssertionError(f"{file} is not written within {LONGEST} s")
        time.sleep(0.001)
    return time.monotonic() - start


def seconds_of(program, folder, study, written, last, saves):
    """The seconds from each save, a file and its text, to the replacement of a file of results. `last` is a run's last file."""
    results = folder / "results" / pathlib.Path(study).stem
    watch = subprocess.Popen([program, "run", study, "--watch", "--cache", "cache"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken = []
    try:
        wait_for(results / last, 0)
        for file, text in saves:
            time.sleep(0.5)
            before, content = time_of(results / written), (results / written).read_bytes()
            file.write_text(text)
            taken.append(wait_for(results / written, before))
            assert (results / written).read_bytes() != content, f"{written} does not show the save"
    finally:
        watch.send_signal(signal.SIGINT)
        watch.wait(LONGEST)
    return taken


def main():
    program, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        bias, text = folder / "my-bias.toml", (root / "studies/tutorial/my-bias.toml").read_text()
        bias.write_text(text)
        assert "r = 1 }" in text
        (folder / "table.toml").write_text(STUDY_OF_TABLE)
        table = folder / "x.csv"
        table.write_text("name,a\nr,1\n")
        cases = [("my-bias.toml", "bias.svg", "bias.png", [(bias, text.replace("r = 1 }", f"r = {2 + save} }}")) for save in range(SAVES)]),
                 ("table.toml", "results.json", "report.html", [(table, f"name,a\nr,{2 + save}\n") for save in range(SAVES)])]
        for study, written, last, saves in cases:
            taken = seconds_of(program, folder, study, written, last, saves)
            print(f"from a save of {saves[0][0].name} to a new {written}: {min(taken):.3f} s to {max(taken):.3f} s, "
                  f"median {statistics.median(taken):.3f} s")
            assert min(taken) <= LIMIT, f"all above {LIMIT} s"


if __name__ == "__main__":
    main()
