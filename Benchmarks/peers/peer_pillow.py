"""Pillow. Its colour pictures take four bytes a pixel, whatever the mode is called."""

import io

import numpy as np
import peer
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter

FILTERS = {
    "box": Image.Resampling.BOX,
    "hamming": Image.Resampling.HAMMING,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}


def rows(image):
    pixels = np.asarray(image)
    if pixels.shape[2] == 4:
        return np.ascontiguousarray(pixels[..., [2, 1, 0, 3]])
    return np.ascontiguousarray(pixels[..., ::-1])


def thumbnail(given):
    """`setting` is the filter and how far a draft or a quick reduction may go first: `bicubic 2`; 0 for not
    at all."""
    data, side = peer.read(given["input"]), int(given["side"])
    name, gap = given["setting"].split()
    resample, gap = FILTERS[name], float(gap) or None
    mode = "RGBA" if given["alpha"] == "1" else "RGB"

    def make():
        image = Image.open(io.BytesIO(data))
        # With a gap, this asks the JPEG decoder for a smaller picture by itself.
        image.thumbnail((side, side), resample, reducing_gap=gap)
        image.load()
        return image if image.mode == mode else image.convert(mode)

    peer.measure_pixels(make, rows)


def decode(given):
    data = peer.read(given["input"])
    peer.measure_pixels(lambda: Image.open(io.BytesIO(data)).convert("RGB"), rows)


def picture(given):
    image = Image.open(given["input"]).convert("RGB")
    image.load()
    return image


def resize(given):
    image = picture(given)
    size = int(given["width"]), int(given["height"])
    if given["setting"] == "reduce":
        factor = image.width // size[0]
        return peer.measure_pixels(lambda: image.reduce(factor), rows)
    name, gap = given["setting"].split()
    resample, gap = FILTERS[name], float(gap) or None
    peer.measure_pixels(lambda: image.resize(size, resample, reducing_gap=gap), rows)


def blur(given, image):
    return lambda: image.filter(ImageFilter.GaussianBlur(10))


def corners(given, image):
    scale = 4 if given["setting"] == "smooth" else 1

    def make():
        circle = Image.new("L", (160 * scale, 160 * scale))
        ImageDraw.Draw(circle).ellipse((0, 0, 160 * scale - 1, 160 * scale - 1), fill=255)
        if scale > 1:
            circle = circle.reduce(scale)
        mask = Image.new("L", image.size, 255)
        width, height = image.size
        for x, left in ((0, 0), (width - 80, 80)):
            for y, top in ((0, 0), (height - 80, 80)):
                mask.paste(circle.crop((left, top, left + 80, top + 80)), (x, y))
        result = image.copy()
        result.putalpha(mask)
        return result

    return make


def blend(given, image):
    if given["setting"] == "table":
        table = [round(level * value) for value in (0.8, 0.4, 0.2) for level in range(256)]
        return lambda: image.point(table)
    return lambda: ImageChops.multiply(image, Image.new("RGB", image.size, (204, 102, 51)))


def tint(given, image):
    if given["setting"] == "table":
        table = [round(level * 0.6 + value * 0.4) for value in (204, 102, 51) for level in range(256)]
        return lambda: image.point(table)
    return lambda: Image.blend(image, Image.new("RGB", image.size, (204, 102, 51)), 0.4)


def colours(given, image):
    if given["setting"] == "matrix":
        luma, saturation, contrast, brightness = (0.2126, 0.7152, 0.0722), 1.3, 1.1, 0.02
        offset = 255 * (brightness * contrast - contrast / 2 + 0.5)
        matrix = []
        for row in range(3):
            matrix += [
                contrast * ((1 - saturation) * luma[column] + saturation * (row == column))
                for column in range(3)
            ]
            matrix.append(offset)
        return lambda: image.convert("RGB", matrix)

    def make():
        result = ImageEnhance.Color(image).enhance(1.3)
        result = ImageEnhance.Brightness(result).enhance(1.02)
        return ImageEnhance.Contrast(result).enhance(1.1)

    return make


def filter(given):
    image = picture(given)
    make = {"blur": blur, "corners": corners, "blend": blend, "tint": tint, "colours": colours}[given["kind"]]
    peer.measure_pixels(make(given, image), rows)


def gif(given):
    """Until the first frame is there, or processor time for each second of the animation."""
    data = peer.read(given["input"])
    clock = peer.time.perf_counter if given["kind"] == "first" else peer.time.process_time
    start = clock()
    image = Image.open(io.BytesIO(data))
    if given["kind"] == "first":
        image.convert("RGBA")
        return peer.report([clock() - start])
    count, milliseconds = 0, 0
    while True:
        try:
            image.seek(count)
        except EOFError:
            break
        image.convert("RGBA")
        milliseconds += image.info["duration"]
        count += 1
    peer.report([(clock() - start) / (milliseconds / 1000)])
