#!/usr/bin/env bash
# Checks formatting and the house rules that a script can check: check.sh [changes]
# Prints each violation, file and line first. With `changes`, checks the format of files only that differ from main.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly longest_source=400
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

# Prints public types at the top of a file without documentation; a member whose name says all needs none.
undocumented_types() {
    find Sources -name '*.swift' -exec awk '
        FNR == 1 { above = "" }
        /^(public|open) ([a-z]+ )*(struct|class|enum|protocol|actor) / && above !~ /\/\/\// { print FILENAME ":" FNR }
        { above = /^(\/\/|@)/ ? above $0 : "" }' {} +
}

long_files() {
    local most=$1
    shift
    find "$@" \( -name '*.swift' -o -name '*.[ch]' \) \
        -exec awk -v most="$most" 'FNR == most + 1 { print FILENAME ":" FNR }' {} +
}

# Prints paths in the documentation that don't exist, from the root, from Sources or from AlcedoServer, which has a folder
# of that name.
missing_paths() {
    local page path
    for page in ./*.md docs/*.md docs/decisions/*.md; do
        while read -r path; do
            [[ -e $path || -e Sources/$path || -e Sources/AlcedoServer/$path ]] || printf '%s: %s\n' "$page" "$path"
        done < <(grep -oE '`(Sources|Tests|Alcedo|Examples|Benchmarks|docs|scripts)[A-Za-z0-9_.+/-]*/[A-Za-z0-9_.+/-]*`' "$page" |
            tr -d '`' | sort -u)
    done
}

# Prints links in the documentation to files that don't exist.
missing_links() {
    local page link
    for page in ./*.md docs/*.md docs/decisions/*.md .github/*.md; do
        while read -r link; do
            [[ -e $(dirname "$page")/$link ]] || printf '%s: %s\n' "$page" "$link"
        done < <(grep -oE '\]\([^):# ]+[)#]' "$page" | sed 's/^](//; s/.$//' | sort -u)
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
        grep -qxF -- "$(scripts/setup.sh list "$name" "$(scripts/traits.sh)")" docs/install.md || echo "$name"
    done
}

# Prints codecs that lack a step of “Adding a codec” in CONTRIBUTING.md, with what does not name them: the list that
# isolates them, the helper program that decodes, the registry, the fuzz targets or the tests.
incomplete_codecs() {
    local file codec places place
    while read -r file; do
        codec=$(basename "$file" .swift)
        if [[ $file == Sources/AlcedoCodecs/* ]]; then
            # The list of the registry, of the sandbox's program and of what isolates.
            places=("Sources/AlcedoCodecs/CodecRegistry.swift")
        else
            places=("Sources/Alcedo/Image/Decoding/Codecs.swift" "Sources/AlcedoDecode*/Program.swift")
        fi
        for place in "${places[@]}" "Sources/FuzzTargets/FuzzTarget.swift" "Tests/Alcedo*Tests"; do
            # shellcheck disable=SC2086
            grep -rqw "$codec" $place || echo "$file: $place"
        done
    done < <(grep -lE '^ *(public|package) struct [A-Za-z0-9]+Codec: ImageCodec' Sources/Alcedo*/*Codec.swift \
        Sources/AlcedoCodecs/*/*Codec.swift)
}

# Prints the version if the changelog has no entry for it.
unlisted_version() {
    local version
    version=$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/Alcedo/Support/AlcedoVersion.swift)
    grep -qF "## [$version]" CHANGELOG.md || echo "Sources/Alcedo/Support/AlcedoVersion.swift: $version"
}

