#!/usr/bin/env bash
# Checks formatting and the house rules that a script can check. Prints each violation, file and line first.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly longest_source=250
readonly longest_test=400
readonly unsafe_budget=36
readonly unsafe_escape='@unchecked Sendable|nonisolated[(]unsafe[)]'

broken=0

# Prints each finding and sets `broken`; the first argument names the rule.
report() {
    local rule=$1 finding
    while IFS= read -r finding; do
        printf '%s: %s\n' "$finding" "$rule" >&2
        broken=1
    done
}

# Prints lines of Swift that match a pattern outside comments, string literals and quoted names.
code_lines() {
    local pattern=$1
    shift
    # shellcheck disable=SC2016
    find "$@" -name '*.swift' -exec awk -v pattern="$pattern" '
        { code = $0; gsub(/"([^"\\]|\\.)*"/, "", code); gsub(/`[^`]*`/, "", code); sub(/\/\/.*/, "", code) }
        code ~ pattern { print FILENAME ":" FNR }' {} +
}

# Prints unsafe escapes without “Safe because” in their line or in the comment and attributes directly above.
unexplained_escapes() {
    # shellcheck disable=SC2016
    find Sources Tests Examples Benchmarks -name '*.swift' -exec awk -v pattern="$unsafe_escape|unsafeBitCast" '
        FNR == 1 { above = "" }
        { code = $0; sub(/\/\/.*/, "", code) }
        code ~ pattern && (above $0) !~ /Safe because/ { print FILENAME ":" FNR }
        { above = /^[[:space:]]*(\/\/|@)/ ? above $0 : "" }' {} +
}

long_files() {
    local most=$1
    shift
    find "$@" \( -name '*.swift' -o -name '*.[ch]' \) \
        -exec awk -v most="$most" 'FNR == most + 1 { print FILENAME ":" FNR }' {} +
}

# Prints paths in the documentation that don't exist, from the root or from Sources.
missing_paths() {
    local page path
    for page in ./*.md docs/*.md docs/decisions/*.md; do
        while read -r path; do
            [[ -e $path || -e Sources/$path ]] || printf '%s: %s\n' "$page" "$path"
        done < <(grep -oE '`(Sources|Tests|Alcedo|Examples|Benchmarks|docs|scripts)[A-Za-z0-9_.+/-]*/[A-Za-z0-9_.+/-]*`' "$page" |
            tr -d '`' | sort -u)
    done
}

# Prints decision records that the list of records lacks.
unlisted_records() {
    local record
    for record in docs/decisions/*.md; do
        grep -qF "(decisions/${record##*/})" docs/README.md || echo "$record"
    done
}

# Prints distributions whose command in the documentation is not what setup.sh prints.
wrong_commands() {
    local name
    for name in debian ubuntu fedora arch alpine; do
        grep -qxF -- "$(scripts/setup.sh list "$name" GTK,HEIF,JXL,TIFF,JP2,SVG)" docs/install.md || echo "$name"
    done
}

swift format lint --strict --recursive Sources Tests Examples Benchmarks Package.swift || broken=1

report 'an unsafe escape needs a "Safe because …" comment' < <(unexplained_escapes)
report 'no try! and no as!' < <(code_lines 'try!|[^a-zA-Z_]as!' Sources Tests)
report 'tests wait for events, they do not sleep' < <(
    code_lines '(^|[^a-zA-Z_.])(u|nano)?sleep[(]|(Glibc|Task|Thread|Clock([(][)])?)[.]u?sleep|asyncAfter' Tests
)
report "longer than $longest_source lines" < <(long_files "$longest_source" Sources)
report "longer than $longest_test lines" < <(long_files "$longest_test" Tests Examples Benchmarks)

report 'the documentation names a path that does not exist' < <(missing_paths)
report 'docs/README.md does not list it' < <(unlisted_records)
report 'docs/install.md differs from setup.sh list' < <(wrong_commands)

escapes=$(code_lines "$unsafe_escape" Sources | wc -l)
if ((escapes > unsafe_budget)); then
    report "more than $unsafe_budget unsafe escapes" <<<"Sources ($((escapes)))"
fi

exit "$broken"
