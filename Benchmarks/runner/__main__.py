"""Runs the benchmarks: python Benchmarks/runner [--rows "thumbnail disk"] [--rounds 3]."""

import argparse
import atexit
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import about
import chart
import contender
import cv2
import paths
import row as rows
import rows_images
import rows_fleet
import rows_chains
import rows_encode
import rows_formats
import rows_growth
import rows_peaks
import rows_pixels
import rows_server
import rows_storage
import rows_throughput
import rows_window
import table

GROUPS = {
    "thumbnail": rows_pixels.thumbnails,
    "resize": rows_pixels.resizes,
    "decode": rows_pixels.decodes,
    "filters": rows_pixels.filters,
    "peaks": rows_peaks.peaks,
    "throughput": rows_throughput.throughput,
    "chains": rows_chains.chains,
    "formats": rows_formats.formats,
    "encode": rows_encode.encoding,
    "network": rows_storage.downloads,
    "memory": rows_storage.memory,
    "disk": rows_storage.disk,
    "gallery": rows_images.gallery,
    "gif": rows_images.animations,
    "startup": rows_images.startup,
    "window": rows_window.windows,
    "growth": rows_growth.growth,
    "server": rows_server.rows,
    "fleet": rows_fleet.rows,
}


def options():
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--rows", default="", help=f"which of {', '.join(GROUPS)}; all without it")
    parser.add_argument("--rounds", type=int, default=3, help="how often each contender has its turn")
    given = parser.parse_args()
    given.groups = given.rows.replace(",", " ").split() or list(GROUPS)
    unknown = [name for name in given.groups if name not in GROUPS]
    if unknown or given.rounds < 1:
        parser.error(
            f"no rows {' '.join(unknown)}; there are {' '.join(GROUPS)}" if unknown else "at least one round"
        )
    return given


def main():
    given = options()
    given.about = about.run()
    cv2.setNumThreads(1)
    tidy_up()
    for folder in (paths.inputs, paths.scratch):
        folder.mkdir(parents=True, exist_ok=True)
    results = []
    start = time.monotonic()
    for name in given.groups:
        try:
            for row in GROUPS[name]():
                print(f"{time.monotonic() - start:4.0f} s  {row.group}: {row.name}", file=sys.stderr)
                results.append(rows.measure(row, given.rounds))
                save(results, given, time.monotonic() - start)
        except (contender.Failed, OSError, RuntimeError, subprocess.SubprocessError) as failure:
            results.append(rows.absent(name, str(failure)))
            print(f"  {name}: {failure}", file=sys.stderr)
    save(results, given, time.monotonic() - start, complete=given.groups == list(GROUPS))
    print(table.text(results))
    print(table.summary(results))


def tidy_up():
    """Leaves neither files nor servers behind, however this run ends; nor those of one that was killed."""
    atexit.register(shutil.rmtree, paths.scratch, ignore_errors=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for folder in paths.output.glob("scratch-*"):
        if not Path("/proc", folder.name.removeprefix("scratch-")).exists():
            shutil.rmtree(folder, ignore_errors=True)


def save(results, given, seconds, complete=False):
    """Written after every row, so that a run that is stopped leaves what it has."""
    run = given.about | {"complete": complete, "rounds": given.rounds, "seconds": seconds}
    (paths.output / "results.json").write_text(
        json.dumps({**run, "rows": results}, indent=1, ensure_ascii=False)
    )
    (paths.output / "chart.svg").write_text(chart.svg(results))


main()
