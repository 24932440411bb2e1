# A bare Debian 12 for tests: a debootstrap root, entered by chroot. The scripts in this folder source this file, as root, with
# debootstrap installed. The host's settings of apt and its certificates are copied, in case its mirror needs them. The root is
# removed at the end; KEEP=yes keeps it and prints its path.
set -euo pipefail

[[ $EUID -eq 0 ]] || { echo "trial: creating a root file system requires root" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "trial: needs the package debootstrap" >&2; exit 3; }

# In a mount namespace of its own, so that mounts inside the root end with this process.
if [[ ${IN_OWN_NAMESPACE-} != yes ]]; then
    IN_OWN_NAMESPACE=yes exec unshare --mount "$0" "$@"
fi

finish() {
    local mounted
    for mounted in proc dev; do umount "$root/$mounted" 2>/dev/null || true; done
    if [[ ${KEEP-} == yes ]]; then echo "trial: the root is $root"; else rm -rf --one-file-system "$root"; fi
}

# make_root PACKAGES: the root in $root, with the packages separated by commas.
make_root() {
    local mirror settings start=$SECONDS
    root=$(mktemp -d "${TMPDIR:-/tmp}/farfield-bare.XXXXXX")
    chmod 755 "$root"
    trap finish EXIT
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
    debootstrap --variant=minbase --include="$1" bookworm "$root" "${mirror:-http://deb.debian.org/debian}" \
        >"$root.log" 2>&1 || { cat "$root.log"; exit 3; }
    rm -f "$root.log"
    echo "trial: made the root in $((SECONDS - start)) s"
    rm -f "$root/etc/apt/sources.list"
    for settings in /etc/apt/apt.conf.d /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/auth.conf.d \
        /etc/apt/keyrings /etc/apt/trusted.gpg.d /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt \
        /etc/pip.conf; do
        [[ -e $settings ]] || continue
        rm -rf "${root:?}$settings"
        mkdir -p "$root${settings%/*}"
        cp -rL "$settings" "$root$settings"
    done
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
}

environment=("http_proxy=${http_proxy-}" "https_proxy=${https_proxy-}" "no_proxy=${no_proxy-}")
inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "${environment[@]}" \
        /bin/bash -c "cd /root; [[ ! -d farfield ]] || cd farfield; $1" </dev/null
}
timed() {
    local start=$SECONDS
    echo "trial: \$ $1"
    inside "$1" || { echo "trial: failed after $((SECONDS - start)) s"; exit 1; }
    echo "trial: done in $((SECONDS - start)) s"
}
