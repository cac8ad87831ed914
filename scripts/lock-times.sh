#!/usr/bin/env bash
# Measures how long each lock is held a load, and says for how many processors that is too long: docs/load-cost.md.
set -euo pipefail
cd "$(dirname "$0")/.."

touch Package.swift Benchmarks/Package.swift
swift build --package-path Benchmarks --scratch-path .build/lock-times --configuration release --product AlcedoBench \
    -Xswiftc -DLOCK_TIMES >&2
exec python3 -B scripts/lock-times.py .build/lock-times/release/AlcedoBench
