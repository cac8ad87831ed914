#!/usr/bin/env bash
# Checks what differs from main, in a minute where the build is warm: the style, the public API, and the tests of the
# targets that changed: scripts/check-changes.sh TRAITS [LAYER]…
set -euo pipefail
cd "$(dirname "$0")/.."
readonly traits=$1
shift

scripts/check.sh changes
ALCEDOTESTS=$(python3 scripts/changed-tests.py "$@")
if [[ -z $ALCEDOTESTS ]]; then
    echo 'No target has changed.'
    exit
fi
export ALCEDOTESTS
scripts/symbols.sh build/api-symbols "$traits"
python3 scripts/api.py check build/api-symbols docs/api
printf 'Tests: %s\n' "${ALCEDOTESTS//,/, }"
scripts/run-tests.sh --traits "$traits"
