#!/usr/bin/env bash
# Builds all tests, runs them with a display, and says at the end again what failed: scripts/run-tests.sh [OPTION OF swift build]…
# `swift test` would start all of them at once: on two cores each then waits for a thousand others, and time-outs pass.
set -euo pipefail
cd "$(dirname "$0")/.."

# These keep every core busy for minutes, in which the others' time-outs would pass: they run apart.
busy='Alcedo(Codecs|HEIF|JXL|SVG|Raster)Tests|FuzzTargetsTests|damaged picture|small file takes|on trial'

swift build --build-tests "$@"
tests=$(swift build --show-bin-path "$@" 2>/dev/null)/AlcedoPackageTests.xctest
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
    scripts/with-display.sh "$tests" --testing-library swift-testing \
        --experimental-maximum-parallelization-width $((4 * $(nproc))) "$@" 2>&1 | tee -a "$log"
}

failed=0
run --skip "$busy" || failed=1
run --filter "$busy" || failed=1
if [ $failed = 1 ]; then
    printf '\nWhat failed:\n'
    grep -a -A 3 -e '✘' -e 'SUMMARY: ' -e 'WARNING: ThreadSanitizer' "$log" | tail -n 100 || true
fi
exit $failed
