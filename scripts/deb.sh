#!/usr/bin/env bash
# Builds the packages alcedo, alcedo-server, alcedo-gallery and alcedo-viewer for this system in build/deb.
# DEBFULLNAME and DEBEMAIL name the maintainer. The packages are dated SOURCE_DATE_EPOCH, by default the last commit.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh deb

export SOURCE=$PWD LC_ALL=C.UTF-8 TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
readonly maintainer="${DEBFULLNAME:-Alcedo contributors} <${DEBEMAIL:-alcedo@example.com}>"
readonly stage=build/deb/stage
version=$(sed -n 's/.* current = "\(.*\)"/\1/p' Sources/Alcedo/Support/AlcedoVersion.swift)

rm -rf build/deb
mkdir -p "$stage"
make install STATIC=1 TRAITS="$(scripts/traits.sh)" PREFIX=/usr ZSH_FOLDER=vendor-completions DESTDIR="$PWD/build/deb/programs"
cp -r packaging/debian "$stage/debian"
cd "$stage"
sed -i "s/@MAINTAINER@/$(sed 's/[\\/&]/\\&/g' <<<"$maintainer")/" debian/control
{
    cat debian/copyright.head
    sed '1,/^Copyright/d' "$SOURCE/LICENSE" | sed '1d; s/^$/./; s/^/ /'
    cat debian/copyright.tail
} >debian/copyright
rm debian/copyright.head debian/copyright.tail
cat >debian/changelog <<END
alcedo ($version-1) unstable; urgency=medium

  * Version $version; changelog.gz beside this file has the changes.

 -- $maintainer  $(date --date="@$SOURCE_DATE_EPOCH" --rfc-email)
END
# Without the list of build dependencies, which setup.sh knows.
dpkg-buildpackage --build=binary --no-sign --no-check-builddeps
cd ..
rm -rf stage programs
ls -l -- *.deb
