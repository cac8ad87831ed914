"""Rows about whole images: the gallery, animations, the start of a program, growing caches."""

import os
import shutil

import contender as contenders
import inputs
import paths
import server
from contender import alcedo, floor, foundation, python, swift_floor
from row import Row

STATES = [
    ("cold", "cold", {"URLSession + FileManager": 4, "httpx + Pillow": 4}),
    ("disk", "disk-warm", {}),
    ("memory", "memory-warm", {"URLSession + FileManager": 10, "httpx + Pillow": 10}),
]


def gallery():
    folder, names = inputs.gallery()
    with server.nginx(folder) as (base, _, _):
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
            if state == "memory":
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
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            os.sync()
        if state != "cold" and not folder.exists():
            cold = [word.replace(f"state={state}", "state=cold") for word in contender.command]
            contenders.run(contenders.Contender(contender.name, cold), os.sched_getaffinity(0), 120)

    contender.before = prepare
    return contender


def animations():
    path = inputs.animation()
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
                floor("giflib", "gif", milliseconds=inputs.FRAME_MILLISECONDS, **given),
            ],
            targets,
            limits,
            per=per,
            single_core=False,
        )


def startup():
    folder = filled(100_000, paths.inputs)
    image = inputs.photo("256", "jpeg")
    contenders.run(alcedo("startup", folder=folder, fill=image), os.sched_getaffinity(0), 60)
    row = Row(
        "startup", "first cached image from a folder of 100,000 entries", [alcedo("startup", folder=folder)]
    )
    row.limits = {"caller ms": 5}
    row.single_core = False
    yield row


SMALL = 200
SIZES = "Ratios are to the smallest size; where the floor grows, so must the cache."


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
        # A million new files would go on being written while others are measured.
        os.sync()
    return folder


def growth():
    largest = int(os.environ.get("LARGEST", 1_000_000))
    counts = [count for count in (1_000, 10_000, 100_000, 1_000_000) if count <= largest]
    for kind, name in (("hit", "lookup in memory"), ("store", "store in memory"), ("trim", "trim of memory")):
        row = Row("growth", name, [], per="entry", flat=1.25, note=SIZES)
        for count in counts:
            work = {"work": "memoryTrim"} if kind == "trim" else {"work": "memory", "kind": kind}
            row.contenders.append(sized(alcedo(capacity=count, **work), count))
        if kind != "trim":
            row.contenders += [
                swift_floor(f"dictionary, {count:,}", "dictionary", kind=kind, capacity=count)
                for count in (counts[0], counts[-1])
            ]
        yield row
    yield from disk_growth(counts)


def sized(contender, count):
    contender.name = f"{count:,} entries"
    return contender


def disk_growth(counts):
    """Lookups and stores are made all over the folder; those that were stored go before the next turn."""
    rows = {
        kind: Row("growth", f"{name} disk", [], per="entry", flat=1.25, note=SIZES, timeout=120)
        for kind, name in (("hit", "lookup on"), ("store", "store on"), ("trim", "trim of"))
    }
    rows["trim"].rounds = 1
    for count in counts:
        folder = paths.scratch / f"entries-{count}"
        given = {"folder": folder, "bytes": SMALL}
        sample = min(count, 2000)
        hit = {"kind": "hit", "count": sample, "stride": count // sample, **given}
        # Few enough that a small folder is not a larger one by then.
        store = {"kind": "store", "count": 200, "first": 500_000_000, "remove": 1, **given}
        rows["hit"].contenders.append(sized(alcedo("disk", **hit), count))
        rows["store"].contenders.append(sized(alcedo("disk", **store), count))
        rows["trim"].contenders.append(sized(alcedo("diskTrim", **given), count))
        if count in (counts[0], counts[-1]):
            rows["hit"].contenders.append(floor(f"system calls, {count:,}", "disk", hashed=1, **hit))
            rows["store"].contenders.append(floor(f"system calls, {count:,}", "disk", hashed=1, **store))
        for row in rows.values():
            for contender in row.contenders:
                contender.before = contender.before or (lambda count=count: filled(count, paths.scratch))
    yield from rows.values()
