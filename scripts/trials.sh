#!/usr/bin/env bash
# Runs the measurements one after the other, which print figures: scripts/trials.sh TRAITS
# Each has a limit that an idle machine keeps.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_DETERMINISTIC_HASHING=1

for program in SandboxTrials ObserverTrials alcedo-decode; do
    swift build --configuration release --product "$program" --traits "$1"
done
programs=$(swift build --configuration release --show-bin-path --traits "$1" 2>/dev/null)
"$programs/ObserverTrials"
"$programs/SandboxTrials"
ALCEDOTESTS=TimedTrials scripts/run-tests.sh --filter TimedTrials --traits "$1"
