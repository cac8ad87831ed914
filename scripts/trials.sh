#!/usr/bin/env bash
# Runs the measurements one after the other, which print figures: scripts/trials.sh TRAITS
# Each has a limit that an idle machine keeps.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
export SWIFT_DETERMINISTIC_HASHING=1

for program in SandboxTrials ObserverTrials alcedo-decode; do
    swift build --configuration release --product "$program" --traits "$1"
done
programs=$(swift build --configuration release --show-bin-path --traits "$1" 2>/dev/null)
"$programs/ObserverTrials"
"$programs/SandboxTrials"

# Calls of the system that hang, in this process and in the programs; in a debug build, as the tests start it.
for product in HangTrials alcedo alcedo-decode alcedo-decode-svg; do
    swift build --product "$product" --traits "$1"
done
built=$(swift build --show-bin-path --traits "$1" 2>/dev/null)
cc -shared -fPIC -O1 -pthread -I Tests/CFaults/include -o build/libfaults.so Tests/CFaults/*.c
hangs=0
scripts/with-display.sh "$built/HangTrials" all "$PWD/build/libfaults.so" || hangs=1

ALCEDOTESTS=TimedTrials scripts/run-tests.sh --filter TimedTrials --traits "$1"
exit $hangs
