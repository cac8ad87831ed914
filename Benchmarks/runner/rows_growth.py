"""Rows about caches with many entries: each size against the floor of the same size, and what a trim costs."""

import os
import shutil

import contender as contenders
import paths
from contender import alcedo, floor, swift_floor
from row import Row
from rows_storage import DISK, MEMORY

SMALL = 200
TRIMS = (1_000, 100_000)


def filled(count, parent):
    """A folder of the disk cache with so many small entries."""
    folder = parent / f"entries-{count}"
    if not folder.exists():
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(parents=True, exist_ok=True)
        contenders.run(
            alcedo("disk", kind="store", folder=part, count=count, bytes=SMALL), os.sched_getaffinity(0), 600
        )
        part.rename(folder)
        # New files would go on being written while others are measured.
        os.sync()
    return folder


def growth():
    for kind, name in (("hit", "lookup"), ("store", "store")):
        for count in (1_000, 1_000_000):
            given = {"kind": kind, "capacity": count}
            row = Row("growth", f"{name} in memory, {count:,} entries", [], per="entry")
            row.contenders = [alcedo("memory", **given), swift_floor("dictionary", "dictionary", **given)]
            row.targets = {"dictionary": MEMORY}
            yield row
    row = Row("growth", "trim of memory", [], per="entry", flat=1.5)
    row.contenders = [sized(alcedo("memoryTrim", capacity=count), count) for count in TRIMS]
    yield row
    yield from disk_growth()


def disk_growth():
    """Lookups and stores are made all over the folder; those that were stored go before the next turn."""
    largest = int(os.environ.get("LARGEST", 100_000))
    for count in sorted({1_000, largest}):
        folder = paths.scratch / f"entries-{count}"
        given, sample = {"folder": folder, "bytes": SMALL}, min(count, 2000)
        works = {
            "hit": {"kind": "hit", "count": sample, "stride": count // sample, **given},
            # Few enough that a small folder is not a larger one by then.
            "store": {"kind": "store", "count": 200, "first": 500_000_000, "remove": 1, **given},
        }
        for kind, name in (("hit", "lookup"), ("store", "store")):
            row = Row("growth", f"{name} on disk, {count:,} entries", [], per="entry", timeout=120)
            bare = floor("system calls", "disk", hashed=1, **works[kind])
            row.contenders = [alcedo("disk", **works[kind]), bare]
            row.targets = {"system calls": DISK[kind]}
            for contender in row.contenders:
                contender.before = lambda count=count: filled(count, paths.scratch)
            yield row
        paths.discard(folder)
    yield disk_trim()


def disk_trim():
    """Each contender has a folder of its own, all filled before the first one is trimmed: see `paths.discard`."""
    row = Row("growth", "trim of disk", [], per="entry", flat=1.5, timeout=120, rounds=1)
    row.note = "A trim of half; the system calls list the folder and remove every other file."
    for count in TRIMS:
        own = alcedo("diskTrim", folder=filled(count, paths.scratch / "trim"))
        bare = floor(f"system calls, {count:,}", "diskTrim", folder=filled(count, paths.scratch / "trim-bare"))
        row.contenders += [sized(own, count), bare]
    return row


def sized(contender, count):
    contender.name = f"{count:,} entries"
    return contender
