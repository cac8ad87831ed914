#!/usr/bin/env bash
# Installs the packages needed to build (`setup.sh demo`, the default), to install with some traits (`setup.sh install
# HEIF,JXL`), to test (`setup.sh test`), to benchmark (`setup.sh bench`), to
# build the documentation site (`setup.sh docs`) or to make Debian packages (`setup.sh deb`).
# Installs only missing packages, so a second run takes a few milliseconds, or half a second to test.
# `setup.sh list debian|ubuntu|fedora|arch|alpine [TRAITS]` prints the install command for a distribution.
# SETUP_ROOT is a folder that has the system's files, for tests (scripts/check-setup.sh).
# shellcheck disable=SC2034 # add_traits reads the arrays of traits by their names.
set -euo pipefail

readonly swift_minimum=6.3 system_root=${SETUP_ROOT-}

# Dependencies: a probe, then the package that satisfies it on Debian, Ubuntu, Fedora, Arch and Alpine, in this order;
# `-` where no package is known.
# Tested on Debian 12; the names were looked up in the package lists of Debian 13 and Ubuntu 24.04, the others in the
# distributions' documentation.
readonly build_needs=(
    "file:/usr/lib/gcc/*/*/libstdc++.so,/usr/lib/libstdc++.so g++ g++ gcc-c++ gcc g++"
    "command:pkg-config pkg-config pkg-config pkgconf-pkg-config pkgconf pkgconf"
    "module:libcurl libcurl4-openssl-dev libcurl4-openssl-dev libcurl-devel curl curl-dev"
    "module:libjpeg libjpeg62-turbo-dev libjpeg-turbo8-dev libjpeg-turbo-devel libjpeg-turbo libjpeg-turbo-dev"
    "module:spng libspng-dev libspng-dev libspng-devel libspng libspng-dev"
    "module:libdeflate libdeflate-dev libdeflate-dev libdeflate-devel libdeflate libdeflate-dev"
    "module:libwebp,libwebpdemux,libwebpmux libwebp-dev libwebp-dev libwebp-devel libwebp libwebp-dev"
    "file:/usr/include/gif_lib.h libgif-dev libgif-dev giflib-devel giflib giflib-dev"
    "module:cairo libcairo2-dev libcairo2-dev cairo-devel cairo cairo-dev"
    "module:lcms2 liblcms2-dev liblcms2-dev lcms2-devel lcms2 lcms2-dev"
    "module:libcrypto libssl-dev libssl-dev openssl-devel openssl openssl-dev"
    "module:libxxhash libxxhash-dev libxxhash-dev xxhash-devel xxhash xxhash-dev"
    "module:libseccomp libseccomp-dev libseccomp-dev libseccomp-devel libseccomp libseccomp-dev"
    "certificates ca-certificates ca-certificates ca-certificates ca-certificates ca-certificates"
)
readonly GTK_needs=("module:gtk4 libgtk-4-dev libgtk-4-dev gtk4-devel gtk4 gtk4.0-dev")
readonly HEIF_needs=(
    "module:libheif libheif-dev libheif-dev libheif-devel libheif libheif-dev"
    "module:libavif libavif-dev libavif-dev libavif-devel libavif libavif-dev"
)
readonly JXL_needs=("module:libjxl libjxl-dev libjxl-dev libjxl-devel libjxl libjxl-dev")
readonly TIFF_needs=("module:libtiff-4 libtiff-dev libtiff-dev libtiff-devel libtiff tiff-dev")
readonly JP2_needs=("module:libopenjp2 libopenjp2-7-dev libopenjp2-7-dev openjpeg2-devel openjpeg2 openjpeg-dev")
readonly SVG_needs=(
    "module:librsvg-2.0 librsvg2-dev librsvg2-dev librsvg2-devel librsvg librsvg-dev"
    "module:zlib zlib1g-dev zlib1g-dev zlib-devel zlib zlib-dev"
)
readonly Video_needs=(
    "module:libavformat,libavcodec,libavutil libavformat-dev libavformat-dev libavformat-free-devel ffmpeg ffmpeg-dev"
    "module:libswscale libswscale-dev libswscale-dev libswscale-free-devel ffmpeg ffmpeg-dev"
)
readonly Memcached_needs=(
    "module:libmemcached libmemcached-dev libmemcached-dev libmemcached-awesome-devel libmemcached-awesome libmemcached-dev"
)
readonly Server_needs=(
    "module:libmicrohttpd libmicrohttpd-dev libmicrohttpd-dev libmicrohttpd-devel libmicrohttpd libmicrohttpd-dev"
)
readonly python_needs=("command:python3 python3-minimal python3-minimal python3 python python3")
readonly test_needs=(
    "command:Xvfb xvfb xvfb xorg-x11-server-Xvfb xorg-server-xvfb xvfb"
    "command:nghttpd nghttp2-server nghttp2-server nghttp2 nghttp2 nghttp2"
    "command:openssl openssl openssl openssl openssl openssl"
    "command:memcached memcached memcached memcached memcached memcached"
    "command:curl curl curl curl curl curl"
    "file:/usr/sbin/nginx nginx nginx nginx nginx nginx"
    "command:gdb gdb gdb gdb gdb gdb"
    "venv python3-venv python3-venv python3 python python3"
)
readonly serve_demo_needs=(
    "command:memcached memcached memcached memcached memcached memcached"
    "file:/usr/sbin/nginx nginx nginx nginx nginx nginx"
)
readonly docs_needs=("venv python3-venv python3-venv python3 python python3")
readonly deb_needs=("command:dh debhelper debhelper - - -")
readonly bench_needs=(
    "command:Xvfb xvfb xvfb xorg-x11-server-Xvfb xorg-server-xvfb xvfb"
    "file:/usr/sbin/nginx nginx nginx nginx nginx nginx"
    "command:openssl openssl openssl openssl openssl openssl"
    "venv python3-venv python3-venv - - -"
    "file:/usr/lib/*/libMagickWand-*.so.* imagemagick imagemagick - - -"
    "file:/usr/lib/nginx/modules/ngx_http_image_filter_module.so libnginx-mod-http-image-filter libnginx-mod-http-image-filter - - -"
    "module:vips libvips-dev libvips-dev vips-devel libvips vips-dev"
    "command:wrk wrk wrk - - wrk"
    "command:memcached memcached memcached memcached memcached memcached"
)

