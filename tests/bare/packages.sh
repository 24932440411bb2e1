#!/bin/bash
# Installs the packages of dist/ on a bare Debian 12 without a compiler (root.sh), and runs a new study with each.
#   tests/bare/packages.sh [WHEEL] [DEB]        default: the newest ones in dist/ for this architecture and Python 3.11
source "$(dirname "${BASH_SOURCE[0]}")/root.sh"

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
wheel=${1:-$(ls -t dist/farfield-*-cp311-*_"$(uname -m)".whl | head -n 1)}
deb=${2:-$(ls -t dist/farfield_*.deb | head -n 1)}

make_root ca-certificates,python3-venv
cp "$wheel" "$deb" "$root/root/"
if inside "command -v gcc"; then echo "trial: the system is not bare: it has gcc"; exit 1; fi

# A newcomer's path, from nothing to a report with its figure.
longest=180
start=$SECONDS
timed "apt-get update -qq && apt-get install -y -qq --no-install-recommends gnuplot-nox >/dev/null"
timed "python3 -m venv env && env/bin/pip install --quiet ./${wheel##*/}"
timed "env/bin/farfield new mine && env/bin/farfield run mine.toml && test -s results/mine/bias.svg && test -s results/mine/report.html"
seconds=$((SECONDS - start))
echo "trial: the first report was there after $seconds s"
((seconds <= longest)) || { echo "trial: expected at most $longest s"; exit 1; }

timed "env/bin/python -c 'import farfield; print(len(farfield.schemes()), \"schemes\")'"
inside "rm -rf env results mine.toml study.schema.json .cache"

timed "apt-get install -y -qq --no-install-recommends ./${deb##*/} >/dev/null"
timed "farfield new mine && farfield run mine.toml && test -s results/mine/bias.svg"
timed "test -s /usr/share/man/man1/farfield.1.gz && test -s /usr/share/farfield/study.schema.json"
timed "bash -c 'source /usr/share/bash-completion/completions/farfield && complete -p farfield'"
echo "trial: both packages work on a Debian 12 without a compiler"
