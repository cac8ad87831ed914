#!/usr/bin/env bash
# Builds the documentation site in build/docs: all library products by DocC, the Markdown files, and a search over both
# (scripts/site): docs.sh TRAITS
# `docs.sh pages` takes the symbols of the last run, for changes that are in the articles only. A warning is an error,
# and so is a symbol in no group.
set -euo pipefail
cd "$(dirname "$0")/.."

# Alcedo first, as the others link to it.
readonly products=(Alcedo AlcedoGTK AlcedoAF AlcedoTesting AlcedoMemcached)
readonly graphs=build/docs-symbols archives=build/docs-archives site=build/docs

# Makes an archive of each module, with links to Alcedo's, and joins them.
convert_pages() {
    local module list=() alcedo=()
    rm -rf "$archives" "$site"
    mkdir -p "$archives"
    for module in "${products[@]}"; do
        docc convert "Sources/$module/$module.docc" --warnings-as-errors \
            --additional-symbol-graph-dir "$graphs/$module" --output-dir "$archives/$module.doccarchive" \
            --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
            --fallback-default-module-kind Library --hosting-base-path "${BASE_PATH:-/}" \
            --enable-experimental-external-link-support "${alcedo[@]}"
        list+=("$archives/$module.doccarchive")
        alcedo=(--dependency "$archives/Alcedo.doccarchive")
    done
    # A link from one module to an article of another is a plain one, which does not know where the site will be.
    if [[ ${BASE_PATH:-/} != / ]]; then
        for module in AlcedoGTK AlcedoAF AlcedoTesting; do
            sed -i "s#\"url\":\"\\\\/documentation\\\\/alcedo\\\\/#\"url\":\"${BASE_PATH%/}/documentation/alcedo/#g" \
                "$archives/$module.doccarchive/data/documentation/${module,,}.json"
        done
    fi
    docc merge "${list[@]}" --output-path "$site" --synthesized-landing-page-name Alcedo \
        --synthesized-landing-page-kind Libraries --synthesized-landing-page-topics-style list
}

[[ ${1:-} == pages ]] || scripts/symbols.sh "$graphs" "$1"
convert_pages
python3 scripts/check-topics.py "$site"
build/site/venv/bin/python scripts/site/build.py "$site" "${BASE_PATH:-/}"
printf 'The site is in %s. To read it: python3 -m http.server --bind 127.0.0.1 --directory %s\n' "$site" "$site"
