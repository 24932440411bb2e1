"""`farfield report` over studies with figures, and over a record of trained models, writes pages that pass page.py."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

STUDIES = ("studies/chi-2023/fig9.toml", "studies/chi-2023/alibi.toml", "studies/tutorial")
# Figures of both trained records have one name.
RECORDS = ("chi-2023/trained", "small-models/new-bias", "chen-2023/trained", "sun-2023/trained")


def main():
    program, root = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([program, "run", *STUDIES, "-o", place], cwd=root, check=True, stdout=subprocess.DEVNULL)
        for record in RECORDS:
            shutil.copytree(pathlib.Path(root) / "results" / record, pathlib.Path(place) / record,
                            ignore=shutil.ignore_patterns("*.html", "*.png"))
        subprocess.run([program, "report", place], cwd=root, check=True, stdout=subprocess.DEVNULL)
        return subprocess.run([sys.executable, pathlib.Path(__file__).with_name("page.py"), place]).returncode


if __name__ == "__main__":
    sys.exit(main())
