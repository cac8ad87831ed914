"""The image server's memory in a long run: soak.py [MINUTES]; `make soak` runs it.

Clients ask for pictures by a Zipf law, so that some results are in memory, some on disk and some have to be made. Once
a second, the memory of the server is read, and what it says about its cache in memory. Prints a summary, and leaves all
readings in build/bench/soak.csv.
"""

import os
import random
import re
import shutil
import signal
import statistics
import sys
import threading
import time
import urllib.request
from itertools import accumulate
from pathlib import Path

import contender as contenders
import paths
import rows_server
import server
import services

CLIENTS = 16
LIMIT = 64  # MiB of results in memory
PICTURES = 1_000_000
# Of one run of the load; with the next, other pictures become popular for the first time.
SECONDS = 60
DRAWN = 60_000
PAUSE = 30
MIB = 1 << 20


def resident(pid):
    """Bytes of a process; 0 if it has ended."""
    try:
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) << 10
    except (OSError, TypeError):
        return 0


def reading(service, metrics):
    """Resident bytes of the server and of its worker processes, and the bytes in its memory cache."""
    pid = service.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics}/", timeout=30) as response:
        cached = re.search(r"^memory_cache_bytes (\d+)", response.read().decode(), re.MULTILINE)
    return resident(pid), sum(map(resident, children)), int(cached[1])


class Watch(threading.Thread):
    """Reads once a second until it is stopped."""

    def __init__(self, *given):
        super().__init__(daemon=True)
        self.given, self.ended, self.readings = given, threading.Event(), []
        self.failure = None

    def run(self):
        start = time.monotonic()
        try:
            while not self.ended.wait(max(0, start + len(self.readings) - time.monotonic())):
                self.readings.append((round(time.monotonic() - start), *reading(*self.given)))
        except OSError as failure:
            self.failure = failure

    def stop(self):
        self.ended.set()
        self.join()
        if self.failure:
            raise contenders.Failed(f"the server can't be read: {self.failure}")


def soak(service, names, minutes):
    """Loads the service for so long; gives the requests and how many of them a second."""
    generator = random.Random(7)
    weights = list(accumulate(1 / rank for rank in range(1, PICTURES + 1)))
    start, requests = time.monotonic(), 0
    while time.monotonic() < start + minutes * 60:
        drawn = generator.choices(range(PICTURES), cum_weights=weights, k=DRAWN)
        listed = [service.path(names[number % len(names)], rows_server.SIDE, number) for number in drawn]
        load = rows_server.load(service.name, service.url, service.process.pid, listed, CLIENTS, "alcedo")
        # Without a pause between two runs.
        load.before = None
        load.command[5] = str(SECONDS)
        measured = contenders.run(load, os.sched_getaffinity(0), SECONDS + 60)
        Path(load.command[3]).unlink()
        requests += round(SECONDS / measured["seconds"][0])
    return requests, requests / (time.monotonic() - start)


def summary(readings, at_end):
    """The table of what was read under load, and after it."""
    lines = ["| MiB | median | maximum | at the end | 30 s later |", "|---|--:|--:|--:|--:|"]
    for place, label in enumerate(("server", "worker processes", "cache in memory, by itself"), 1):
        values = [reading[place] for reading in readings]
        shown = (statistics.median(values), max(values), values[-1], at_end[place - 1])
        lines.append(f"| {label} | " + " | ".join(f"{value / MIB:.0f}" for value in shown) + " |")
    return "\n".join(lines)


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    paths.scratch.mkdir(parents=True, exist_ok=True)
    root, metrics = paths.inputs / "served", server.free_port()
    names = list(rows_server.pictures(root).values())
    with server.nginx(root) as origin:
        settings = {"CACHE_MEMORY": str(LIMIT), "PROMETHEUS_BIND": f"127.0.0.1:{metrics}"}
        with services.alcedo(int(origin.plain.rsplit(":", 1)[1]), **settings) as service:
            fresh = reading(service, metrics)
            watch = Watch(service, metrics)
            watch.start()
            try:
                requests, rate = soak(service, names, minutes)
            finally:
                watch.stop()
            time.sleep(PAUSE)
            later = reading(service, metrics)
    rows = ["second,server,workers,cache", *(",".join(map(str, line)) for line in watch.readings)]
    (paths.output / "soak.csv").write_text("\n".join(rows) + "\n")
    print(f"{minutes:g} minutes, {CLIENTS} clients, {requests} requests, {rate:.0f} a second; CACHE_MEMORY={LIMIT}")
    print(f"before the first request: {fresh[0] / MIB:.0f} MiB\n")
    print(summary(watch.readings, later))


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(paths.scratch, ignore_errors=True)
