"""Ctrl-C ends a long call, long calls let other threads run, and interrupted calls leave a working state."""
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import farfield as ff

# Each would take minutes or more: the sums have 10^12 terms.
LONG = {
    "one point": 'ff.evaluate("sum(i, 0, 1e12, sqrt(i + x))", x=1)',
    "a range": 'ff.evaluate("sum(i, 0, 1e6, sqrt(i + n))", n=range(1000000))',
    "an array": 'ff.evaluate("sum(i, 0, 1e6, sqrt(i + n))", n=np.ones(1000000))',
    "a quantity": 'ff.quantity("value", formula="sum(i, 0, 1e12, sqrt(i))")',
    "a study": 'ff.run_dict({"quantity": {"v": {"kind": "value", "formula": "sum(i, 0, 1e12, sqrt(i))"}}}, cache="")',
}

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import farfield as ff
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are started without one
threading.Timer({delay}, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - start, flush=True)
    {after}
"""


def run(call, after="os._exit(0)", delay=0.5):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call, after=after, delay=delay)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=60,
    )


class Interruptions(unittest.TestCase):
    def test_every_long_call_ends(self):
        for name, call in LONG.items():
            with self.subTest(name):
                done = run(call)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.startswith("interrupted after"), done.stdout)
                # Interruption is polled ten times a second, and the call must end within a second.
                self.assertLess(float(done.stdout.split()[-1]), 10)

    def test_calls_work_after_one(self):
        done = run(LONG["one point"], 'print(ff.evaluate("sum(i, 1, 10, i) + 0*x", x=1), flush=True); os._exit(0)')
        self.assertEqual(done.stdout.splitlines()[-1], "55.0", done.stderr)

    def test_the_end_waits_for_what_still_runs_and_a_second_signal_does_not(self):
        again = "import subprocess; subprocess.Popen(['sh', '-c', f'sleep 1.5; kill -INT {os.getpid()}'])"
        self.assertEqual(run(LONG["one point"], again).returncode, 130)

    def test_a_handler_that_raises_nothing_does_not_end_the_call(self):
        seen = []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(ff.evaluate("2*x", x=np.ones(3)).tolist()))
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        found = ff.evaluate("sum(i, 0, 3e7, sqrt(i + x))", x=0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.assertEqual(seen, [[2, 2, 2]])
        # Euler-Maclaurin formula: 2/3 m^1.5 + sqrt(m)/2 + zeta(-1/2).
        self.assertAlmostEqual(found / (2 / 3 * 3e7**1.5 + 3e7**0.5 / 2 - 0.2078862), 1, places=12)


class Threads(unittest.TestCase):
    def test_other_threads_run_meanwhile(self):
        """A loop in Python keeps counting during a call, which needs the interpreter's lock."""
        counts, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counts[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        start = time.monotonic()
        ff.evaluate("sum(i, 0, 1e8, sqrt(i + x))", x=1)
        seconds = time.monotonic() - start
        stop.set()
        thread.join()
        self.assertGreater(counts[0], 5 if seconds > 0.1 else 0)

    def test_calls_of_many_threads_are_right(self):
        n = np.arange(300_000.0)
        results = [None] * 4

        def compute(at):
            results[at] = ff.evaluate("a*n + 1", a=at, n=n)

        threads = [threading.Thread(target=compute, args=(at,)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for at, result in enumerate(results):
            np.testing.assert_array_equal(result, at * n + 1)

    def test_a_forked_process_computes(self):
        code = (
            "import os, farfield as ff, numpy as np\n"
            "call = lambda: ff.evaluate('sum(i, 1, 100, i) + 0*n', n=np.zeros(100000))[0]\n"
            "call()\n"
            "child = os.fork()\n"
            "if child == 0: os._exit(0 if call() == 5050 else 1)\n"
            "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        )
        self.assertEqual(subprocess.run([sys.executable, "-c", code], timeout=30).returncode, 0)


if __name__ == "__main__":
    unittest.main()
