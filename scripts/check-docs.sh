#!/usr/bin/env bash
# Opens every article and a sample of the symbols of the site in build/docs in headless Chromium, and searches it.
# A page that shows no title or that of another page, logs an error, links to nothing, has no text without JavaScript, or
# scrolls sideways at the width of a phone or a desktop fails the check.
# check-docs.sh [SCREENSHOTS]
set -euo pipefail
cd "$(dirname "$0")/.."

command -v chromium >/dev/null || { echo 'Install chromium to check the site.' >&2; exit 1; }
[[ -e build/docs/index.html ]] || { echo 'Run make docs first.' >&2; exit 1; }
exec python3 scripts/check-docs.py build/docs "$@"
