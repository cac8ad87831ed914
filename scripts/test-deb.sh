#!/usr/bin/env bash
# Installs the packages of build/deb in a clean root of this system that runs systemd, uses, upgrades and removes them,
# and looks for what is left.
# Needs root rights, debootstrap, systemd-nspawn, curl and Debian's packages. The clean root stays in build/deb-root.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
readonly suite base=$PWD/build/deb-root/$suite-systemd root=$PWD/build/deb-root/test
# One for each helper program.
readonly pictures=(jpeg/testorig.jpg heif/alpha.heic svg/shapes.svg) address=127.0.0.1:8080

say() { printf 'test-deb: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# The process of systemd-nspawn, and that of the systemd in the container.
container='' init=''
readonly clean=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp/home LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)

# Runs a command in the root: below the container's init as soon as there is one.
inside() {
    if [[ -n ${init-} ]]; then
        nsenter --target "$init" --mount --uts --ipc --net --pid --root --wd "${clean[@]}" "$@"
    else
        chroot "$root" "${clean[@]}" "$@"
    fi
}

# Runs apt-get quietly; prints what it says if it fails.
apt() {
    # Nobody needs this root after a power failure.
    inside apt-get -qq -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io "$@" >"$root/var/log/test-deb" 2>&1 || {
        cat "$root/var/log/test-deb"
        die "apt-get $* failed"
    }
}

# Starts systemd in the root, without a network but its own loopback.
boot() {
    local options=(--quiet --register=no --private-network --console=pipe) state i
    # A host without systemd has no scopes for containers.
    [[ -d /run/systemd/system ]] || options+=(--keep-unit)
    systemd-nspawn "${options[@]}" --directory "$root" --boot </dev/null >"$root/var/log/boot" 2>&1 &
    container=$!
    # The container powers off; its root is deleted after that.
    trap 'kill -TERM "$container" 2>/dev/null; wait "$container" || :' EXIT
    for ((i = 0; i < 120; i++)); do
        init=$(pgrep --parent "$container" || :)
        state=
        [[ -z $init ]] || state=$(inside systemctl is-system-running --wait 2>/dev/null) || :
        # Some units of a container without devices fail.
        [[ $state != running && $state != degraded ]] || return 0
        kill -0 "$container" 2>/dev/null || break
        sleep 0.5
    done
    cat "$root/var/log/boot"
    die "systemd does not start in $root"
}

# What the packages have left: files with their names, without those of this test.
left() {
    inside find / -xdev -iname '*alcedo*' -not -path '/packages*' -not -path '/tmp/*' -not -path '/var/cache/apt/*'
}

# The status of a response of the server; waits until something listens.
status() {
    nsenter --target "$init" --net curl --silent --retry 60 --retry-delay 1 --retry-connrefused --output /dev/null \
        --write-out '%{http_code}' "http://$address$1" || :
}

expect_status() {
    local actual
    actual=$(status "$2")
    [[ $actual == "$1" ]] || fail "$2 has status $actual instead of $1"
}

# Stops the test with what the service has logged.
fail() {
    inside journalctl --unit alcedo.service --unit alcedo.socket --no-pager --lines 40 || :
    die "$@"
}

main_process() { inside systemctl show --property MainPID --value alcedo.service; }

expect_state() {
    local actual
    actual=$(inside systemctl is-active "$1" || :)
    [[ $actual == "$2" ]] || fail "$1 is $actual instead of $2 $3"
}

# The addresses that are listened on; without systemd's own, as there are none in a container.
listening() {
    nsenter --target "$init" --net awk '$4 == "0A" { print $2 }' /proc/self/net/tcp /proc/self/net/tcp6
}

# Fails unless 127.0.0.1:8080 is all that anybody can reach.
expect_loopback() {
    [[ $(listening) == 0100007F:1F90 ]] || fail "$1: something listens on $(listening)"
}

