#!/usr/bin/env bash
# Writes screenshots of the gallery's pages to docs/images and of the viewer to the documentation, on a virtual display.
set -euo pipefail
cd "$(dirname "$0")/.."

SWIFT_DETERMINISTIC_HASHING=1 swift build --configuration release --traits GTK,HEIF --product Gallery
for page in gallery detail cache; do
    name=gallery-$page
    scripts/with-display.sh .build/release/Gallery --screenshot "docs/images/${name/gallery-gallery/gallery}.png" "$page"
done

SWIFT_DETERMINISTIC_HASHING=1 swift build --configuration release --traits GTK,HEIF --product Viewer
# The gallery has drawn the picture.
scripts/with-display.sh .build/release/Viewer --screenshot Sources/Alcedo/Alcedo.docc/viewer.png \
    build/demo/gallery/ridges-at-dusk.jpeg
