#!/usr/bin/env bash
# Builds the tests, runs them with a display, and repeats the failures at the end: scripts/run-tests.sh [OPTION]…
#   --filter PATTERN   only the tests whose identifiers or names match; of a test target's name, builds only that target
#   --check-api        compares the public API with docs/api before the tests
# The other options are those of `swift build`. ALCEDOTESTS selects test targets, see Package.swift.
# `swift test` starts all tests at once: on two cores each then competes with a thousand others.
set -euo pipefail
cd "$(dirname "$0")/.."

# These keep all cores busy for minutes, so they run after the others.
readonly busy='Alcedo(Codecs|HEIF|JXL|TIFF|JP2|SVG|Video|Raster|Isolation)Tests|FuzzTargetsTests|damaged picture|small file takes|on trial'
readonly trials='TimedTrials'

pattern=
traits=
checks_api=
options=()
while (($# > 0)); do
    case $1 in
    --filter) pattern=$2 && shift ;;
    --check-api) checks_api=1 ;;
    --traits)
        traits=$2
        options+=(--traits "$2")
        shift
        ;;
    *) options+=("$1") ;;
    esac
    shift
done
# A module compiled as a whole takes two thirds of the processor's time: its files share what they declare and the
# macros that they expand. Any change compiles it whole, too: so only where nothing is built yet and won't be again.
if [[ ${CI-} == true ]]; then
    options+=(-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2)
fi

if [[ $pattern =~ ^[A-Za-z0-9]+$ ]] && grep -q "\"$pattern\"" Package.swift; then export ALCEDOTESTS=$pattern; fi

# A selection needs few of the package's programs: those that its test targets depend on.
what=--build-tests
[[ -z ${ALCEDOTESTS-} ]] || what=--product=AlcedoPackageTests
# For the build only: the tests should run with every order of a dictionary.
SWIFT_DETERMINISTIC_HASHING=1 swift build "$what" "${options[@]}"
readonly built=$SECONDS
if [[ -n $checks_api ]]; then
    scripts/symbols.sh build/api-symbols "$traits" built
    python3 scripts/api.py check build/api-symbols docs/api
fi

tests=$(swift build --show-bin-path "${options[@]}" 2>/dev/null)/AlcedoPackageTests.xctest
readonly report=${TEST_REPORT:-build/tests}
mkdir -p "$report"
readonly log=$report/log
: >"$log"
rm -f "$report/failures"

# The user's caches stay as they are: thumbnails that the desktop shares, shaders of the display's driver.
XDG_CACHE_HOME=$(mktemp -d)
export XDG_CACHE_HOME
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT

failed=0
found=0

# Runs some of the tests; sets `failed` and `found`.
run() {
    local status=0
    # A test's argument may be megabytes long; the log keeps the start of its line.
    ALCEDOTESTING_WAITS=1 scripts/with-display.sh scripts/within.sh "$log" "$tests" --testing-library swift-testing \
        --experimental-maximum-parallelization-width $((4 * $(nproc))) "$@" 2>&1 |
        stdbuf -oL cut -b -4000 | tee -a "$log" || status=$?
    # 69: no test matches.
    ((status == 69)) || found=1
    ((status == 0 || status == 69)) || failed=1
}

# Prints each failure with its values and comments, each report of a sanitizer, where a run that hung was, and last the
# waits that were cancelled: by a test's time limit, or by tests of cancellation, of which there are many.
failures() {
    awk '
        { plain = $0; gsub(/\033\[[0-9;]*m/, "", plain) }
        plain ~ /(WARNING|ERROR): (Thread|Address)Sanitizer|runtime error:|Fatal error|^Hangs: / { report = 1 }
        plain ~ /Program crashed: / { report = 1 }
        plain ~ /^(◇|✔|✘|➜|⚠)/ { failure = plain ~ /^✘/ }
        failure || report
        plain ~ /^SUMMARY: / { report = 0 }' "$log"
    grep -a "^Wait cancelled at " "$log" | sort | uniq -c | sort -n | head -n 100 || true
}

# Prints the tests that started and did not end: the one that hung, or in which the process died, is among them.
unfinished() {
    LC_ALL=C comm -23 <(names ' started\.') <(names '( with [0-9]+ test cases?)? (passed|failed) after .*')
}

names() {
    sed -nE "s/^.* Test (\"[^\"]*\"|[^ ]*\(\))$1$/\\1/p" "$log" | LC_ALL=C sort
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

if [[ -n $pattern ]]; then
    run --filter "$pattern"
else
    run --skip "$busy|$trials"
    run --filter "$busy"
fi
readonly ran=$((SECONDS - built))
if ((!found)); then
    echo "No test matches “${pattern:-${ALCEDOTESTS-}}”." | tee "$report/failures" >&2
    exit 1
fi
if ((failed)); then
    {
        printf '\nWhat failed:\n'
        failures | head -n 3000 || true
        unfinished | sed -n '1,50s/^/Has not ended: /p'
    } | tee "$report/failures"
fi
printf 'build %s, tests %s\n' "$(minutes $built)" "$(minutes $ran)" | tee "$report/times"
exit $failed