# Prints options and processors that the cheat sheet lacks.
missing_from_cheat_sheet() {
    local name sheet=Sources/Alcedo/Alcedo.docc/CheatSheet.md
    while read -r name; do
        grep -qE "^    \.${name}[ (,]" "$sheet" || echo "$sheet: $name"
    done < <(sed -n 's/^    case \([a-zA-Z]*\).*/\1/p' Sources/Alcedo/Request/KingfisherOptionsInfo.swift)
    while read -r name; do
        grep -q "$name(" "$sheet" || echo "$sheet: $name"
    done < <(sed -n 's/^public struct \([A-Za-z]*Processor\)\b.*/\1/p' Sources/Alcedo/Process/Processors/*.swift |
        grep -v '^DefaultImageProcessor$')
}

# Prints cases of public errors, and error types without cases, that the page of error messages lacks.
undescribed_errors() {
    local name page=Sources/Alcedo/Alcedo.docc/Questions.md
    while read -r name; do
        grep -qF "\`$name\`" "$page" || echo "$page: $name"
    done < <(awk '
        /^[^ ]/ { type = "" }
        /^(@[a-z]+ )?struct [A-Za-z.]+ : (.*, )?Error(,|$)/ { print $2 }
        /^(@[a-z]+ )?enum [A-Za-z.]+(Error|Failure|Reason) : / {
            type = $0; sub(/ : .*/, "", type); sub(/.* /, "", type)
            if (type !~ /[.]Failure$/) sub(/.*[.]/, "", type)
            prefix = type == "KingfisherError" ? "" : type "."
        }
        type && /^    case / { sub(/[^A-Za-z_].*/, "", $2); print prefix $2 }' docs/api/*.txt)
}

# Prints the alerts if Debian's prometheus is installed and rejects them, or one fires when it should not.
wrong_alerts() (
    command -v promtool >/dev/null || return 0
    cd packaging/monitoring
    promtool check rules alcedo-alerts.yml >/dev/null 2>&1 && promtool test rules alcedo-alerts-test.yml >/dev/null 2>&1 ||
        echo packaging/monitoring/alcedo-alerts.yml
)

formatted=(--recursive Sources Tests Examples Benchmarks Package.swift)
[[ ${1-} != changes ]] || mapfile -t formatted < <(
    scripts/changed-files.sh | while read -r file; do [[ $file != *.swift || ! -e $file ]] || echo "$file"; done
)
((${#formatted[@]} == 0)) || swift format lint --strict "${formatted[@]}" || broken=1

report 'an unsafe escape needs a "Safe because …" comment' < <(unexplained_escapes)
report 'a public type needs documentation' < <(undocumented_types)
report 'no try! and no as!' < <(code_lines 'try!|[^a-zA-Z_]as!' Sources Tests)
report 'tests wait for events, they do not sleep' < <(
    code_lines '(^|[^a-zA-Z_.])(u|nano)?sleep[(]|(Glibc|Task|Thread|Clock([(][)])?)[.]u?sleep|asyncAfter' Tests
)
report "longer than $longest_source lines" < <(long_files "$longest_source" Sources)
report "longer than $longest_test lines" < <(long_files "$longest_test" Tests Examples Benchmarks)

report 'the documentation names a path that does not exist' < <(missing_paths)
report 'the documentation links to a file that does not exist' < <(missing_links)
report 'docs/README.md does not list it' < <(unlisted_records)
report 'the manifest and CONTRIBUTING.md have to agree on each test' < <(python3 scripts/check-tests.py)
report 'see the orders of folders in ARCHITECTURE.md' < <(python3 scripts/check-folders.py)
report 'a codec has to be named there' < <(incomplete_codecs)
report 'CHANGELOG.md has no entry for it' < <(unlisted_version)
report 'the cheat sheet lacks it' < <(missing_from_cheat_sheet)
report 'differs from docs/benchmarks.json: run make bench-chart' < <(python3 scripts/bench-chart.py check)
report 'differs from its file: change both' < <(python3 scripts/check-programs.py)
report 'the page of error messages lacks it' < <(undescribed_errors)
report 'docs/install.md differs from setup.sh list' < <(wrong_commands)
report 'setup.sh does not work on other distributions' < <(scripts/check-setup.sh)

report 'promtool rejects it: run promtool test rules alcedo-alerts-test.yml' < <(wrong_alerts)

escapes=$(code_lines "$unsafe_escape" Sources | wc -l)
if ((escapes > unsafe_budget)); then
    report "more than $unsafe_budget unsafe escapes" <<<"Sources ($((escapes)))"
fi

exit "$broken"
