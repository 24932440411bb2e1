"""Each `$ farfield export ...` in docs/export.md prints the output that the page shows below it.

Usage: page.py FARFIELD ROOT
"""
import pathlib
import re
import shlex
import subprocess
import sys


def main():
    page = pathlib.Path(sys.argv[2], "docs", "export.md")
    shown = re.findall(r"^```\n\$ farfield (export [^\n]*)\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    wrong = []
    for command, output in shown:
        said = subprocess.run([sys.argv[1], *shlex.split(command)], capture_output=True, text=True, check=True).stdout
        if said != output:
            wrong.append(f"farfield {command} prints something else:\n{said}")
    if "--write" in sys.argv:
        text = page.read_text()
        for command, output in shown:
            said = subprocess.run([sys.argv[1], *shlex.split(command)], capture_output=True, text=True, check=True)
            text = text.replace(f"$ farfield {command}\n{output}```", f"$ farfield {command}\n{said.stdout}```")
        page.write_text(text)
    print("\n".join(wrong))
    return 1 if wrong or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
