#!/usr/bin/env bash
# Runs a command and ends it if it hangs: within.sh LOG COMMAND [ARGUMENT]…
# It hangs if LOG, which has its output, has not grown for 12 minutes: a test has 10, and then reports itself.
# Prints where each thread of the command and of its children is.
set -euo pipefail
log=$1
shift
readonly silence=720

backtraces() {
    local process
    for process in "$1" $(pgrep -P "$1" || :); do
        printf '\nThreads of %s: %s\n' "$process" "$(tr '\0' ' ' <"/proc/$process/cmdline" | cut -c -300)"
        timeout 5m gdb --batch -p "$process" -iex 'set debuginfod enabled off' \
            -ex 'thread apply all backtrace 40' 2>/dev/null || :
    done
}

watch() {
    local last
    while ! timeout 15 tail --pid=$$ -f /dev/null; do
        last=$(stat -c %Y "$log")
        (($(date +%s) - last < silence)) && continue
        printf '\nHangs: no test has begun or ended for %s minutes: %s\n' $((silence / 60)) "$*"
        backtraces $$
        # Its child processes would keep the output open.
        pkill -KILL -P $$ || :
        kill -KILL $$
        return
    done
}

# In a subshell, so that it is not a child that the command might wait for.
(watch "$@" &)
# In the foreground and with this process's ID, so that the terminal's signals reach it.
exec "$@"
