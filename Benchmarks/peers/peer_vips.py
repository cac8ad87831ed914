"""libvips. Its operations run when the pixels are asked for, so every measurement ends with all of them in
memory."""

import os

os.environ["VIPS_CONCURRENCY"] = "1"

import numpy as np
import peer
import pyvips

# What was made once would be handed out again.
pyvips.cache_set_max(0)


def pixels(image):
    return image.write_to_memory(), image


def rows(made):
    memory, image = made
    array = np.frombuffer(memory, np.uint8).reshape(image.height, image.width, image.bands)
    order = [2, 1, 0, 3][: image.bands] if image.bands > 3 else [2, 1, 0]
    return np.ascontiguousarray(array[..., order])


def thumbnail(given):
    data, side = peer.read(given["input"]), int(given["side"])
    peer.measure_pixels(
        lambda: pixels(pyvips.Image.thumbnail_buffer(data, side, height=side, size="down")), rows
    )


def decode(given):
    """`setting` is the access: sequential for what is read once from top to bottom."""
    data, access = peer.read(given["input"]), given["setting"]
    peer.measure_pixels(lambda: pixels(pyvips.Image.new_from_buffer(data, "", access=access)), rows)


def picture(given):
    image = pyvips.Image.new_from_file(given["input"])
    return image.copy_memory()


def resize(given):
    image = picture(given)
    scale = int(given["width"]) / image.width
    if given["setting"] == "shrink":
        factor = round(1 / scale)
        return peer.measure_pixels(lambda: pixels(image.shrink(factor, factor)), rows)
    name, gap = given["setting"].split()
    peer.measure_pixels(lambda: pixels(image.resize(scale, kernel=name, gap=float(gap))), rows)


def blur(given, image):
    return lambda: pixels(image.gaussblur(10, precision=given["setting"]))


def corners(given, image):
    def make():
        xy = pyvips.Image.xyz(80, 80)
        dx, dy = 79.5 - xy[0], 79.5 - xy[1]
        corner = ((80.5 - (dx * dx + dy * dy) ** 0.5) * 255).cast("uchar")
        mask = (pyvips.Image.black(image.width, image.height) + 255).cast("uchar")
        right, bottom = image.width - 80, image.height - 80
        mask = mask.insert(corner, 0, 0).insert(corner.fliphor(), right, 0)
        mask = mask.insert(corner.flipver(), 0, bottom).insert(corner.rot180(), right, bottom)
        return pixels(image.bandjoin(mask))

    return make


def table(image, functions):
    levels = pyvips.Image.identity()
    bands = [(levels * factor + offset).rint().cast("uchar") for factor, offset in functions]
    lookup = bands[0].bandjoin(bands[1:])
    return lambda: pixels(image.maplut(lookup))


def blend(given, image):
    factors = [0.8, 0.4, 0.2]
    if given["setting"] == "table":
        return table(image, [(factor, 0) for factor in factors])
    return lambda: pixels(image.linear(factors, [0, 0, 0], uchar=True))


def tint(given, image):
    grounds = [0.4 * 255 * value for value in (0.8, 0.4, 0.2)]
    if given["setting"] == "table":
        return table(image, [(0.6, ground) for ground in grounds])
    return lambda: pixels(image.linear([0.6] * 3, grounds, uchar=True))


def colours(given, image):
    luma, saturation, contrast, brightness = (0.2126, 0.7152, 0.0722), 1.3, 1.1, 0.02
    matrix = [
        [contrast * ((1 - saturation) * luma[column] + saturation * (row == column)) for column in range(3)]
        for row in range(3)
    ]
    offset = brightness * contrast - contrast / 2 + 0.5
    if given["setting"] == "gamma":
        return lambda: pixels((image.recomb(matrix) + offset * 255).cast("uchar"))
    return lambda: pixels(((image.colourspace("scrgb").recomb(matrix)) + offset).colourspace("srgb"))


def filter(given):
    image = picture(given)
    make = {"blur": blur, "corners": corners, "blend": blend, "tint": tint, "colours": colours}[given["kind"]]
    peer.measure_pixels(make(given, image), rows)
