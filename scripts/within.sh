#!/usr/bin/env bash
# Runs a command and kills it after a timeout: within.sh TIME COMMAND [ARGUMENT]…
# If gdb is installed, prints a backtrace of each thread first.
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
    # Its child processes would keep the output open.
    pkill -KILL -P $$ || :
    kill -KILL $$
}

# In a subshell, so that it is not a child that the command might wait for.
(watch "$@" &)
# In the foreground and with this process's ID, so that the terminal's signals reach it.
exec "$@"
