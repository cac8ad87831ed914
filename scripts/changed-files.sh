#!/usr/bin/env bash
# Prints the files that differ from where this branch left main, committed or not, and that exist.
set -euo pipefail
cd "$(dirname "$0")/.."
base=HEAD
for main in origin/main main; do
    if found=$(git merge-base HEAD "$main" 2>/dev/null); then
        base=$found
        break
    fi
done
git diff --name-only --diff-filter=d "$base"
git ls-files --others --exclude-standard
