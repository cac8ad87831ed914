#!/usr/bin/env bash
# Builds the demo in release mode and runs it with the space-separated URLs in $URLS.
set -euo pipefail

directory=$(dirname "$0")/..
read -r -d "" -a urls <<<"${URLS:-}" || :

swift build --package-path "$directory" --configuration release --product AlcedoDemo
exec "$directory/.build/release/AlcedoDemo" ${urls[@]+"${urls[@]}"}
