#!/usr/bin/env bash
# Prints the files that differ from where this branch left main, committed or not; of those that are gone, the old names.
set -euo pipefail
cd "$(dirname "$0")/.."
base=HEAD
for main in origin/main main; do
    if found=$(git merge-base HEAD "$main" 2>/dev/null); then
        base=$found
        break
    fi
done
git diff --name-only --no-renames "$base"
git ls-files --others --exclude-standard
