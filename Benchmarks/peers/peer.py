"""What every measurement in Python shares: `peer.py LIBRARY WORK key=value …` prints one line of JSON.

The clock starts after imports and after the input has been read, and stops before anything is printed.
"""

import importlib
import json
import sys
import time


def arguments():
    return dict(word.split("=", 1) for word in sys.argv[3:])


def peak():
    """The most memory that the process has had resident, in bytes; the interpreter's share included."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:"))


def measure(body):
    """Seconds of each run: once to warm up, then for `budget=` seconds, a quarter without it, and `runs=`
    times, three without it."""
    budget, runs = float(arguments().get("budget", 0.25)), int(arguments().get("runs", 3))
    body()
    seconds = []
    while len(seconds) < runs or sum(seconds) < budget:
        start = time.perf_counter()
        body()
        seconds.append(time.perf_counter() - start)
    return seconds


def report(seconds, **extra):
    print(json.dumps({"seconds": seconds, "peak": peak(), "processor": time.process_time(), **extra}))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def measure_pixels(make, rows):
    """Measures `make`; `rows` turns what it makes into an array of BGR or BGRA for the quality to be
    judged."""
    given = arguments()
    if "dump" in given:
        rows(make()).tofile(given["dump"])
    report(measure(make))


def main():
    library, work = sys.argv[1:3]
    getattr(importlib.import_module(f"peer_{library}"), work)(arguments())


if __name__ == "__main__":
    main()
