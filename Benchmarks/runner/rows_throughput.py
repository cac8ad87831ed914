"""Rows about decoding on several threads, and in worker processes."""

import os

import inputs
import paths
from contender import alcedo, floor
from row import Row


def throughput():
    folder, names = inputs.gallery()
    given = {"folder": folder, "list": names}
    bare = "codecs, {} thread{}"

    row = Row("throughput", "mixed images to 200 px, two threads", [], per="picture", single_core=False)
    row.contenders = [
        alcedo("throughput", threads=2, **given),
        named(alcedo("throughput", threads=1, **given), "Alcedo, 1 thread"),
        floor(bare.format(2, "s"), "throughput", threads=2, **given),
        floor(bare.format(1, ""), "throughput", threads=1, **given),
    ]
    row.targets = {"Alcedo, 1 thread": 1.9}
    row.note = "How much the bare codecs gain by a second thread is what the machine allows."
    yield row

    row = Row("throughput", "mixed images to 200 px, isolated workers", [], per="picture", single_core=False)
    # As many threads as Alcedo has.
    threads = os.cpu_count() + 1
    helpers = paths.root / ".build" / "serve" / "release"
    row.contenders = [
        alcedo("throughput", threads=threads, isolated=1, helpers=helpers, **given),
        named(alcedo("throughput", threads=threads, **given), "Alcedo, in its own process"),
    ]
    row.targets = {"Alcedo, in its own process": 0.85}
    yield row


def named(contender, name):
    contender.name = name
    return contender
