#!/usr/bin/env bash
# Prints package traits, separated by commas: all that Package.swift lists, or with `formats` those that add a format.
set -euo pipefail
cd "$(dirname "$0")/.."

lists='formats|parts'
[[ ${1-} != formats ]] || lists=formats
sed -nE "/^let ($lists) = /,/^]/s/^ *\(trait: \"([A-Za-z0-9]+)\".*/\1/p" Package.swift | paste -sd ,
