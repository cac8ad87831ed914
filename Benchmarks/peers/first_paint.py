"""Runs a program again and again: first_paint.py PROGRAM ARGUMENT… Prints the time from its start to the line `painted`."""

import json
import resource
import subprocess
import sys
import time

RUNS = 10


def run(command):
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        line = process.stdout.readline()
        seconds = time.perf_counter() - begin
    if line.strip() != "painted" or process.returncode:
        sys.exit(f"{command[0]}: status {process.returncode}, {line.strip()}")
    return seconds


def main():
    command = sys.argv[1:]
    run(command)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = [run(command) for _ in range(RUNS)]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / RUNS
    print(json.dumps({"seconds": seconds, "processor": processor, "peak": after.ru_maxrss << 10}))


main()
