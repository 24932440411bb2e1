"""The closing line of `./farfield test` counts the test cases that ran, and a program that died counts as a failure."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUNNER = pathlib.Path(sys.argv.pop(1)) / "tests" / "support" / "run_tests.py"

# The closing lines of Catch2 2.13.10's console report.
ALL_PASSED = "All tests passed (12 assertions in 3 test cases)"
SOME_FAILED = "test cases:  5 |  2 passed | 2 failed | 1 failed as expected\nassertions: 40 | 30 passed | 10 failed"
NOTHING_RAN = "No tests ran"


class Count(unittest.TestCase):
    def close(self, *tests, options=(), priorities={}):
        """(status, closing line, whole output) of the runner over tests given as (name, suite, shell text)."""
        with tempfile.TemporaryDirectory() as place:
            info = pathlib.Path(place) / "meson-info"
            info.mkdir()
            rows = [{"name": name, "suite": [f"farfield:{suite}"], "cmd": ["/bin/sh", "-c", text], "env": {}, "workdir": None,
                     "timeout": 1, "is_parallel": True, "priority": priorities.get(name, 0)} for name, suite, text in tests]
            (info / "intro-tests.json").write_text(json.dumps(rows))
            done = subprocess.run([sys.executable, RUNNER, place, *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, (done.stdout.splitlines() or [""])[-1], done.stdout

    def test_cases_of_a_program_count_each_and_a_script_once(self):
        status, line, _ = self.close(("core", "catch", f"echo '{ALL_PASSED}'"), ("arrows", "script", "true"))
        self.assertEqual((status, line), (0, "4 passed, 0 failed"))

    def test_failed_cases_fail_and_show_their_output(self):
        status, line, output = self.close(("core", "catch", f"echo 'FAILED: x'; echo '{SOME_FAILED}'; exit 2"))
        self.assertEqual((status, line), (1, "3 passed, 2 failed"))
        self.assertIn("FAILED: x", output)

    def test_a_program_that_dies_late_is_a_failure(self):
        status, line, _ = self.close(("core", "catch", f"echo '{ALL_PASSED}'; kill -SEGV $$"))
        self.assertEqual((status, line), (1, "3 passed, 1 failed"))

    def test_a_program_without_a_count_is_a_failure(self):
        for text in ("true", "exit 1", f"echo '{NOTHING_RAN}'"):
            status, line, _ = self.close(("core", "catch", text))
            self.assertEqual((status, line), (1, "0 passed, 1 failed"))

    def test_a_program_that_hangs_is_stopped(self):
        status, line, output = self.close(("core", "catch", "echo begun; exec sleep 60"))
        self.assertEqual((status, line), (1, "0 passed, 1 failed"))
        self.assertIn("begun", output)
        self.assertIn("stopped after 1 s", output)

    def test_nothing_run_is_a_failure(self):
        self.assertEqual(self.close()[:2], (1, "0 passed, 0 failed"))

    def test_names_choose_and_an_unknown_one_is_refused(self):
        tests = (("core", "catch", f"echo '{ALL_PASSED}'"), ("arrows", "script", "true"))
        self.assertEqual(self.close(*tests, options=["arrows"])[1], "1 passed, 0 failed")
        self.assertEqual(self.close(*tests, options=["arows"])[0], 2)

    def test_what_has_priority_starts_first_and_others_as_listed(self):
        tests = [(name, "script", "true") for name in ("a", "long", "b")]
        _, line, output = self.close(*tests, options=["--jobs", "1"], priorities={"long": 1})
        self.assertEqual(line, "3 passed, 0 failed")
        self.assertEqual([text.split()[1] for text in output.splitlines()[:-1]], ["long:", "a:", "b:"])


if __name__ == "__main__":
    unittest.main()
