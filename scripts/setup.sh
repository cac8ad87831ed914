#!/usr/bin/env bash
# Gets the machine ready to build (`setup.sh demo`, the default) or to test (`setup.sh test`) the package.
# Looks first and installs only what is absent, so a second run costs a few milliseconds.
set -euo pipefail

readonly swift_minimum=6.3

# What is needed: a probe, then the Debian package that satisfies it.
readonly build_needs=(
    "command:pkg-config pkg-config"
    "module:libcurl libcurl4-openssl-dev"
    "module:libjpeg libjpeg62-turbo-dev"
    "module:spng libspng-dev"
    "module:libwebp,libwebpdemux,libwebpmux libwebp-dev"
    "header:gif_lib.h libgif-dev"
    "module:cairo libcairo2-dev"
    "module:lcms2 liblcms2-dev"
    "module:libcrypto libssl-dev"
    "certificates ca-certificates"
)
readonly test_needs=(
    "module:gtk4 libgtk-4-dev"
    "module:libheif libheif-dev"
    "command:Xvfb xvfb"
    "command:nghttpd nghttp2-server"
    "command:openssl openssl"
)

say() { printf 'setup: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# Whether the thing that a probe names is on this machine.
present() {
    local kind=${1%%:*} name=${1#*:} directory
    case $kind in
    command) command -v "$name" >/dev/null ;;
    module) command -v pkg-config >/dev/null && pkg-config --exists "${name//,/ }" ;;
    header)
        for directory in /usr/include /usr/local/include /opt/homebrew/include; do
            [[ -e $directory/$name ]] && return
        done
        return 1
        ;;
    certificates)
        [[ -n ${SSL_CERT_FILE:-}${CURL_CA_BUNDLE:-} || -e /etc/ssl/certs/ca-certificates.crt ||
            -e /etc/ssl/cert.pem || -e /etc/pki/tls/certs/ca-bundle.crt ]]
        ;;
    esac
}

check_swift() {
    local get="https://www.swift.org/install/linux/ has Swift ($swift_minimum or newer); put its usr/bin on the PATH."
    command -v swift >/dev/null || die "Swift is missing. $get"

    local answer
    answer=$(swift --version 2>&1) || die "Swift does not start: ${answer:-no message}"
    [[ $answer =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || die "Swift gave no version. $get"
    local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
    ((major * 1000 + minor >= ${swift_minimum%.*} * 1000 + ${swift_minimum#*.})) ||
        die "Swift $major.$minor is too old. $get"
}

# Runs a command with root's rights, or fails at once when nobody is there to type a password.
as_root() {
    if ((EUID == 0)); then
        "$@"
    elif [[ -t 0 ]]; then
        sudo --preserve-env=http_proxy,https_proxy,no_proxy "$@"
    else
        sudo -n --preserve-env=http_proxy,https_proxy,no_proxy "$@"
    fi
}

may_become_root() {
    ((EUID == 0)) && return
    command -v sudo >/dev/null || return
    [[ -t 0 ]] || sudo -n true 2>/dev/null
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install \
        --yes -qq --no-install-recommends --no-remove \
        -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@" >&2 </dev/null
}

# Package lists may be absent or too old to download from; they are fetched only in that case.
install() {
    apt-get install --simulate -qq "$@" >/dev/null 2>&1 && apt_install "$@" && return
    say "fetching the package lists"
    as_root apt-get update -qq -o DPkg::Lock::Timeout=120 >&2 </dev/null
    apt_install "$@"
}

main() {
    local purpose=${1:-demo} needs=("${build_needs[@]}")
    case $purpose in
    demo) ;;
    test) needs+=("${test_needs[@]}") ;;
    *)
        printf 'usage: %s [demo|test]\n' "$0" >&2
        exit 2
        ;;
    esac

    check_swift

    local need absent=() packages=()
    for need in "${needs[@]}"; do
        present "${need% *}" && continue
        absent+=("${need% *}")
        packages+=("${need#* }")
    done
    ((${#packages[@]} == 0)) && return

    if ! command -v apt-get >/dev/null; then
        die "missing: ${absent[*]}. This system has no apt; install them (with their headers) its own way."
    fi
    local command="apt-get install --no-install-recommends ${packages[*]}"
    may_become_root || die "missing packages: ${packages[*]}. As root, run: $command"

    say "installing ${packages[*]}"
    install "${packages[@]}" || die "could not install. As root, run: apt-get update && $command"

    hash -r
    for need in "${needs[@]}"; do
        present "${need% *}" || die "${need% *} is still missing although ${need#* } was installed."
    done
}

main "$@"
