"""A tensor of 1 GiB is compared within 64 MiB of memory, because it is read in pieces. The file is sparse; its numbers
are 0.

Usage: large_file.py FARFIELD
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

LENGTH = 16384
HEADER = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({LENGTH}, {LENGTH}), }}\n".encode()
MOST_KIB = 64 * 1024


def main():
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "zeros.npy"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(HEADER).to_bytes(2, "little") + HEADER)
        with path.open("r+b") as stream:
            stream.truncate(path.stat().st_size + LENGTH * LENGTH * 4)
        done = subprocess.run([sys.argv[1], "compare", path, "--scheme", "alibi", "--axes", "queries,keys"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(done.stdout, f"{used} KiB")
    # All numbers differ, except those of each query's own key.
    is_right = done.returncode == 1 and f"differs: {LENGTH * (LENGTH - 1) // 2} of" in done.stdout
    return 0 if is_right and used < MOST_KIB else 1


if __name__ == "__main__":
    sys.exit(main())
