"""The workflows and hooks on the pages work as described. Each command runs like on GitHub and in pre-commit, in a
valid repository and an invalid one.

Usage: ci.py FARFIELD ROOT
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

STUDY = "[quantity.a]\nkind = 'value'\nformula = '1'\n[[claim]]\nid = 'C-1'\nsays = 'a is one'\nexpect = '{}'\nholds = 'a == 1'\n"
GOOD = '{"model_type": "llama", "head_dim": 64, "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 2, ' \
       '"rope_theta": 10000.0, "max_position_embeddings": 2048}'
BAD = GOOD.replace('"rope_theta"', '"rope_teta": 1.0, "rope_theta"').replace("2048", "-1")


def blocks(page):
    return re.findall(r"^```yaml\n(.*?)^```$", page.read_text(), re.S | re.M)


def steps(page):
    """The commands of a page's workflow. tests/bare covers installing the wheel."""
    return [line for block in blocks(page) for line in re.findall(r"^\s*(?:- )?run: (.*)$", block, re.M) if "pip install" not in line]


def hooks(page):
    """(command, pattern of files) of each hook."""
    return [(entry, re.compile(files)) for block in blocks(page)
            for entry, files in re.findall(r"^ *entry: ([^\n]*)$.*?^ *files: '([^\n]*)'$", block, re.S | re.M)]


def run(command, folder, program):
    environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "GITHUB_ACTIONS": "true",
                                "GITHUB_STEP_SUMMARY": f"{folder}/summary.md", "XDG_CACHE_HOME": f"{folder}/.cache"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def repository(place, expected, configuration):
    folder = pathlib.Path(place)
    for name, text in {"studies/mine.toml": STUDY.format(expected), "config.json": configuration, "README.md": "not a study"}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def fails(command, folder, program, shell, others=()):
    """Whether a step or hook ends with a nonzero status, and its output."""
    status, text = run(["bash", "-e", "-c", command] if shell else command, folder, program)
    print(f"{command}: status {status}")
    if status not in (0, 1, *others):
        raise AssertionError(f"{command} ends with status {status}: {text}")
    return status != 0, text


def check(program, root, page, in_order):
    with tempfile.TemporaryDirectory() as place:
        folder = repository(place, "confirmed" if in_order else "refuted", GOOD if in_order else BAD)
        found = [fails(step, folder, program, True) for step in steps(page)]
        assert found, f"{page} has no step"
        assert any(failed for failed, _ in found) != in_order, f"steps of {page}, in order: {in_order}"
        if page.name == "ci.md":
            assert "C-1" in (folder / "summary.md").read_text() and (folder / "farfield.sarif").stat().st_size > 0
            assert in_order or any("::error file=studies/mine.toml,line=7::" in text for _, text in found), "no annotation"
        assert hooks(page), f"{page} has no hook"
        names = [file.relative_to(folder).as_posix() for file in sorted(folder.rglob("*")) if file.is_file()]
        for entry, files in hooks(page):
            changed = [name for name in names if files.search(name)]
            assert len(changed) == 1, f"the hook takes {changed}"
            failed, _ = fails([*shlex.split(entry), *changed], folder, program, False)
            assert failed != in_order, f"{entry}, in order: {in_order}"


def check_invalid(program, page):
    """With an invalid study, one step fails, and the following steps have their files."""
    with tempfile.TemporaryDirectory() as place:
        folder = repository(place, "confirmed", GOOD)
        (folder / "studies/mine.toml").write_text(STUDY.format("confirmed").replace("formula", "fromula"))
        found = [fails(step, folder, program, True, others=(2,)) for step in steps(page)]
        assert [failed for failed, _ in found].count(True) == 1, found
        assert any("::error file=studies/mine.toml,line=3::unknown key 'fromula'" in text for _, text in found), "no annotation"
        assert "fromula" in (folder / "summary.md").read_text() and "fromula" in (folder / "farfield.sarif").read_text()


def main():
    program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    for page in (root / "docs/howto/ci.md", root / "docs/doctor.md"):
        for in_order in (True, False):
            check(program, root, page, in_order)
    check_invalid(program, root / "docs/howto/ci.md")


if __name__ == "__main__":
    main()
