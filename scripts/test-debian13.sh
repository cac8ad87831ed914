#!/usr/bin/env bash
# Builds and runs all tests in a Debian 13 root with this machine's Swift: scripts/test-debian13.sh TRAITS
# Needs root rights, debootstrap and Debian's packages. The root stays in build/debian13 for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly traits=$1 root=$PWD/build/debian13
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
readonly toolchain
readonly heif_codecs="libheif-plugin-aomenc libheif-plugin-libde265 libheif-plugin-x265"

# Mounts the sources and the toolchain under their own paths, in a mount namespace that ends with the tests.
run_inside() {
    mkdir -p "$root$PWD" "$root$toolchain"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount --bind "$PWD" "$root$PWD"
    mount --bind "$toolchain" "$root$toolchain"
    # shellcheck disable=SC2016
    exec chroot "$root" env -i PATH="$toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LANG=C.UTF-8 \
        bash -ec 'cd "$0"; scripts/setup.sh test
            scripts/run-tests.sh --traits "$1" --scratch-path .build/debian13 --disable-sandbox' "$PWD" "$traits"
}

if [[ ${2-} = inside ]]; then run_inside; fi

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
    echo 'test-debian13: needs root rights and the package debootstrap' >&2
    exit 1
fi
if [[ ! -e $root/etc/debian_version ]]; then
    # Debian 13 has libheif's codecs in packages of their own.
    debootstrap --variant=minbase --include="git,procps,${heif_codecs// /,}" trixie "$root.new"
    mv "$root.new" "$root"
fi
exec unshare --mount --propagation private "$0" "$traits" inside
