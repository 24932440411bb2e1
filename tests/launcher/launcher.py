"""Tests the launcher with a program of one line in a folder of its own."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

LAUNCHER = pathlib.Path(sys.argv.pop(1)) / "farfield"
PROJECT = """project('tiny', 'cpp')
subdir('src/cli')
alias_target('benches', program)
alias_target('recheck', program, second)
"""
PROGRAM = """#include <cstdio>
int main(int count, char** words) {
    for (int i = 1; i < count; ++i) std::printf("[%s]", words[i]);
    return count == 2 && words[1][0] == '7' ? 7 : 0;
}
"""


class Launcher(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.place.name) / "a place"
        (cls.root / "src" / "cli").mkdir(parents=True)
        (cls.root / "tests" / "bench").mkdir(parents=True)
        shutil.copy(LAUNCHER, cls.root)
        (cls.root / "meson.build").write_text(PROJECT)
        (cls.root / "meson_options.txt").write_text("")
        (cls.root / "src" / "cli" / "meson.build").write_text("program = executable('farfield', 'main.cpp')\nsecond = executable('farfield-recheck', 'second.cpp')\n")
        (cls.root / "src" / "cli" / "second.cpp").write_text("int main() {}\n")
        cls.main = cls.root / "src" / "cli" / "main.cpp"
        cls.main.write_text(PROGRAM)
        cls.stubs = pathlib.Path(cls.place.name) / "stubs"
        cls.stubs.mkdir()
        cls.write_stub("dpkg-query", "echo all installed\n")
        cls.launch("warm up")

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    @classmethod
    def launch(cls, *words):
        environment = os.environ | {"PATH": f"{cls.stubs}:{os.environ['PATH']}"}
        return subprocess.run([cls.root / "farfield", *words], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd="/", env=environment)

    @classmethod
    def write_stub(cls, name, text):
        (cls.stubs / name).write_text("#!/bin/sh\n" + text)
        (cls.stubs / name).chmod(0o755)

    def setUp(self):
        # No test calls the real dpkg or apt-get. By default every package is installed, and installing one fails.
        self.write_stub("dpkg-query", "echo all installed\n")
        self.write_stub("apt-get", "exit 100\n")
        self.write_stub("sudo", 'exec "$@"\n')

    def forget_packages(self):
        for stamp in (self.root / "build").glob(".packages-*"):
            stamp.unlink()

    def test_arguments_and_status_pass_through_and_stdout_is_the_programs_alone(self):
        done = self.launch("run", "a b", "")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "[run][a b][]", ""))
        self.assertEqual(self.launch("7").returncode, 7)

    def test_a_later_use_starts_within_50_ms_of_the_program(self):
        def shortest(words):
            times = []
            for _ in range(10):
                start = time.monotonic()
                subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
                times.append(time.monotonic() - start)
            return min(times)

        late = shortest([self.root / "farfield", "x"]) - shortest([self.root / "build" / "src" / "cli" / "farfield", "x"])
        self.assertLess(late, 0.050)

    def test_the_second_implementation_is_built_for_the_command_that_starts_it(self):
        second = self.root / "build" / "src" / "cli" / "farfield-recheck"
        self.assertEqual(self.launch("check", "recheck").returncode, 0)
        self.assertFalse(second.exists())
        self.assertEqual(self.launch("recheck", "results").stdout, "[recheck][results]")
        self.assertTrue(second.exists())

    def test_an_edit_is_built_and_a_broken_one_says_why(self):
        self.addCleanup(self.launch, "x")
        self.addCleanup(self.main.write_text, PROGRAM)
        self.main.write_text(PROGRAM.replace("[%s]", "<%s>"))
        self.assertEqual(self.launch("x").stdout, "<x>")
        self.main.write_text("int main() { return nonsense; }\n")
        broken = self.launch("x")
        self.assertEqual((broken.returncode, broken.stdout), (3, ""))
        self.assertIn("nonsense", broken.stderr)
        self.assertEqual(self.launch("x").returncode, 3)

    def test_no_install_names_what_is_missing_and_how_to_get_it(self):
        self.write_stub("dpkg-query", 'for last; do :; done\n[ "$last" = meson ] || echo all installed\n')
        self.write_stub("apt-get", f"touch '{self.root}/called'\n")
        self.forget_packages()
        self.addCleanup(self.forget_packages)
        for words in ([], ["run", "x"]):
            done = self.launch("--no-install", *words)
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertRegex(done.stderr, r"missing to build farfield[^:]*: meson\n")
            self.assertRegex(done.stderr, r"apt-get install .* meson\n")
        self.assertFalse((self.root / "called").exists())

    def test_a_library_counts_for_the_own_architecture_alone(self):
        self.write_stub("dpkg", "echo amd64\n")
        self.addCleanup((self.stubs / "dpkg").unlink)
        self.addCleanup(self.forget_packages)
        for listed, status in (("amd64 installed\\narm64 installed", 0), ("arm64 installed\\namd64 installed", 0),
                               ("arm64 installed", 3), ("amd64 config-files", 3)):
            self.write_stub("dpkg-query", f"printf '{listed}\\n'\n")
            self.forget_packages()
            self.assertEqual(self.launch("--no-install").returncode, status, listed)

    def test_what_is_missing_is_installed_once(self):
        calls = self.root / "calls"
        self.write_stub("dpkg-query", f'for last; do :; done\n[ "$last" = catch2 ] && [ ! -f "{calls}" ] || echo all installed\n')
        self.write_stub("apt-get", f'echo "$@" >>"{calls}"\n')
        self.addCleanup(lambda: calls.unlink(missing_ok=True))
        done = self.launch("--install", "testing")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "missing to build and run its tests: catch2\n")
        self.assertRegex(calls.read_text(), r"^update\ninstall --yes --no-install-recommends catch2\n$")
        self.assertEqual(self.launch("--install", "testing").stderr, "")

    def test_apt_failing_is_told_with_its_message(self):
        self.write_stub("dpkg-query", "")
        self.write_stub("apt-get", "echo no such mirror\nexit 100\n")
        done = self.launch("--install", "benchmark")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no such mirror", done.stderr)

    def test_each_executable_benchmark_runs_and_a_failing_one_is_named(self):
        for name, text in (("good", 'test -x "$FARFIELD"'), ("bad", "exit 1")):
            script = self.root / "tests" / "bench" / f"bench_{name}.sh"
            script.write_text(f"#!/bin/sh\n{text}\n")
            script.chmod(0o755)
        self.assertEqual(self.launch("bench", "good").returncode, 0)
        done = self.launch("bench")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: bad\n", done.stderr)

    def test_a_wrong_group_is_refused(self):
        self.assertEqual(self.launch("--install", "nonsense").returncode, 2)


if __name__ == "__main__":
    unittest.main()
