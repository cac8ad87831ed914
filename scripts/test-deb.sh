#!/usr/bin/env bash
# Installs the packages of build/deb in a clean root of this system, uses them, removes them, and looks for what is left.
# Needs root rights, debootstrap and Debian's packages. The clean root stays in build/deb-root for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
readonly suite base=$PWD/build/deb-root/$suite root=$PWD/build/deb-root/test
# One for each helper program.
readonly pictures=(jpeg/testorig.jpg heif/alpha.heic svg/shapes.svg) address=127.0.0.1:8089

say() { printf 'test-deb: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/home LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Runs apt-get quietly; prints what it says if it fails.
apt() {
    inside apt-get -qq -y -o Dpkg::Use-Pty=0 "$@" >"$root/tmp/apt.log" 2>&1 || {
        cat "$root/tmp/apt.log"
        die "apt-get $* failed"
    }
}

# What the packages have left: files with their names, without those of this test.
left() {
    inside find / -xdev -iname '*alcedo*' -not -path '/packages*' -not -path '/tmp/*'
}

# A header of the server's unit, without what systemd substitutes.
unit() {
    sed -n "s/^$1=//p" "$root/usr/lib/systemd/system/alcedo.service" "$root/lib/systemd/system/alcedo.service" 2>/dev/null |
        sed 's,%C,/var/cache,' | sort -u
}

test_command() {
    say "alcedo"
    [[ $(inside alcedo --version) == "alcedo $version" ]] || die "alcedo --version prints something else"
    local picture
    for picture in "${pictures[@]}"; do
        inside alcedo info "/tmp/${picture#*/}"
        inside alcedo get "/tmp/${picture#*/}" --sandbox require --downsample 32x32 --format jxl -o /tmp/thumbnail.jxl
    done
    inside alcedo get /tmp/h264.mp4 --at 0.1 -o /tmp/frame.png
    inside man -w alcedo alcedo-serve alcedo-gallery
    inside bash -c '. /usr/share/bash-completion/completions/alcedo
        COMP_WORDS=(alcedo in) COMP_CWORD=1; _alcedo; [[ ${COMPREPLY[*]} == info ]]' || die "bash does not complete “alcedo in”"
}

test_gallery() {
    say "alcedo-gallery"
    local message
    message=$(inside alcedo-gallery 2>&1) && die "the gallery ran without a display"
    [[ $message == *"could not open a display"* ]] || die "alcedo-gallery: $message"
}

test_server() {
    say "$(unit ExecStart)"
    local command settings server answer
    read -r -a command <<<"$(unit ExecStart)"
    mapfile -t settings < <(unit Environment; grep '^[^#]' "$root/etc/alcedo/serve.conf")
    install -d -o 65534 -g 65534 "$root/var/cache/alcedo"
    # With the unit's environment, and as a user who owns nothing but the cache.
    chroot --userspec=65534:65534 "$root" \
        env -i PATH=/usr/bin:/bin "${settings[@]}" ALCEDO_BIND="$address" "${command[@]}" &
    server=$!
    answer=$(curl --silent --retry 60 --retry-delay 1 --retry-connrefused --output /dev/null --write-out '%{http_code}' \
        "http://$address/health") || :
    kill -TERM "$server" || :
    wait "$server" || die "the server ended with status $?"
    [[ $answer == 200 ]] || die "/health answers $answer"
    [[ -e $root/var/cache/alcedo ]] || die "the server has no cache"
}

run() {
    local version
    version=$(sed -n 's/.* current = "\(.*\)"/\1/p' Sources/Alcedo/Support/AlcedoVersion.swift)
    mount -t proc proc "$root/proc"
    mkdir "$root/packages" "$root/tmp/home"
    cp build/deb/*.deb "$root/packages/"
    cp "${pictures[@]/#/Tests/Fixtures/}" Tests/Fixtures/video/h264.mp4 "$root/tmp/"
    local packages=("$root"/packages/*.deb)
    apt update
    apt install --no-install-recommends man-db "${packages[@]#"$root"}"
    test_command
    test_gallery
    test_server
    say "removing the packages"
    apt remove alcedo alcedo-server alcedo-gallery
    [[ $(left | grep -v -e ^/var/lib -e ^/var/cache) == /etc/alcedo ]] ||
        die "removed, but left: $(left)"
    inside dpkg --purge alcedo alcedo-server alcedo-gallery
    [[ -z $(left) ]] || die "purged, but left: $(left)"
    say "nothing is left"
}

if [[ ${1-} = inside ]]; then
    run
    exit
fi

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
    die 'needs root rights and the package debootstrap'
fi
compgen -G 'build/deb/*.deb' >/dev/null || die 'there are no packages; run make deb first'
if [[ ! -e $base ]]; then
    mkdir -p "$(dirname "$base")"
    debootstrap --variant=minbase "$suite" "$base.new"
    mv "$base.new" "$base"
fi
rm -rf "$root"
cp -a "$base" "$root"
# The mounts end with the namespace, before the root is deleted.
unshare --mount --propagation private "$0" inside
rm -rf "$root"
