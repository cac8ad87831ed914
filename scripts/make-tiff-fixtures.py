#!/usr/bin/env python3
"""Writes Tests/Fixtures/tiff and jp2: small pictures, each with the pixels that it was made from as <name>.png.

And memory/large.*, of three megapixels.

Needs what make-fixtures.py needs, libtiff's tiffcp and tiffset, and OpenJPEG's opj_compress. The files are checked in; run
this only to add one.
"""

import importlib
import pathlib
import struct
import subprocess
import tempfile

import numpy
from PIL import Image

made = importlib.import_module("make-fixtures")
ROOT = made.OUT.parent
SIZE = (61, 47)


def reference(path, image):
    image.save(path.with_suffix(path.suffix + ".png"), optimize=True)


def tiff(name, image, expected=None, **options):
    path = ROOT / "tiff" / f"{name}.tiff"
    image.save(path, **options)
    reference(path, expected or image.convert("RGB"))
    return path


def copied(name, source, *arguments):
    """A copy by tiffcp, with the same pixels."""
    path = ROOT / "tiff" / f"{name}.tiff"
    subprocess.run(["tiffcp", *arguments, source, path], check=True)
    with Image.open(source.with_suffix(".tiff.png")) as expected:
        reference(path, expected)
    return path


def tiffs():
    picture, translucent = made.picture(*SIZE), made.picture(*SIZE, alpha=True)
    grey = picture.convert("L")
    rgb = tiff("lzw", picture, compression="tiff_lzw")
    tiff("plain", picture)
    for codec in ("packbits", "tiff_adobe_deflate", "zstd", "lzma"):
        tiff(codec.replace("tiff_adobe_", ""), picture, compression=codec)
    tiff("jpeg", picture, compression="jpeg", quality=95)
    tiff("alpha", translucent, expected=translucent, compression="tiff_lzw")
    tiff("grey", grey)
    tiff("palette", picture.quantize(32), expected=picture.quantize(32).convert("RGB"))
    bits = grey.convert("1")
    tiff("bits", bits, compression="group4")
    deep = numpy.array(grey).astype("uint16") * 257
    tiff("grey16", Image.fromarray(deep), expected=picture.convert("L").convert("RGB"))
    inks = 255 - numpy.array(picture)
    black = numpy.full(inks.shape[:2] + (1,), 64, "uint8")
    lit = (numpy.array(picture).astype("float") * (255 - 64) / 255).round().astype("uint8")
    tiff("cmyk", Image.fromarray(numpy.concatenate([inks, black], -1), "CMYK"), expected=Image.fromarray(lit))
    wide = made.wide_gamut()
    tiff("wide-gamut", picture, expected=made.to_srgb(picture, wide), icc_profile=wide)
    dark = made.dark_grey()
    tiff("grey-profile", grey, expected=made.to_srgb(grey, dark), icc_profile=dark)
    copied("tiled", rgb, "-t", "-w", "32", "-l", "16")
    copied("planes", rgb, "-p", "separate")
    copied("tiled-planes", rgb, "-t", "-w", "16", "-l", "32", "-p", "separate")
    copied("big-endian", rgb, "-B")
    copied("bigtiff", rgb, "-8")
    copied("strips", rgb, "-r", "5", "-c", "zip:p2")
    turned = copied("turned", rgb)
    subprocess.run(["tiffset", "-s", "Orientation", "6", turned], check=True)
    several = ROOT / "tiff/pages.tiff"
    picture.save(several, save_all=True, append_images=[grey, bits], compression="tiff_lzw")
    reference(several, picture)
    floats = Image.fromarray(numpy.array(grey).astype("float32") / 255)
    floats.save(ROOT / "tiff/float.tiff")


def jp2(name, image, expected, *arguments, suffix="jp2"):
    path = ROOT / "jp2" / f"{name}.{suffix}"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source.png"
        image.save(source)
        subprocess.run(["opj_compress", "-i", source, "-o", path, *arguments], check=True, capture_output=True)
    reference(path, expected)
    return path


def boxes(data):
    offset = 0
    while offset < len(data):
        size, kind = struct.unpack(">I4s", data[offset : offset + 8])
        size = size or len(data) - offset
        yield kind, data[offset + 8 : offset + size]
        offset += size


def box(kind, content):
    return struct.pack(">I4s", len(content) + 8, kind) + content


def with_profile(path, name, profile, expected):
    """The file with a restricted profile in place of its enumerated colour space."""
    out = b""
    for kind, content in boxes(path.read_bytes()):
        if kind == b"jp2h":
            inner = [(k, b"\2\0\0" + profile if k == b"colr" else c) for k, c in boxes(content)]
            content = b"".join(box(k, c) for k, c in inner)
        out += box(kind, content)
    target = path.with_name(name)
    target.write_bytes(out)
    reference(target, expected)


def jp2s():
    picture, translucent = made.picture(*SIZE), made.picture(*SIZE, alpha=True)
    grey = picture.convert("L")
    rgb = jp2("lossless", picture, picture, "-n", "4")
    jp2("codestream", picture, picture, suffix="j2k")
    jp2("lossy", picture, picture, "-I", "-q", "45")
    jp2("tiled", picture, picture, "-t", "32,16", "-n", "3")
    jp2("alpha", translucent, translucent)
    jp2("grey", grey, grey.convert("RGB"))
    deep = Image.fromarray(numpy.array(grey).astype("uint16") * 257)
    jp2("grey16", deep, grey.convert("RGB"))
    wide, dark = made.wide_gamut(), made.dark_grey()
    with_profile(rgb, "wide-gamut.jp2", wide, made.to_srgb(picture, wide))
    with_profile(ROOT / "jp2/grey.jp2", "grey-profile.jp2", dark, made.to_srgb(grey, dark))
    photo = made.picture(640, 480)
    large = made.picture(2000, 1500)
    large.save(ROOT / "memory/large.tiff", compression="tiff_adobe_deflate", tiffinfo={317: 2}, strip_size=1 << 20)
    large.save(ROOT / "memory/large.jp2", quality_layers=[400], irreversible=True)
    jp2("resolutions", photo, photo, "-n", "5", "-r", "20")


if __name__ == "__main__":
    for folder in ("tiff", "jp2"):
        (ROOT / folder).mkdir(exist_ok=True)
    tiffs()
    jp2s()
