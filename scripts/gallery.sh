#!/usr/bin/env bash
# Builds the gallery in release mode and runs it with the space-separated URLs in $URLS.
set -euo pipefail

directory=$(dirname "$0")/..
read -r -d "" -a urls <<<"${URLS:-}" || :

SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$directory" --configuration release --traits GTK,HEIF --product Gallery
cd "$directory"
exec .build/release/Gallery ${urls[@]+"${urls[@]}"}
