#!/usr/bin/env bash
# Runs libFuzzer on all code that reads untrusted bytes, for SECONDS_IN_ALL divided among TARGETS, or all targets.
# Findings are written to build/fuzz/<target>/, and the run fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

traits=$1
scratch=.build/fuzz
program=$scratch/release/AlcedoFuzz

# Testing is enabled so that targets can call internal functions. Of the compiler's sanitizer options the last determines
# coverage, and SwiftPM passes its own in any order: so fuzzer is passed once more.
SWIFT_DETERMINISTIC_HASHING=1 swift build --configuration release --product AlcedoFuzz --traits "$traits" --scratch-path "$scratch" \
    --sanitize address --sanitize fuzzer -Xswiftc -sanitize=fuzzer -Xswiftc -DFUZZ -Xswiftc -enable-testing || exit 1

# Prints the seed files of a target.
seeds() {
    local extension
    "$program" --seeds "$1" | while IFS= read -r extension; do
        case $extension in
            '') ;;
            '*') find Tests/Fixtures -type f -size -4k ;;
            *) find Tests/Fixtures -type f -size -64k -name "*.$extension" ! -path 'Tests/Fixtures/fuzz/*' ;;
        esac
    done
    [[ -d Tests/Fixtures/fuzz/$1 ]] && find "Tests/Fixtures/fuzz/$1" -type f ! -name '*.md'
}

# The sanitizer would take Swift's own crash report for a second crash.
export SWIFT_BACKTRACE=enable=no
found=0
read -ra targets <<<"${TARGETS:-$("$program" --list | tr '\n' ' ')}"
seconds=$((${SECONDS_IN_ALL:-600} / ${#targets[@]} + 1))
for target in "${targets[@]}"; do
    folder=build/fuzz/$target
    corpus=$scratch/corpus/$target
    mkdir -p "$folder" "$corpus"
    seeds "$target" | while IFS= read -r file; do cp -n "$file" "$corpus/$(sha256sum <"$file" | head -c 16)"; done
    printf '%s: %s seconds\n' "$target" "$seconds"
    if ! "$program" "$target" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=1024 -malloc_limit_mb=256 \
        -timeout=10 -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$folder/" "$corpus" \
        >"$folder/log.txt" 2>&1; then
        printf '%s: finding, see %s/log.txt\n' "$target" "$folder" >&2
        tail -n 25 "$folder/log.txt" >&2
        found=1
    fi
    if grep -q 'Is the code instrumented' "$folder/log.txt"; then
        printf '%s: no coverage, so the fuzzer was blind\n' "$target" >&2
        found=1
    fi
    grep -E 'number_of_executed_units|peak_rss' "$folder/log.txt"
done
exit "$found"
