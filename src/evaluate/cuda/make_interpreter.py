"""Makes PTX of the interpreter kernels and a C++ file that holds it.

Usage: make_interpreter.py OUTPUT.cpp OUTPUT.ptx SOURCE.cu NVCC ARGUMENTS...
"""
import hashlib
import pathlib
import subprocess
import sys

TEXT = """// Made from interpreter.cu; PTX {digest}.
#include "evaluate/cuda/interpreter_text.hpp"

__asm__(
    ".section .rodata\\n"
    ".balign 16\\n"
    "farfield_interpreter_text:\\n"
    ".incbin \\"{path}\\"\\n"
    ".byte 0\\n"
    ".previous\\n");

extern "C" const char farfield_interpreter_text[];

namespace farfield::evaluate::cuda {{

const char* interpreter_text() {{
    return farfield_interpreter_text;
}}

}}  // namespace farfield::evaluate::cuda
"""


def main():
    made, ptx, source, nvcc, *arguments = sys.argv[1:]
    ptx = pathlib.Path(ptx).resolve()
    # The oldest architecture that CUDA 13 knows and we name; the driver makes machine code of it for the device at hand.
    subprocess.run([nvcc, "-ptx", "-arch=compute_80", "-std=c++20", "-fmad=false", "--expt-relaxed-constexpr", *arguments,
                    "-o", ptx, source], check=True)
    pathlib.Path(made).write_text(TEXT.format(path=ptx, digest=hashlib.sha256(ptx.read_bytes()).hexdigest()))


if __name__ == "__main__":
    main()
