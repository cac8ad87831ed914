#!/usr/bin/env bash
# Builds the benchmarks in release mode and runs them: those that $ROWS names, or all, $ROUNDS times each.
set -euo pipefail
cd "$(dirname "$0")/.."

# Otherwise a build of an earlier day does not notice files that have come or gone in the package that it depends on.
touch Package.swift Benchmarks/Package.swift
swift build --package-path Benchmarks --scratch-path .build/bench --configuration release >&2
# Nothing is left beside the sources.
export PYTHONDONTWRITEBYTECODE=1
exec build/bench/venv/bin/python Benchmarks/runner --rows "${ROWS:-}" --rounds "${ROUNDS:-3}"
