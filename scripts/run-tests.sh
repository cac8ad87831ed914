#!/usr/bin/env bash
# Builds all tests, runs them with a display, and says at the end again what failed: scripts/run-tests.sh [OPTION OF swift build]…
# `swift test` would start all of them at once: on two cores each then waits for a thousand others, and time-outs pass.
set -euo pipefail
cd "$(dirname "$0")/.."

# These keep every core busy for minutes, in which the others' time-outs would pass: they run apart.
busy='Alcedo(Codecs|HEIF|JXL|SVG|Raster)Tests|FuzzTargetsTests|damaged picture|small file takes|on trial'

# Not for the tests themselves, which should meet every order of a dictionary.
SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests "$@"
tests=$(swift build --show-bin-path "$@" 2>/dev/null)/AlcedoPackageTests.xctest
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
    # What a test is given may be megabytes; the line that names it need not be.
    scripts/with-display.sh scripts/within.sh 20m "$tests" --testing-library swift-testing \
        --experimental-maximum-parallelization-width $((4 * $(nproc))) "$@" 2>&1 |
        stdbuf -oL cut -b -1000 | tee -a "$log"
}

# Which tests have begun and not ended, so that it is known which one hung, or in which the process died.
unfinished() {
    LC_ALL=C comm -23 <(names ' started\.') <(names '( with [0-9]+ test cases?)? (passed|failed) after .*')
}

names() {
    sed -nE "s/^.* Test (\"[^\"]*\"|[^ ]*\(\))$1$/\\1/p" "$log" | LC_ALL=C sort
}

failed=0
run --skip "$busy" || failed=1
run --filter "$busy" || failed=1
if [ $failed = 1 ]; then
    printf '\nWhat failed:\n'
    grep -a -A 3 -e '✘' -e 'SUMMARY: ' -e 'WARNING: ThreadSanitizer' "$log" | tail -n 100 || true
    unfinished | head -n 50 | sed 's/^/Has not ended: /'
fi
exit $failed
