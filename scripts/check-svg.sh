#!/usr/bin/env bash
# Opens what alcedo serve makes of hostile SVGs in headless Chromium, without the headers that it sends with them. One
# that runs a script or requests anything fails the check.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v chromium >/dev/null || { echo 'Install chromium to check the SVGs.' >&2; exit 1; }
traits=${1:-$(scripts/traits.sh)}
SWIFT_DETERMINISTIC_HASHING=1 swift build --product alcedo --traits "$traits"
exec python3 scripts/check-svg.py "$(swift build --show-bin-path --traits "$traits")/alcedo"