# The peers in Python, in the versions of docs/benchmarks.json; they bundle libvips and their own codecs.
readonly bench_modules=(
    opencv-python-headless==5.0.0.93 pillow==12.3.0 pyvips==3.2.0 pyvips-binary==8.18.7 wand==0.7.2 httpx==0.28.1
    thumbor==7.8.0
)

# The object store of the tests.
readonly test_modules=('moto[s3]==5.2.5' flask==3.1.3 flask-cors==6.0.5)

# What turns Markdown into pages of the documentation site, and searches it.
readonly docs_modules=(markdown-it-py==4.3.0 'pagefind[bin]==1.5.2')

# Libraries of the toolchain itself, installed only if it does not start.
readonly swift_libraries=(
    "libcurl libcurl4 libcurl4 libcurl curl libcurl"
    "libncurses libncurses6 libncurses6 ncurses-libs ncurses ncurses-libs"
    "libsqlite3 libsqlite3-0 libsqlite3-0 sqlite-libs sqlite sqlite-libs"
    "libxml2 libxml2 libxml2 libxml2 libxml2 libxml2"
)

say() { printf 'setup: %s\n' "$*" >&2; }

die() {
    say "$@"
    exit 1
}

# Succeeds if the probed dependency is installed: one of several files, all of several modules.
present() {
    local kind=${1%%:*} name=${1#*:} file
    case $kind in
    command) command -v "$name" >/dev/null ;;
    module) command -v pkg-config >/dev/null && pkg-config --exists "${name//,/ }" ;;
    venv) python3 -c "import ensurepip, venv" 2>/dev/null ;;
    file)
        for file in ${name//,/ }; do
            compgen -G "$system_root$file" >/dev/null && return
        done
        return 1
        ;;
    certificates)
        [[ -n ${SSL_CERT_FILE:-}${CURL_CA_BUNDLE:-} ]] || present "file:/etc/ssl/certs/ca-certificates.crt,\
/etc/ssl/cert.pem,/etc/pki/tls/certs/ca-bundle.crt,/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
        ;;
    esac
}

