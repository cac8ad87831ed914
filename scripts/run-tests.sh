#!/usr/bin/env bash
# Builds all tests, runs them with a display, and repeats the failures at the end: scripts/run-tests.sh [OPTION OF swift build]…
# `swift test` starts all tests at once: on two cores each then competes with a thousand others, and timeouts expire.
set -euo pipefail
cd "$(dirname "$0")/.."

# These occupy all cores for minutes, so other tests' timeouts would expire; they run separately.
busy='Alcedo(Codecs|HEIF|JXL|TIFF|JP2|SVG|Video|Raster)Tests|FuzzTargetsTests|damaged picture|small file takes|on trial'

# These measure time, or need or block threads of Swift's pool: they run alone.
timed='AlcedoIsolationTests|A shared cache with a bad server|A call of a memcached server that trickles|leave tasks a thread'

# For the build only: the tests should run with every order of a dictionary.
SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests "$@"
tests=$(swift build --show-bin-path "$@" 2>/dev/null)/AlcedoPackageTests.xctest
log=$(mktemp)
trap 'rm -f "$log"' EXIT

run() {
    # A test's argument may be megabytes long; the log keeps 1000 bytes of its line.
    scripts/with-display.sh scripts/within.sh 45m "$tests" --testing-library swift-testing \
        --experimental-maximum-parallelization-width $((4 * $(nproc))) "$@" 2>&1 |
        stdbuf -oL cut -b -1000 | tee -a "$log"
}

# Prints the tests that started and did not end: the one that hung, or in which the process died, is among them.
unfinished() {
    LC_ALL=C comm -23 <(names ' started\.') <(names '( with [0-9]+ test cases?)? (passed|failed) after .*')
}

names() {
    sed -nE "s/^.* Test (\"[^\"]*\"|[^ ]*\(\))$1$/\\1/p" "$log" | LC_ALL=C sort
}

failed=0
run --skip "$busy|$timed" || failed=1
run --filter "$timed" || failed=1
run --filter "$busy" || failed=1
if [ $failed = 1 ]; then
    printf '\nWhat failed:\n'
    grep -a -A 3 -e '✘' -e 'SUMMARY: ' -e 'WARNING: ThreadSanitizer' "$log" | tail -n 100 || true
    unfinished | head -n 50 | sed 's/^/Has not ended: /'
fi
exit $failed
