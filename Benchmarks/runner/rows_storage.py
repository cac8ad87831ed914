"""Rows about bytes: the network, memory and the disk."""

import os

import contender as contenders
import paths
import server
from contender import alcedo, floor, foundation, swift_floor
from row import Row

# URLSession on Linux trusts whom the system trusts, and has no way to be told otherwise.
UNVERIFIED = {"LD_PRELOAD": str(paths.programs / "libUnverified.so")}


def downloads():
    root = server.files()
    given = {"count": server.FILES, "bytes": server.FILE_BYTES, "connections": 16}
    with server.nginx(root) as running:
        plain, secure, served = running.plain, running.secure, running.processor_time
        row = Row("network", "5,000 × 15 KB, 16 connections, HTTP/1.1", [], single_core=False)
        row.contenders = [
            alcedo("download", base=plain, **given),
            foundation("URLSession", "download", base=plain, **given),
            floor("libcurl", "download", base=plain, **given),
        ]
        for contender in row.contenders:
            contender.server = served
        row.targets, row.processor = {"libcurl": 0.85}, {"libcurl": 1.3}
        yield row

        row = Row("network", "5,000 × 15 KB, TLS and HTTP/2", [], single_core=False)
        session = foundation("URLSession", "download", base=secure, **given)
        session.environment = UNVERIFIED
        libcurl = [
            floor("libcurl, one connection", "download", base=secure, pipewait=1, parallel=100, **given),
            floor("libcurl, 16 connections", "download", base=secure, **given),
        ]
        row.contenders = [alcedo("download", base=secure, **given), session, fastest(libcurl)]
        for contender in row.contenders:
            contender.server = served
        bare = row.contenders[2].name
        row.targets, row.processor = {bare: 0.85}, {bare: 1.3}
        yield row


def fastest(settings):
    """The setting that is the fastest here; the first one if none works."""
    cores = os.sched_getaffinity(0)
    return min(settings, key=lambda setting: min(seconds(setting, cores) for _ in range(2)))


def seconds(contender, cores):
    try:
        return contenders.run(contender, cores, 30)["seconds"][0]
    except contenders.Failed:
        return float("inf")


def memory():
    for kind, name in (("hit", "hit"), ("store", "store with eviction")):
        for value, threads in ((None, 1), (None, 2), ("own", 1), ("own", 2)):
            given = {"kind": kind, "threads": threads, "capacity": 10_000} | ({"value": value} if value else {})
            what = "an own type, " if value else ""
            plural = "thread" if threads == 1 else "threads"
            # NSCache keeps objects only.
            cache = [] if value else [foundation("NSCache", "nscache", **given)]
            yield Row(
                "memory",
                f"{name}, {what}10,000 entries, {threads} {plural}",
                [
                    alcedo("memory", **given),
                    *cache,
                    swift_floor("dictionary under a lock", "dictionary", **given),
                ],
                {"dictionary under a lock": MEMORY},
                per="operation",
                single_core=threads == 1,
            )


# What to reach of bare calls and of a dictionary under a lock.
MEMORY = 0.4
DISK = {"store": 0.7, "hit": 0.8, "miss": 0.9}


def disk():
    names = {"store": "store", "hit": "hit", "miss": "miss"}
    for kind, name in names.items():
        row = Row("disk", f"{name}, 10,000 × 15 KB", [], per="entry")
        row.contenders = [
            in_folder(kind, lambda **given: alcedo("disk", **given), "alcedo"),
            in_folder(kind, lambda **given: foundation("FileManager", "disk", **given), "foundation"),
            in_folder(kind, lambda **given: floor("system calls", "disk", **given), "floor"),
            in_folder(
                kind,
                lambda **given: floor("system calls, SHA-256 names", "disk", hashed=1, **given),
                "hashed",
            ),
        ]
        row.targets = {"system calls": DISK[kind]}
        yield row


def in_folder(kind, make, name):
    """A contender in a folder of its own: empty for a store, else with the entries."""
    folder = paths.scratch / "disk" / name
    contender = make(kind=kind, folder=folder, count=10_000, bytes=15_000)

    def empty():
        paths.discard(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # What others have written is not to be waited for in the middle of a measurement.
        os.sync()

    def filled():
        if not folder.exists():
            empty()
            contenders.run(
                make(kind="store", folder=folder, count=10_000, bytes=15_000), os.sched_getaffinity(0), 120
            )

    contender.before = empty if kind == "store" else filled
    return contender
