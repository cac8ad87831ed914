#!/usr/bin/env bash
# Runs setup.sh as on other distributions: with their os-release and without any package, and a package manager that
# knows the packages in Tests/Fixtures/setup. Prints each difference from what is expected.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly fixtures=Tests/Fixtures/setup setup=$PWD/scripts/setup.sh
stubs=$(mktemp -d)
trap 'rm -rf "$stubs"' EXIT
traits=$(scripts/traits.sh)
formats=$(scripts/traits.sh formats)

# Creates a program that is not the system's.
stub() {
    printf '#!/bin/bash\n%s\n' "$3" >"$1/$2"
    chmod +x "$1/$2"
}

# Creates the folder of programs for a distribution: what scripts use, a Swift, and a package manager.
programs() {
    local name
    mkdir "$1"
    for name in bash cat dirname env mktemp paste rm sed; do ln -s "$(command -v "$name")" "$1/$name"; done
    stub "$1" swift 'echo "Swift Package Manager - Swift 6.3.0"'
    [[ $2 != apt-get ]] ||
        # As apt-get: it installs all packages or none.
        stub "$1" apt-get '[[ " $* " == *" install "* ]] || exit 0
            for name; do
                [[ $name != -* && $name != install && $name != DPkg::* ]] || continue
                isKnown=
                while read -r known; do [[ $known != "$name" ]] || isKnown=1; done <"$STUB_PACKAGES"
                [[ -n $isKnown ]] || { echo "E: Unable to locate package $name"; exit 100; }
            done'
}

# Prints what is wrong with `setup.sh PURPOSE …` for a distribution, whose package manager is the second argument.
check() {
    local system=$1 manager=$2 output word
    shift 2
    rm -rf "${stubs:?}/bin"
    programs "$stubs/bin" "$manager"
    output=$(env -i PATH="$stubs/bin" HOME=/ SETUP_ROOT="$PWD/$fixtures/$system" \
        STUB_PACKAGES="$PWD/$fixtures/$system/packages" "$setup" "$@" 2>&1) || :
    if [[ $manager == apt-get ]]; then
        # Nothing has come of the installation, which setup.sh has to notice.
        [[ $output == *"is still missing after the installation." ]] ||
            printf 'setup.sh %s on %s: %s\n' "$*" "$system" "$output"
        return
    fi
    [[ $output == "setup: missing: "*". As root, run: $manager "?* ]] ||
        printf 'setup.sh %s on %s: %s\n' "$*" "$system" "$output"
    for word in ${output##*"$manager"}; do
        grep -qxF -- "$word" "$fixtures/$system/packages" ||
            printf 'setup.sh %s on %s: it has no package %s\n' "$*" "$system" "$word"
    done
}

for purpose in demo serve-demo test docs "install $formats" "install $traits"; do
    # shellcheck disable=SC2086
    {
        check debian apt-get $purpose
        check ubuntu apt-get $purpose
        check mint apt-get $purpose
        check fedora "dnf install" $purpose
        check arch "pacman -S --needed" $purpose
    }
done
for purpose in deb bench; do
    check debian apt-get "$purpose"
    check ubuntu apt-get "$purpose"
done
