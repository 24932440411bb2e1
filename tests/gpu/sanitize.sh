#!/bin/bash
# Runs the gpu suite under compute-sanitizer, which finds memory errors, races and uninitialised reads.
# Usage: tests/gpu/sanitize.sh [BUILD]
set -euo pipefail
build=${1:-build}
command -v compute-sanitizer >/dev/null || { echo "compute-sanitizer is not installed: it comes with the CUDA toolkit" >&2; exit 3; }
status=0
for tool in memcheck racecheck initcheck; do
    echo "== $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 1 --target-processes all "$build/tests/gpu/gpu_check" || status=$?
    # There is no device, so nothing was checked.
    [[ $status -ne 77 ]] || exit 77
done
exit "$status"
