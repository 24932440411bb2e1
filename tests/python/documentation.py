"""Every bound function has the comment of its header. The blocks of docs/python.md run and print the output shown below
them."""
import contextlib
import doctest
import inspect
import io
import os
import pathlib
import re
import tempfile
import unittest

import farfield as ff
from farfield import _core

SOURCE = pathlib.Path(os.environ["FARFIELD_SOURCE"])
# Names that pybind11 gives every class.
GIVEN = {"__init__", "__new__", "__repr__", "__str__", "_repr_html_", "__module__", "__doc__", "__dict__", "__weakref__"}


def bound():
    """(name, object) of everything that the bindings define."""
    for name, each in vars(_core).items():
        if name.startswith("__"):
            continue
        yield name, each
        if inspect.isclass(each):
            for member, value in vars(each).items():
                if not member.startswith("_pybind11") and member not in GIVEN:
                    yield f"{name}.{member}", value


def words(text):
    return re.sub(r"\W+", " ", text)


class Docstrings(unittest.TestCase):
    def test_every_bound_name_has_one_from_a_header(self):
        headers = "\n".join(path.read_text() for path in sorted((SOURCE / "include").rglob("*.hpp")))
        for ours, theirs in (
            ("core::UserError", "InputError"),
            ("core::MissingError", "WorldError"),
            ("core::PreconditionError", "Error"),
        ):
            headers = headers.replace(ours, theirs)
        comments = words("\n".join(re.findall(r"///<? ?(.*)", headers)))
        count = 0
        for name, each in bound():
            with self.subTest(name):
                first = (each.__doc__ or "").strip().split("\n\n")[0].split("\n")[0]
                self.assertGreater(len(first), 4)
                self.assertIn(words(first).strip(), comments)
            count += 1
        self.assertGreater(count, 100)

    def test_every_public_name_has_one(self):
        for name in ff.__all__:
            each = getattr(ff, name)
            self.assertTrue((each.__doc__ or "").strip(), name)
            for member, value in vars(each).items() if inspect.isclass(each) else ():
                if callable(value) and not member.startswith("_"):
                    self.assertTrue((value.__doc__ or "").strip(), f"{name}.{member}")


class Stubs(unittest.TestCase):
    def test_the_stubs_name_what_is_bound_and_no_more(self):
        text = (pathlib.Path(ff.__file__).parent / "_core.pyi").read_text()
        declared, scope = set(), ""
        for line in text.splitlines():
            if match := re.match(r"(    )?(?:def|class) (\w+)", line):
                scope = scope if match[1] else match[2]
                declared.add(f"{scope}.{match[2]}" if match[1] else match[2])
        found = {name for name, _ in bound() if not name.endswith("__str__")}
        shown = {name for name in declared if name.endswith("._repr_html_")}  # defined in farfield._display
        self.assertEqual(declared - shown - {"Formula.__init__"}, found)


class Page(unittest.TestCase):
    def test_the_page_runs_as_shown(self):
        page = (SOURCE / "docs" / "python.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", page, re.DOTALL)
        self.assertGreater(len(blocks), 5)
        self.assertEqual(len(re.findall("```text\n", page)), sum(1 for _, shown in blocks if shown))
        names, checker = {"__name__": "page"}, doctest.OutputChecker()
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                for code, shown in blocks:
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(code, "docs/python.md", "exec"), names)
                    self.assertTrue(
                        checker.check_output(shown, printed.getvalue(), doctest.ELLIPSIS),
                        f"{code}\nprints\n{printed.getvalue()}\ninstead of\n{shown}",
                    )
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
