#!/usr/bin/env bash
# Builds the gallery in release mode and runs it on the URLs in $URLS, separated by spaces.
set -euo pipefail

directory=$(dirname "$0")/..
read -r -d "" -a urls <<<"${URLS:-}" || :

SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$directory" --configuration release --traits GTK,HEIF --product Gallery
cd "$directory"
exec .build/release/Gallery ${urls[@]+"${urls[@]}"}
