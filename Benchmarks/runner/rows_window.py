"""Rows about GTK windows, on a virtual display without graphics hardware."""

import subprocess
import sys

import inputs
import paths
from contender import Contender
from row import Row

DISPLAY = paths.root / "scripts" / "with-display.sh"
GALLERY = paths.root / ".build" / "window" / "release" / "Gallery"
EMPTY = "an empty window"
PLAIN = "a grid of plain pictures"


def windows():
    yield first_picture()
    yield scrolling()
    yield hidden_animations()


def shown(name, script, *command, role="alcedo"):
    words = [DISPLAY, sys.executable, paths.benchmarks / "peers" / script, *command]
    return Contender(name, [str(word) for word in words], role)


def compiled(name):
    """The program of a source file in C."""
    program = paths.scratch / name
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "gtk4"], check=True, capture_output=True, text=True
    ).stdout.split()
    source = paths.benchmarks / "peers" / f"{name}.c"
    subprocess.run(["cc", "-O2", "-o", program, source, *flags], check=True)
    return program


def first_picture():
    empty = compiled("empty_window")
    row = Row("window", "a 2 MP JPEG in a new window, from the program's start to its paint", [])
    row.contenders = [
        shown("Alcedo", "first_paint.py", GALLERY, "--first-picture", inputs.photo("2mp", "jpeg")),
        shown(EMPTY, "first_paint.py", empty, role="floor"),
    ]
    row.beyond = {EMPTY: 20}
    row.single_core = False
    return row


def scrolling():
    row = Row("window", "scrolling 5,000 cells, work of the main thread a frame", [])
    row.contenders = [
        shown("Alcedo", "gallery.py", GALLERY, "scroll"),
        shown(PLAIN, "gallery.py", compiled("plain_grid"), "scroll", role="floor"),
    ]
    row.limits = {"median ms": 6, "99 % ms": 16, "worst ms": 33}
    row.single_core = False
    row.rounds = 1
    row.timeout = 300
    return row


def hidden_animations():
    row = Row("window", "50 animations in a hidden window, processor time", [], per="second")
    row.contenders = [shown("Alcedo", "gallery.py", GALLERY, "hidden")]
    row.limits = {"hidden, ms/s": 1}
    row.single_core = False
    row.rounds = 1
    return row
