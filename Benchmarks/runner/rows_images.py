"""Rows about whole images: the gallery, animations, the start of a program."""

import os
import shutil
import sys

import animation
import contender as contenders
import inputs
import paths
import rows_growth
import server
from contender import alcedo, floor, foundation, python, swift_floor
from row import Row

BARE = "codecs and system calls"
STATES = [
    ("cold", "cold", {"URLSession + FileManager": 2}),
    ("disk", "disk-warm", {}),
    ("memory", "memory-warm", {"URLSession + FileManager": 10, "httpx + Pillow": 10}),
]


def gallery():
    folder, names = inputs.gallery()
    with server.nginx(folder) as running:
        base = running.plain
        given = {"list": names, "base": base}
        for state, label, targets in STATES:
            row = Row("gallery", f"1,000 mixed images, {label}", [], targets, single_core=False)
            row.contenders = [
                in_folder(alcedo("gallery", state=state, **given), state),
                in_folder(foundation("URLSession + FileManager", "gallery", state=state, **given), state),
                in_folder(
                    foundation("the same with NSCache", "gallery", state=state, cached=1, **given), state
                ),
                in_folder(python("httpx + Pillow", "httpx", "gallery", state=state, **given), state),
                in_folder(
                    python("the same with a dict", "httpx", "gallery", state=state, cached=1, **given), state
                ),
            ]
            if state == "cold":
                row.contenders.append(in_folder(floor(BARE, "gallery", **given), state))
                row.processor = {BARE: 1.25}
            if state == "memory":
                row.rounds = 1
                row.note = "The targets are for peers without a cache in memory, which load from disk again."
            else:
                row.contenders = [c for c in row.contenders if not c.name.startswith("the same")]
            yield row


def in_folder(contender, state):
    """Gives the contender a folder for its files: an empty one, or one that it has filled itself."""
    folder = paths.scratch / "gallery" / contender.name.replace(" ", "")
    contender.command.append(f"folder={folder}")

    def prepare():
        if state == "cold" or not folder.exists():
            paths.discard(folder)
            folder.parent.mkdir(parents=True, exist_ok=True)
            os.sync()
        if state != "cold" and not folder.exists():
            cold = [word.replace(f"state={state}", "state=cold") for word in contender.command]
            contenders.run(contenders.Contender(contender.name, cold), os.sched_getaffinity(0), 120)

    contender.before = prepare
    return contender


def animations():
    path = animation.animation()
    first, play = {"kind": "first", "input": path}, {"kind": "play", "input": path}
    for name, given, per, targets, limits in (
        ("first frame", first, "", {"giflib": 1.0}, {}),
        ("processor time while played", play, "second", {"giflib": 1.0}, {"frames": 12}),
    ):
        yield Row(
            "gif",
            f"200 frames of 1920×1080, {name}",
            [
                alcedo("gif", **given),
                python("Pillow", "pillow", "gif", **given),
                floor("giflib", "gif", milliseconds=animation.FRAME_MILLISECONDS, **given),
            ],
            targets,
            limits,
            per=per,
            single_core=False,
        )


def startup():
    folder = rows_growth.filled(100_000, paths.inputs)
    image = inputs.photo("256", "jpeg")
    contenders.run(alcedo("startup", folder=folder, fill=image), os.sched_getaffinity(0), 60)
    row = Row(
        "startup", "first cached image from a folder of 100,000 entries", [alcedo("startup", folder=folder)]
    )
    row.limits = {"caller ms": 5}
    row.single_core = False
    yield row
    yield program()


def program():
    """A program that reads the header of one picture and ends."""
    row = Row("startup", "alcedo info of a PNG, with all formats, start to end", [], single_core=False)
    starter = [sys.executable, str(paths.benchmarks / "peers" / "start.py")]
    own = str(paths.root / ".build" / "serve" / "release" / "alcedo")
    row.contenders = [contenders.Contender("Alcedo", [*starter, own, "info", str(inputs.icon("png"))], "alcedo")]
    for name in ("identify", "vipsheader"):
        if found := shutil.which(name):
            row.contenders.append(contenders.Contender(name, [*starter, found, str(inputs.icon("png"))]))
    row.limits = {"processor ms": 12}
    return row
