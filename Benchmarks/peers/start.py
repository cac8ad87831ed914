"""Runs a program again and again: start.py PROGRAM ARGUMENT… Prints its time and processor time from start to end, and how
many shared libraries it has loaded."""

import json
import os
import statistics
import subprocess
import sys
import time

RUNS = 20


def run(command):
    """Wall-clock and processor seconds, and bytes resident at most."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]}: status {process.returncode}")
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss << 10


def libraries(command):
    """Those that are initialised, at the start or later, as the dynamic linker tells."""
    environment = {**os.environ, "LD_DEBUG": "files"}
    told = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace").stderr
    return len({line.split("calling init: ")[1] for line in told.splitlines() if "calling init: " in line})


def main():
    command = sys.argv[1:]
    run(command)
    wall, processor, peak = zip(*(run(command) for _ in range(RUNS)))
    spent = statistics.median(processor)
    print(
        json.dumps(
            {
                "seconds": list(wall),
                "processor": spent,
                "peak": max(peak),
                "processor ms": 1000 * spent,
                "libraries": libraries(command),
            }
        )
    )


main()
