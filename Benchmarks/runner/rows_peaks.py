"""Rows about memory: the most that a process has resident beyond what it had before, in sizes of the decoded bitmap."""

import inputs
from contender import alcedo, floor
from row import Row

PIXELS = {"12mp": 12_000_000, "48mp": 48_000_000}
# What the floor is, if the codec is one of its own.
FILES = {
    "PNG": ("12mp", "png", "libspng"),
    "JPEG": ("12mp", "jpeg", "libjpeg-turbo"),
    "progressive JPEG": ("12mp", "progressive", "libjpeg-turbo"),
    "still GIF": ("12mp", "gif", "giflib"),
    "WebP": ("12mp", "webp", "libwebp"),
    "AVIF": ("12mp", "avif", None),
}


def peaks():
    for title, (size, kind, library) in FILES.items():
        path = inputs.photo(size, kind)
        row = Row("peaks", f"{title} of 12 MP", [alcedo("peak", input=path, kind="decode")], single_core=True)
        if library:
            row.contenders.append(floor(library, "peak", input=path, pixels=PIXELS[size]))
        row.limits = {"bitmaps": 1.3}
        yield row
    row = Row("peaks", "JPEG of 48 MP, decoded and halved", [])
    row.contenders = [alcedo("peak", input=inputs.photo("48mp", "jpeg"), kind="resize")]
    # The smaller bitmap takes a quarter.
    row.limits = {"bitmaps": 1.3}
    yield row
