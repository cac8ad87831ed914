#!/usr/bin/env bash
# Loads the image server for $MINUTES minutes and prints what memory it has taken; see Benchmarks/runner/soak.py.
set -euo pipefail
cd "$(dirname "$0")/.."

for product in alcedo alcedo-decode; do
    swift build --scratch-path .build/serve --configuration release --static-swift-stdlib --product "$product" \
        --traits "$(scripts/traits.sh formats),Memcached,Server" >&2
done
# Python writes no bytecode beside the sources.
export PYTHONDONTWRITEBYTECODE=1
exec build/bench/venv/bin/python Benchmarks/runner/soak.py "${MINUTES:-60}"
