"""Rows about encoding: decoded pixels to a file. One core each, everything in memory."""

import cv2
import inputs
import quality
from contender import alcedo, python
from row import Row, cores, judged

# Alcedo's quality, and the peers' settings of speed, from fast to small.
KINDS = {
    # Huffman tables of the standard, or of the file's own. ImageMagick always makes its own.
    "jpeg": (
        80,
        {
            "OpenCV": ["", "optimized"],
            "Pillow": ["", "optimized"],
            "libvips": ["", "optimized"],
            "ImageMagick": [""],
        },
    ),
    "png": (
        None,
        {
            # A level of zlib, and its strategy, of which 3 is runs and 4 fixed codes.
            "OpenCV": ["1 0", "1 3", "3 0"],
            "Pillow": ["1", "3", "6"],
            "libvips": ["1 none", "1 up", "3 up", "3 all"],
            "ImageMagick": ["11", "31"],
        },
    ),
    "webp": (
        80,
        {
            "OpenCV": [""],
            "Pillow": ["0", "2", "4"],
            "libvips": ["0", "2", "4"],
            "ImageMagick": ["0", "2", "4"],
        },
    ),
    "gif": (
        None,
        {
            "OpenCV": ["2", "5", "8"],
            "Pillow": ["FASTOCTREE dithered", "MEDIANCUT dithered"],
            "libvips": ["1 1", "7 1"],
            "ImageMagick": ["dithered"],
        },
    ),
    "gif, plain": (
        None,
        {
            "Pillow": ["FASTOCTREE plain", "MEDIANCUT plain"],
            "libvips": ["1 0", "7 0"],
            "ImageMagick": ["plain"],
        },
    ),
    "avif": (70, {"OpenCV": ["10", "9"], "Pillow": ["10", "9", "8"], "libvips": ["0", "1"], "ImageMagick": [""]}),
}
NAMES = {
    "jpeg": "JPEG 2 MP",
    "png": "PNG 2 MP",
    "webp": "WebP 2 MP",
    "gif": "GIF 2 MP, dithered",
    "gif, plain": "GIF 2 MP, not dithered",
    # What it takes to encode two megapixels again and again is better spent on other rows.
    "avif": "AVIF 0.5 MP",
}
# Here a peer takes about as long, which one measurement can't tell.
CLOSE = {"jpeg", "webp", "gif", "avif"}


def encoding():
    for name, (percent, peers) in KINDS.items():
        kind = name.split(",")[0]
        path = inputs.photo("half" if kind == "avif" else "2mp", "png")
        given = {"input": path, "kind": kind}
        row = Row("encode", NAMES[name], [], {"fastest peer": 1.0}, rounds=None if name in CLOSE else 1)
        own = alcedo("encode", **given, **({"quality": percent} if percent else {}))
        if name == "gif, plain":
            own.command.append("dithered=0")
        families = [[writer(peer, setting, given) for setting in settings] for peer, settings in peers.items()]
        judge = quality.FileJudge(cv2.imread(str(path)), cores(row))
        yield judged(row, judge, own, families)


def writer(name, setting, given):
    library = {"OpenCV": "opencv", "libvips": "vips", "ImageMagick": "magick"}.get(name, name.lower())
    return python(f"{name} {setting}".strip(), "encode", library, setting=setting, **given)
