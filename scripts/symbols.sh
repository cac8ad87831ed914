#!/usr/bin/env bash
# Builds all library products and writes their symbol graphs, a folder for each: symbols.sh FOLDER TRAITS [built]
# With `built` it takes the modules that the last debug build with these traits has left.
set -euo pipefail
cd "$(dirname "$0")/.."

# A module, and the modules whose symbols it re-exports.
readonly products=(
    "Alcedo AlcedoPixels,AlcedoCaches,AlcedoCodecs,AlcedoRaster,AlcedoTransport"
    "AlcedoGTK"
    "AlcedoAF"
    "AlcedoTesting AlcedoWaiting"
    "AlcedoMemcached"
)

# Prints the flags with which Clang finds the C modules that Alcedo imports.
c_flags() {
    local map name
    for map in Sources/System/*/module.modulemap Sources/*/include/module.modulemap "$1"/*.build/module.modulemap; do
        [[ ! -e $map ]] || printf '%s\n' -Xcc "-fmodule-map-file=$(realpath "$map")"
    done
    # shellcheck disable=SC2046
    for name in $(pkg-config --cflags $(sed -n 's/.*system("[A-Za-z0-9]*", "\([^"]*\)".*/\1/p' Package.swift)); do
        printf '%s\n' -Xcc "$name"
    done
}

graphs=$1
if [[ ${3-} != built ]]; then
    for module in AlcedoGTK AlcedoAF AlcedoTesting AlcedoMemcached; do
        SWIFT_DETERMINISTIC_HASHING=1 swift build --target "$module" --traits "$2"
    done
fi
folder=$(swift build --show-bin-path --traits "$2" 2>/dev/null)
target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)",/\1/p' | head -n 1)
mapfile -t flags < <(c_flags "$folder")
rm -rf "$graphs"
while read -r module exports; do
    mkdir -p "$graphs/$module"
    swift symbolgraph-extract -module-name "$module" -I "$folder/Modules" "${flags[@]}" -target "$target" \
        -minimum-access-level public -skip-inherited-docs -skip-synthesized-members \
        -emit-extension-block-symbols -experimental-allowed-reexported-modules="$exports" \
        -output-dir "$graphs/$module"
done < <(printf '%s\n' "${products[@]}")
