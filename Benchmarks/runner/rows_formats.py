"""Rows about the formats that are traits: decoding and thumbnails. One core each, everything in memory."""

import drawing
import inputs
import quality
from contender import alcedo, python
from row import Row, cores, judged

SIDE = 200
# The libraries that read a format, as they are installed here, and their settings: of reading all, and of a thumbnail.
READERS = {
    "opencv": ("OpenCV", [""], ["1 area", "1 linear"]),
    "pillow": ("Pillow", [""], ["lanczos 0", "hamming 2", "box 2"]),
    "vips": ("libvips", ["random", "sequential"], [""]),
    "magick": ("ImageMagick", [""], ["lanczos", "triangle", "box"]),
}
FORMATS = {
    "avif": ("AVIF 2 MP", ("opencv", "pillow", "vips", "magick")),
    "heic": ("HEIC 2 MP", ("vips", "magick")),
    "jxl": ("JPEG XL 2 MP", ("vips",)),
    # ImageMagick draws gradients as black.
    "svg": ("SVG, 1600×1200", ("vips",)),
}


def formats():
    for kind, (title, libraries) in FORMATS.items():
        path = drawing.drawing() if kind == "svg" else inputs.photo("2mp", kind)
        for work, size in (("decode", (1600, 1200)), ("thumbnail", (SIDE, 150))):
            name = title if work == "decode" else f"{title} to {SIDE} px"
            row = Row("formats", name, [], {"fastest peer": 1.0}, rounds=1)
            given = {"input": path, "side": SIDE, "alpha": 0}
            families = [family(library, work, given) for library in libraries]
            judge = quality.Judge(reference(kind, path, size), quality.on_white, cores(row))
            yield judged(row, judge, alcedo(work, **given), families)


def family(library, work, given):
    title, whole, reduced = READERS[library]
    settings = whole if work == "decode" else reduced
    return [python(f"{title} {s}".strip(), library, work, setting=s, **given) for s in settings]


def reference(kind, path, size):
    """The picture that was encoded, in this size."""
    if kind == "svg":
        return drawing.reference(path, size[0])
    return quality.lanczos(inputs.photo("2mp", "png"), size)
