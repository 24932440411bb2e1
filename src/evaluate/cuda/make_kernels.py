"""Makes PTX of kernels.cu and a C++ file that holds it.

Usage: make_kernels.py OUTPUT.cpp OUTPUT.ptx SOURCE.cu NVCC ARGUMENTS...
"""
import hashlib
import pathlib
import subprocess
import sys

TEXT = """// Made from kernels.cu; PTX {digest}.
#include "evaluate/cuda/kernels_text.hpp"

__asm__(
    ".section .rodata\\n"
    ".balign 16\\n"
    "farfield_kernels_text:\\n"
    ".incbin \\"{path}\\"\\n"
    ".byte 0\\n"
    ".previous\\n");

extern "C" const char farfield_kernels_text[];

namespace farfield::evaluate::cuda {{

const char* kernels_text() {{
    return farfield_kernels_text;
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
