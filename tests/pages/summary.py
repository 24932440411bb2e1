"""`farfield report` over two studies with figures writes a page that passes page.py."""
import pathlib
import subprocess
import sys
import tempfile

STUDIES = ("studies/chi-2023/fig9.toml", "studies/chi-2023/alibi.toml", "studies/tutorial")


def main():
    program, root = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([program, "run", *STUDIES, "-o", place], cwd=root, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "report", place], cwd=root, check=True, stdout=subprocess.DEVNULL)
        return subprocess.run([sys.executable, pathlib.Path(__file__).with_name("page.py"), place]).returncode


if __name__ == "__main__":
    sys.exit(main())
