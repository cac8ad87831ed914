"""ImageMagick, through its C library. Its pictures have 16 bits a channel, as Debian builds it."""

import os

os.environ["MAGICK_THREAD_LIMIT"] = "1"

import numpy as np
import peer
from wand.color import Color
from wand.drawing import Drawing
from wand.image import Image


def rows(image):
    channels = "BGRA" if image.alpha_channel else "BGR"
    memory = bytes(image.export_pixels(channel_map=channels))
    return np.frombuffer(memory, np.uint8).reshape(image.height, image.width, len(channels))


def decode(given):
    data = peer.read(given["input"])

    def make():
        image = Image(blob=data)
        # HEIC and AVIF stay YCbCr until somebody asks.
        image.transform_colorspace("srgb")
        return image

    peer.measure_pixels(make, rows)


def thumbnail(given):
    data, side = peer.read(given["input"]), int(given["side"])

    def make():
        image = Image(blob=data)
        scale = side / max(image.size)
        image.resize(*(round(length * scale) for length in image.size), filter=given["setting"])
        image.transform_colorspace("srgb")
        return image

    peer.measure_pixels(make, rows)


def blur(image):
    image.blur(radius=0, sigma=10)


def corners(image):
    mask = Image(width=image.width, height=image.height, background=Color("transparent"))
    with Drawing() as draw:
        draw.fill_color = Color("white")
        draw.rectangle(0, 0, width=image.width - 1, height=image.height - 1, radius=80)
        draw(mask)
    image.alpha_channel = "set"
    image.composite(mask, operator="dst_in")


def blend(image):
    ground = Image(width=image.width, height=image.height, background=Color("rgb(204,102,51)"))
    image.composite(ground, operator="multiply")


def tint(image):
    image.colorize(Color("rgb(204,102,51)"), Color("rgb(40%,40%,40%)"))


def colours(image):
    luma, saturation, contrast, brightness = (0.2126, 0.7152, 0.0722), 1.3, 1.1, 0.02
    offset = brightness * contrast - contrast / 2 + 0.5
    matrix = [
        [contrast * ((1 - saturation) * luma[column] + saturation * (row == column)) for column in range(3)]
        + [0, 0, offset]
        for row in range(3)
    ]
    matrix += [[float(row == column) for column in range(6)] for row in range(3, 6)]
    image.color_matrix(matrix)


def linear_colours(image):
    image.transform_colorspace("rgb")
    colours(image)
    image.transform_colorspace("srgb")


def filter(given):
    source = Image(filename=given["input"])
    change = {"blur": blur, "corners": corners, "blend": blend, "tint": tint, "colours": colours}[
        given["kind"]
    ]
    if given["setting"] == "linear":
        change = linear_colours

    def make():
        # A clone shares its pixels until it is written to.
        image = source.clone()
        change(image)
        return image

    peer.measure_pixels(make, rows)