readonly get_swift="https://www.swift.org/install/linux/ has it; put its usr/bin on the PATH."

# Exits unless the output of `swift build --version` has a version that is new enough.
check_swift() {
    [[ $1 =~ Swift\ ([0-9]+)\.([0-9]+) ]] || die "'swift build --version' gave no version: $1"
    local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
    ((major * 1000 + minor >= ${swift_minimum%.*} * 1000 + ${swift_minimum#*.})) ||
        die "Swift $major.$minor is too old; $swift_minimum or newer is needed. $get_swift"
}

# Sets `as_root`, the prefix that runs a command as root; fails if sudo needs a password and there is no terminal.
find_root() {
    as_root=()
    ((EUID == 0)) && return
    command -v sudo >/dev/null || return
    as_root=(sudo "--preserve-env=http_proxy,https_proxy,no_proxy")
    [[ -t 0 ]] || sudo -n true 2>/dev/null
}

# Runs apt-get quietly; `install` prints its output on failure.
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --yes -qq -o DPkg::Lock::Timeout=120 "$@" \
        >"$log" 2>&1 </dev/null
}

# Installs packages. Fetches the package lists only if the first attempt fails, because they may be missing or outdated.
install() {
    local arguments=(install --no-install-recommends --no-remove "$@")
    apt "${arguments[@]}" && return
    say "fetching the package lists"
    apt update && apt "${arguments[@]}" && return
    cat "$log" >&2
    return 1
}

readonly distributions=(debian ubuntu fedora arch alpine)
readonly installers=(
    "apt-get install --no-install-recommends" "apt-get install --no-install-recommends" "dnf install" "pacman -S --needed"
    "apk add"
)

# Adds the dependencies of comma-separated traits to `needs`.
add_traits() {
    local trait traits array
    traits=$("${BASH_SOURCE%/*}/traits.sh")
    for trait in ${1//,/ }; do
        [[ ,$traits, == *,$trait,* ]] || die "there is no trait $trait; there are ${traits//,/, }"
        array="${trait}_needs[@]"
        needs+=("${!array}")
    done
}

# Adds the packages of needs to `packages`, for the distribution with this index; fails if one has none.
add_packages() {
    local number=$1 need words package
    shift
    for need in "$@"; do
        read -r -a words <<<"$need"
        package=${words[number + 1]}
        [[ $package != - ]] || die "no package of ${distributions[number]}'s is known that has ${words[0]#*:}"
        # Some distributions have in one package what others have in two.
        [[ " ${packages[*]} " == *" $package "* ]] || packages+=("$package")
    done
}

# Prints the index of a distribution by its name; fails if it is unknown.
distribution() {
    local number
    for number in "${!distributions[@]}"; do
        [[ ${distributions[number]} == "$1" ]] && printf '%s' "$number" && return
    done
    return 1
}

# Prints the index of this system's distribution, or of one that it is like: Linux Mint has Ubuntu's packages.
system() {
    local name names=''
    [[ ! -r $system_root/etc/os-release ]] ||
        names=$(. "$system_root/etc/os-release" && printf '%s' "${ID-} ${ID_LIKE-}")
    for name in $names; do distribution "$name" && return; done
    # Something else with apt-get has Debian's packages.
    command -v apt-get >/dev/null && distribution debian
}

main() {
    local purpose=${1:-demo} needs=("${build_needs[@]}") packages=() number
    case $purpose in
    demo) ;;
    install)
        add_traits "${2-}"
        needs+=("${python_needs[@]}")
        ;;
    test)
        add_traits "$("${BASH_SOURCE%/*}/traits.sh")"
        needs+=("${test_needs[@]}")
        ;;
    serve-demo)
        add_traits HEIF,Memcached,Server
        needs+=("${serve_demo_needs[@]}")
        ;;
    docs)
        add_traits "$("${BASH_SOURCE%/*}/traits.sh")"
        needs+=("${docs_needs[@]}")
        ;;
    deb)
        add_traits "$("${BASH_SOURCE%/*}/traits.sh")"
        needs+=("${deb_needs[@]}" "${python_needs[@]}")
        ;;
    bench)
        add_traits "$("${BASH_SOURCE%/*}/traits.sh")"
        needs+=("${bench_needs[@]}")
        ;;
    list)
        number=$(distribution "${2-}") || die "list one of ${distributions[*]}, not “${2-}”"
        add_traits "${3-}"
        add_packages "$number" "${needs[@]}"
        printf '%s\n' "${installers[number]} ${packages[*]}"
        exit
        ;;
    *)
        printf 'usage: %s [demo|serve-demo|install TRAITS|test|bench|docs|deb|list DISTRIBUTION TRAITS]\n' "$0" >&2
        exit 2
        ;;
    esac

    command -v swift >/dev/null ||
        die "Swift is not on the PATH; $swift_minimum or newer is needed. $get_swift"

    local output need missing=()
    if output=$(swift build --version 2>&1); then
        check_swift "$output"
    else
        say "Swift does not start: ${output:-no message}"
        missing+=("${swift_libraries[@]}")
    fi
    for need in "${needs[@]}"; do
        present "${need%% *}" || missing+=("$need")
    done
    ((${#missing[@]} == 0)) || provide
    case $purpose in
    bench)
        # The second has an object store; in a subshell, as it changes the folder.
        (provide_modules bench "cv2, PIL, pyvips, wand.image, httpx, thumbor" "${bench_modules[@]}")
        provide_modules test "moto, flask_cors" "${test_modules[@]}"
        ;;
    docs) provide_modules site "markdown_it, pagefind_bin" "${docs_modules[@]}" ;;
    test) provide_modules test "moto, flask_cors" "${test_modules[@]}" ;;
    esac
}

# Creates the virtual environment of a purpose with modules, unless all of its imports work.
provide_modules() {
    local folder=build/$1/venv imports=$2
    shift 2
    cd "$(dirname "$0")/.."
    "$folder/bin/python" -c "import $imports" 2>/dev/null && return
    say "installing $* into $folder"
    mkdir -p "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet "$@" || die "pip could not install them; see above."
}

# Installs what `main` found missing, or prints the command that does.
provide() {
    local command absent=("${missing[@]%% *}")
    number=$(system) ||
        die "missing: ${absent[*]#*:}. Install them and their headers your system's way: this is none of ${distributions[*]}."
    add_packages "$number" "${missing[@]}"
    command="${installers[number]} ${packages[*]}"
    [[ $command == apt-get* ]] || die "missing: ${absent[*]#*:}. As root, run: $command"

    find_root || die "missing packages: ${packages[*]}. As root, run: $command"

    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    say "installing ${packages[*]}"
    install "${packages[@]}" || die "could not install them. As root, run: apt-get update && $command"

    hash -r
    output=$(swift build --version 2>&1) || die "Swift does not start: ${output:-no message}"
    check_swift "$output"
    for need in "${needs[@]}"; do
        present "${need%% *}" || die "${need%% *} is still missing after the installation."
    done
}

main "$@"
