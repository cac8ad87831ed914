#!/usr/bin/env bash
# Counts the instructions of a load by stage and compares them with their budget: docs/load-cost.md.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v valgrind > /dev/null || {
    echo "load-cost: valgrind is missing; install it: apt-get install valgrind" >&2
    exit 1
}
touch Package.swift Benchmarks/Package.swift
swift build --package-path Benchmarks --scratch-path .build/bench --configuration release --product AlcedoBench >&2
# Valgrind can't read the debug information of Swift's compiler.
mkdir -p build/bench
strip -g -o build/bench/AlcedoBench .build/bench/release/AlcedoBench
# The toolchain has the tool that reads Swift's names beside its compiler.
PATH="$PATH:$(dirname "$(readlink -f "$(command -v swift)")")" exec python3 -B scripts/load-cost.py build/bench/AlcedoBench "$@"
