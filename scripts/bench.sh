#!/usr/bin/env bash
# Builds the benchmarks in release mode and runs those in $ROWS, or all, $ROUNDS times each.
set -euo pipefail
cd "$(dirname "$0")/.."

# Otherwise an incremental build misses files added to or removed from the package that it depends on.
touch Package.swift Benchmarks/Package.swift
swift build --package-path Benchmarks --scratch-path .build/bench --configuration release >&2
# The programs, with all formats, for the rows that run them.
if [[ -z ${ROWS:-} || " ${ROWS//,/ } " =~ " "(server|fleet|startup|throughput|window)" " ]]; then
    for product in alcedo alcedo-decode; do
        swift build --scratch-path .build/serve --configuration release --static-swift-stdlib --product "$product" \
            --traits "$(scripts/traits.sh formats),Memcached,Server" >&2
    done
fi
if [[ -z ${ROWS:-} || " ${ROWS//,/ } " == *" window "* ]]; then
    # Swift's libraries linked in: it starts with a third less processor time before main than when they are loaded.
    swift build --scratch-path .build/window --configuration release --product Gallery --traits GTK \
        --static-swift-stdlib >&2
fi
# Python writes no bytecode beside the sources.
export PYTHONDONTWRITEBYTECODE=1
exec build/bench/venv/bin/python Benchmarks/runner --rows "${ROWS:-}" --rounds "${ROUNDS:-3}"
