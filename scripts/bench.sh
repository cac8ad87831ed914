#!/usr/bin/env bash
# Builds the benchmarks in release mode and runs those in $ROWS, or all, $ROUNDS times each.
set -euo pipefail
cd "$(dirname "$0")/.."

# Otherwise an incremental build misses files added to or removed from the package that it depends on.
touch Package.swift Benchmarks/Package.swift
swift build --package-path Benchmarks --scratch-path .build/bench --configuration release >&2
# Python writes no bytecode beside the sources.
export PYTHONDONTWRITEBYTECODE=1
exec build/bench/venv/bin/python Benchmarks/runner --rows "${ROWS:-}" --rounds "${ROUNDS:-3}"