signed() { inside alcedo url --config /etc/alcedo/serve.conf --options rs:fit:32:32 local:///testorig.jpg; }

set_keys() {
    local file=$root/etc/alcedo/serve.conf
    sed -i -E '/^#?ALCEDO_(KEY|SALT)=/d' "$file"
    printf 'ALCEDO_%s=%s\n' KEY "$1" SALT "$1" >>"$file"
}

# Packs a package again as the next revision, as a release does that changes nothing else. Prints its path in the root.
next_revision() {
    local folder=$root/tmp/$1
    dpkg-deb --raw-extract "$root"/packages/"$1"_*.deb "$folder"
    sed -i "s/^Version: .*/Version: $version-2/" "$folder/DEBIAN/control"
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder" "$root/packages/next-$1.deb" >/dev/null
    rm -rf "$folder"
    printf '/packages/next-%s.deb' "$1"
}

test_command() {
    say "alcedo"
    [[ $(inside alcedo --version) == "alcedo $version" ]] || die "alcedo --version prints something else"
    local picture file
    for picture in "${pictures[@]}"; do
        inside alcedo info "/srv/${picture#*/}"
        inside alcedo get "/srv/${picture#*/}" --sandbox require --downsample 32x32 --format jxl -o /srv/thumbnail.jxl --force
    done
    inside alcedo get /srv/h264.mp4 --at 0.1 -o /srv/frame.png
    inside man -w alcedo alcedo-serve alcedo-gallery alcedo-viewer
    inside bash -c '. /usr/share/bash-completion/completions/alcedo
        COMP_WORDS=(alcedo in) COMP_CWORD=1; _alcedo; [[ ${COMPREPLY[*]} == info ]]' || die "bash does not complete “alcedo in”"
    for file in "$root"/usr/bin/alcedo{,-gallery,-viewer} "$root"/usr/libexec/alcedo/*; do
        [[ $(readelf --dynamic "$file") == *NOW* ]] || die "$file resolves functions late: it is not linked with -z now"
    done
}

test_windows() {
    local program message
    for program in alcedo-gallery alcedo-viewer; do
        say "$program"
        message=$(inside "$program" 2>&1) && die "$program ran without a display"
        [[ $message == *"could not open a display"* ]] || die "$program: $message"
    done
    cp scripts/with-display.sh "$root/srv/"
    # It fails unless it can decode the picture.
    inside /srv/with-display.sh alcedo-viewer --screenshot /tmp/window.png /srv/alpha.heic || die "the viewer shows nothing"
    [[ $(inside alcedo info /tmp/window.png) == *PNG* ]] || die "the viewer writes no screenshot"
}

test_service() {
    say "the service: start and reload"
    expect_state alcedo.service inactive "after the installation"
    [[ $(inside systemctl is-enabled alcedo.service || :) == disabled ]] || die "the installation enables the service"
    # An account of this name must not be in the way.
    inside groupadd --system alcedo
    printf 'ALCEDO_LOCAL_FILESYSTEM_ROOT=/srv\n' >>"$root/etc/alcedo/serve.conf"
    set_keys 11
    inside systemctl enable --now alcedo.service || fail "the service does not start"
    expect_status 200 /health
    expect_status 403 /unsafe/rs:fit:32:32/plain/local:///testorig.jpg
    local old process
    old=$(signed)
    expect_status 200 "$old"
    expect_loopback "the service"
    [[ -e $root/var/cache/alcedo ]] || die "the server has no cache"
    [[ $(stat --format %a "$root/etc/alcedo/serve.conf") == 640 ]] || die "everybody can read the keys"

    process=$(main_process)
    [[ $(inside stat --format %U "/proc/$process") != root ]] || die "the service runs as root"
    set_keys 22
    inside systemctl reload alcedo.service || fail "the service does not reload"
    # The server has read the file when it says so.
    timeout 60 nsenter --target "$init" --mount --pid --root --wd bash -c \
        'journalctl --unit alcedo.service --follow --lines 50 | grep --quiet --max-count 1 "read again"' ||
        fail "the service did not reload"
    expect_status 200 "$(signed)"
    expect_status 403 "$old"
    [[ $(main_process) == "$process" ]] || fail "the reload restarted the service"
}

# Fails unless the service runs the installed program as another process than $1.
expect_restart() {
    expect_state alcedo.service active "after $2"
    expect_status 200 /health
    local process
    process=$(main_process)
    [[ $process != "$1" ]] || fail "$2 did not restart the service"
    [[ $(inside readlink "/proc/$process/exe") == /usr/bin/alcedo ]] || fail "after $2 the service runs an old program"
}

test_upgrades() {
    say "upgrades"
    local process
    apt remove alcedo-gallery alcedo-viewer
    process=$(main_process)
    apt install "$(next_revision alcedo-server)"
    expect_restart "$process" "upgrading alcedo-server"
    process=$(main_process)
    apt install "$(next_revision alcedo)"
    expect_restart "$process" "upgrading alcedo"
    [[ -z $(inside dpkg --audit) ]] || die "dpkg: $(inside dpkg --audit)"

    say "the socket"
    inside systemctl stop alcedo.service
    inside systemctl enable --now alcedo.socket alcedo.service || fail "the socket does not start"
    expect_loopback "the socket"
    expect_status 403 /unsafe/rs:fit:32:32/plain/local:///testorig.jpg
    process=$(main_process)
    apt install --reinstall /packages/next-alcedo-server.deb
    expect_restart "$process" "installing alcedo-server again"
    expect_state alcedo.socket active "after an upgrade"
    # One that is stopped stays so.
    inside systemctl stop alcedo.socket alcedo.service
    apt install --reinstall /packages/next-alcedo-server.deb
    expect_state alcedo.service inactive "after an upgrade while it was stopped"
    inside systemctl start alcedo.socket alcedo.service
    expect_status 200 /health
    # libdispatch logs niceness that it may not set: errno 1 by the filter of system calls. 13 is the unit's LimitNICE, which
    # systemd can't raise in a container without CAP_SYS_RESOURCE.
    local messages="Failed to set thread priority"
    grep -q "Max nice priority *0 " "/proc/$init/root/proc/$(main_process)/limits" && messages+=".*errno=1\$"
    ! inside journalctl --no-pager | grep "$messages" || die "the journal has these messages"
}

test_removal() {
    say "removing the packages"
    apt remove alcedo alcedo-server
    expect_state alcedo.service inactive "after the removal"
    expect_state alcedo.socket inactive "after the removal"
    [[ -z $(listening) ]] || die "removed, but something listens: $(listening)"
    [[ $(left | grep -v -e ^/var/lib -e ^/var/cache -e ^/etc/systemd -e ^/var/log) == /etc/alcedo ]] ||
        die "removed, but left: $(left)"
    inside dpkg --purge alcedo alcedo-server alcedo-gallery alcedo-viewer
    [[ -z $(left) ]] || die "purged, but left: $(left)"
    say "nothing is left"
}

run() {
    local version
    version=$(sed -n 's/.* current = "\(.*\)"/\1/p' Sources/Alcedo/Support/AlcedoVersion.swift)
    mkdir "$root/packages"
    cp build/deb/*.deb "$root/packages/"
    cp "${pictures[@]/#/Tests/Fixtures/}" Tests/Fixtures/video/h264.mp4 "$root/srv/"
    local packages=("$root"/packages/*.deb)
    packages=(man-db xvfb "${packages[@]#"$root"}")
    apt update
    # The container has no network.
    apt install --no-install-recommends --download-only "${packages[@]}"
    boot
    mkdir -p "$root/tmp/home"
    apt install --no-install-recommends "${packages[@]}"
    test_command
    test_windows
    test_service
    test_upgrades
    test_removal
}

if [[ ${1-} = inside ]]; then
    run
    exit
fi

for tool in debootstrap systemd-nspawn curl; do
    if ((EUID != 0)) || ! command -v "$tool" >/dev/null; then
        die 'needs root rights and the packages debootstrap, systemd-container and curl'
    fi
done
compgen -G 'build/deb/*.deb' >/dev/null || die 'there are no packages; run make deb first'
if [[ ! -e $base ]]; then
    mkdir -p "$(dirname "$base")"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus "$suite" "$base.new"
    mv "$base.new" "$base"
fi
rm -rf "$root"
cp -a "$base" "$root"
# The mounts end with the namespace, before the root is deleted.
unshare --mount --propagation private "$0" inside
rm -rf "$root"
