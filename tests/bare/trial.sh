#!/bin/bash
# Tries the two commands of the README on a bare Debian 12: a debootstrap root with nothing but git, entered by chroot.
#   tests/bare/trial.sh [STUDY...]        as root, with debootstrap installed; studies/tutorial when none is named
# It clones the commit checked out here. Apt's settings and the certificates of this machine go along, for a machine
# that reaches its mirror in its own way. The root is removed at the end; KEEP=yes leaves it, and says where it is.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
studies=("$@")
[[ ${#studies[@]} -gt 0 ]] || studies=(studies/tutorial)
[[ $EUID -eq 0 ]] || { echo "trial: only root can make a root" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "trial: needs the package debootstrap" >&2; exit 3; }

# In a mount namespace of its own, what is mounted inside the root goes away with this process.
if [[ ${IN_OWN_NAMESPACE-} != yes ]]; then
    IN_OWN_NAMESPACE=yes exec unshare --mount "${BASH_SOURCE[0]}" "$@"
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/farfield-bare.XXXXXX")
chmod 755 "$root"
finish() {
    local mounted
    for mounted in proc dev; do umount "$root/$mounted" 2>/dev/null || true; done
    if [[ ${KEEP-} == yes ]]; then echo "trial: the root is $root"; else rm -rf --one-file-system "$root"; fi
}
trap finish EXIT

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
start=$SECONDS
debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" "${mirror:-http://deb.debian.org/debian}" \
    >"$root.log" 2>&1 || { cat "$root.log"; exit 3; }
rm -f "$root.log"
echo "trial: made the root in $((SECONDS - start)) s"

rm -f "$root/etc/apt/sources.list"
for settings in /etc/apt/apt.conf.d /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/auth.conf.d /etc/apt/keyrings \
    /etc/apt/trusted.gpg.d /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    [[ -e $settings ]] || continue
    rm -rf "${root:?}$settings"
    mkdir -p "$root${settings%/*}"
    cp -rL "$settings" "$root$settings"
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
git -C "$repository" bundle create -q "$root/root/farfield.bundle" HEAD

environment=("http_proxy=${http_proxy-}" "https_proxy=${https_proxy-}" "no_proxy=${no_proxy-}")
inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "${environment[@]}" \
        /bin/bash -c "cd /root; [[ ! -d farfield ]] || cd farfield; $1" </dev/null
}
timed() {
    start=$SECONDS
    echo "trial: \$ $1"
    inside "$1" || { echo "trial: failed after $((SECONDS - start)) s"; exit 1; }
    echo "trial: done in $((SECONDS - start)) s"
}

timed "git clone -q -c advice.detachedHead=false farfield.bundle farfield"
if inside "./farfield --no-install"; then echo "trial: the root is not bare"; exit 1; fi
timed "./farfield run ${studies[*]}"
timed "./farfield run ${studies[*]}"
timed "./farfield test"
echo "trial: both commands work on a bare Debian 12"
