#!/usr/bin/env bash
# Prints how many bytes the image server's results take, beside libvips; of $PICTURES photographs, by the program $ALCEDO,
# which is built in release mode if it is not given.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${ALCEDO:-}
if [[ -z $program ]]; then
    for product in alcedo alcedo-decode; do
        swift build --scratch-path .build/serve --configuration release --static-swift-stdlib --product "$product" \
            --traits "$(scripts/traits.sh formats),Memcached,Server" >&2
    done
    program=.build/serve/release/alcedo
fi
# Python writes no bytecode beside the sources.
export PYTHONDONTWRITEBYTECODE=1
exec build/bench/venv/bin/python Benchmarks/runner/sizes.py "$program" "${PICTURES:-200}"
