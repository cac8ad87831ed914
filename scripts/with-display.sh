#!/usr/bin/env bash
# Runs a command on a new virtual X display: with-display.sh COMMAND [ARGUMENT]…
# Xvfb picks a free display and reports when it is ready, so runs may overlap.
set -euo pipefail

# Software rendering and no accessibility bus, so that laptops and servers render alike.
export GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=test

log=$(mktemp)
exec {ready}< <(exec Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp 3>&1 >/dev/null 2>"$log")
server=$!
trap 'kill "$server" 2>/dev/null || :; rm -f "$log"' EXIT

if ! read -r -t 30 display <&"$ready"; then
    printf 'Xvfb did not start:\n' >&2
    cat "$log" >&2
    exit 1
fi

DISPLAY=":$display" "$@"
