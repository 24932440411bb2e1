"""Compiles kernels.cu to PTX, and writes a C++ file that contains the PTX.

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
    # An old architecture that CUDA 13 still supports; the driver compiles the PTX for the device in use.
    subprocess.run([nvcc, "-ptx", "-arch=compute_80", "-std=c++20", "-fmad=false", "--expt-relaxed-constexpr", *arguments,
                    "-o", ptx, source], check=True)
    pathlib.Path(made).write_text(TEXT.format(path=ptx, digest=hashlib.sha256(ptx.read_bytes()).hexdigest()))


if __name__ == "__main__":
    main()
