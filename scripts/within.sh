#!/usr/bin/env bash
# Runs a command and ends it if it hangs: within.sh TIME COMMAND [ARGUMENT]…
# With gdb on the machine it shows first where each thread is.
set -euo pipefail
limit=$1
shift

watch() {
    timeout "$limit" tail --pid=$$ -f /dev/null && return
    printf '\nTook longer than %s: %s\n' "$limit" "$*"
    if command -v gdb >/dev/null; then
        timeout 5m gdb --batch -p $$ -iex 'set debuginfod enabled off' -ex 'thread apply all backtrace 40' \
            2>/dev/null || :
    fi
    # What it has started would keep the output open.
    pkill -KILL -P $$ || :
    kill -KILL $$
}

# By way of another shell, so that it is no child that the command might wait for.
(watch "$@" &)
# In the foreground and with this process's number, so that the terminal's signals reach it.
exec "$@"
