#!/bin/bash
# Runs the two commands of the README on a bare Debian 12 with only git installed (root.sh).
#   tests/bare/trial.sh [STUDY...]        default: studies/tutorial
# It clones the current commit.
source "$(dirname "${BASH_SOURCE[0]}")/root.sh"

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
studies=("$@")
[[ ${#studies[@]} -gt 0 ]] || studies=(studies/tutorial)

make_root git,ca-certificates
git -C "$repository" bundle create -q "$root/root/farfield.bundle" HEAD

timed "git clone -q -c advice.detachedHead=false farfield.bundle farfield"
if inside "./farfield --no-install"; then echo "trial: the system is not bare: it has all packages"; exit 1; fi
timed "./farfield run ${studies[*]}"
timed "./farfield run ${studies[*]}"
timed "./farfield test"
echo "trial: both commands work on a bare Debian 12"
