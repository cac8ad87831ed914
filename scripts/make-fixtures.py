#!/usr/bin/env python3
"""Writes Tests/Fixtures/made: small pictures of known content, each with the result of an independent decoder.

Needs Pillow, numpy, simplejpeg and libjpeg-turbo's jpegtran. The files are checked in; run this only to add one.
"""

import io
import pathlib
import struct
import subprocess
import zlib

import numpy
import simplejpeg
from PIL import Image, ImageCms

OUT = pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/made"


def picture(width, height, alpha=False):
    """Gradients, a disc and stripes: smooth and sharp parts in every channel."""
    y, x = numpy.mgrid[0:height, 0:width]
    r = x * 255 // max(1, width - 1)
    g = y * 255 // max(1, height - 1)
    b = (x * 5 + y * 3) % 256 // 2 + 60
    disc = (x - width / 2) ** 2 + (y - height / 2) ** 2 < (min(width, height) / 3) ** 2
    r, g, b = numpy.where(disc, 255 - r, r), numpy.where(disc, 40, g), numpy.where(disc, 200, b)
    channels = [r, g, b]
    if alpha:
        channels.append(numpy.where(disc, 255, (x * 7 + y * 11) % 256))
    return Image.fromarray(numpy.stack(channels, -1).astype("uint8"), "RGBA" if alpha else "RGB")


def save(name, image, **options):
    """Saves a picture, and Pillow's decoded result as <name>.png beside it unless it is a PNG itself."""
    path = OUT / name
    image.save(path, **options)
    reference(path)


def scans(name, image, **options):
    """Saves a progressive JPEG; tests compare it with truncated copies of itself."""
    image.save(OUT / f"scans-{name}.jpg", quality=85, progressive=True, **options)


def reference(path):
    with Image.open(path) as decoded:
        if path.suffix != ".png":
            mode = "RGBA" if decoded.mode == "RGBA" else "RGB"
            decoded.convert(mode).save(path.with_suffix(path.suffix + ".png"), optimize=True, icc_profile=None)


# --- Colour profiles


def icc(space, pcs, tags):
    body, table, offset = b"", b"", 128 + 4 + 12 * len(tags)
    for name, data in tags:
        table += struct.pack(">4sII", name, offset + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    size = offset + len(body)
    kind = b"prtr" if space == b"CMYK" else b"mntr"
    head = struct.pack(">I4sI4s4s4s", size, b"\0\0\0\0", 0x02400000, kind, space, pcs)
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28
    head += struct.pack(">3i", 0xF6D6, 0x10000, 0xD32D)
    return head.ljust(128, b"\0") + struct.pack(">I", len(tags)) + table + body


def fixed(value):
    return round(value * 65536)


def description(text):
    raw = text.encode() + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(raw)) + raw + b"\0" * 78


WHITE = b"XYZ \0\0\0\0" + struct.pack(">3i", 0xF6D6, 0x10000, 0xD32D)
FREE = b"text\0\0\0\0No rights reserved\0"


def curve(gamma):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256))


def wide_gamut():
    """Display P3's primaries, adapted to D50, with a plain 1.8 gamma."""
    primaries = [(0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)]
    tags = [(b"desc", description("Wide test gamut")), (b"cprt", FREE), (b"wtpt", WHITE)]
    for letter, xyz in zip("rgb", primaries):
        tags.append((f"{letter}XYZ".encode(), b"XYZ \0\0\0\0" + struct.pack(">3i", *map(fixed, xyz))))
    tags += [(f"{letter}TRC".encode(), curve(1.8)) for letter in "rgb"]
    return icc(b"RGB ", b"XYZ ", tags)


def dark_grey():
    return icc(
        b"GRAY",
        b"XYZ ",
        [(b"desc", description("Dark test grey")), (b"cprt", FREE), (b"wtpt", WHITE), (b"kTRC", curve(3.0))],
    )


def inks():
    """CMYK to Lab through a table with two steps per ink."""
    head = b"mft1\0\0\0\0" + bytes([4, 3, 2, 0]) + struct.pack(">9i", *map(fixed, [1, 0, 0, 0, 1, 0, 0, 0, 1]))
    ramp = bytes(range(256))
    nodes = b""
    for c in (0, 1):
        for m in (0, 1):
            for y in (0, 1):
                for k in (0, 1):
                    light = max(0, 1 - 0.3 * c - 0.35 * m - 0.08 * y) * (1 - 0.9 * k)
                    a = 128 + (-35 * c + 70 * m - 5 * y) * (1 - k)
                    b = 128 + (-45 * c - 5 * m + 85 * y) * (1 - k)
                    nodes += bytes([round(light * 255), round(a), round(b)])
    table = head + ramp * 4 + nodes + ramp * 3
    tags = [(b"desc", description("Test inks")), (b"cprt", FREE), (b"wtpt", WHITE), (b"A2B0", table)]
    return icc(b"CMYK", b"Lab ", tags)


def to_srgb(image, profile):
    srgb = ImageCms.createProfile("sRGB")
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    mode = "RGBA" if image.mode == "RGBA" else "RGB"
    # The optimisations replace tables with coarser ones.
    exact = ImageCms.Flags.NOOPTIMIZE
    return ImageCms.profileToProfile(
        image, source, srgb, ImageCms.Intent.PERCEPTUAL, outputMode=mode, flags=exact
    )


def save_with_profile(name, image, profile, **options):
    path = OUT / name
    image.save(path, icc_profile=profile, **options)
    with Image.open(path) as decoded:
        decoded.load()
        to_srgb(decoded, profile).save(OUT / (name + ".png"), icc_profile=None)


# --- The files


def jpegs():
    rgb = picture(117, 83)
    pixels = numpy.ascontiguousarray(numpy.array(rgb))
    for sampling in ("444", "422", "440", "420", "411"):
        path = OUT / f"sampling-{sampling}.jpg"
        path.write_bytes(simplejpeg.encode_jpeg(pixels, 90, "RGB", sampling))
        reference(path)
    save("progressive.jpg", rgb, quality=85, progressive=True)
    scans("cmyk", rgb.convert("CMYK"))
    scans("grey", rgb.convert("L"))
    scans("restart", rgb, subsampling=0, restart_marker_blocks=3)
    exif = Image.Exif()
    exif[0x0112] = 6
    scans("profile", rgb, icc_profile=wide_gamut(), exif=exif)
    source = OUT / "progressive.jpg"
    with open(OUT / "scans-arithmetic.jpg", "wb") as target:
        subprocess.run(["jpegtran", "-arithmetic", "-progressive", source], stdout=target, check=True)
    save("restart.jpg", rgb, quality=85, restart_marker_blocks=3)
    save("grey.jpg", rgb.convert("L"), quality=85)
    for width, height in ((1, 1), (7, 9), (16, 17), (33, 1)):
        save(f"odd-{width}x{height}.jpg", picture(width, height), quality=90)
    large = picture(400, 300)
    save("scalable.jpg", large, quality=80)

    cmyk = Image.merge("CMYK", [*picture(64, 48).split(), picture(48, 64).rotate(90, expand=True).split()[1]])
    cmyk.save(OUT / "cmyk.jpg", quality=95)
    naive(OUT / "cmyk.jpg")
    ycck(cmyk, OUT / "ycck.jpg")
    save_with_profile("cmyk-profile.jpg", cmyk, inks(), quality=95)
    save_with_profile("wide-gamut.jpg", picture(64, 48), wide_gamut(), quality=95)
    save_with_profile("grey-profile.jpg", picture(64, 48).convert("L"), dark_grey(), quality=95)
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    save("srgb-profile.jpg", picture(64, 48), quality=95, icc_profile=srgb)


def naive(path):
    """The reference for a CMYK file without a profile: each ink multiplied with black."""
    with Image.open(path) as decoded:
        light = 255 - numpy.array(decoded).astype(int)
    rgb = (light[..., :3] * light[..., 3:] + 127) // 255
    Image.fromarray(rgb.astype("uint8")).save(path.with_suffix(".jpg.png"))


def ycck(cmyk, path):
    """Saves a YCCK file. Pillow writes inverted CMYK only, so it gets inverted luma and chroma, and the marker is changed."""
    ink = numpy.array(cmyk)
    luma = numpy.array(Image.fromarray(ink[..., :3]).convert("YCbCr"))
    stored = numpy.concatenate([luma, 255 - ink[..., 3:]], -1)
    data = io.BytesIO()
    Image.fromarray(255 - stored, "CMYK").save(data, "JPEG", quality=95)
    raw = bytearray(data.getvalue())
    raw[raw.index(b"Adobe") + 11] = 2
    path.write_bytes(raw)
    naive(path)


def pngs():
    rgba = picture(61, 40, alpha=True)
    rgba.save(OUT / "alpha.png")
    save_with_profile("wide-gamut.png", picture(61, 40, alpha=True), wide_gamut())
    save_with_profile("grey-profile.png", picture(61, 40).convert("L"), dark_grey())
    exif = Image.Exif()
    exif[0x0112] = 6
    rgba.save(OUT / "turned.png", exif=exif)


def webps():
    rgb, rgba = picture(117, 83), picture(61, 40, alpha=True)
    save("lossy.webp", rgb, quality=80)
    save("lossless.webp", rgb, lossless=True)
    save("lossy-alpha.webp", rgba, quality=80)
    save("lossless-alpha.webp", rgba, lossless=True, exact=True)
    hidden = numpy.zeros((64, 96, 4), "uint8")
    hidden[:, :43], hidden[:, 43:] = (255, 0, 0, 0), (0, 0, 255, 255)
    Image.fromarray(hidden, "RGBA").save(OUT / "hidden-colours.webp", quality=90, exact=True)
    y, x = numpy.mgrid[0:1500, 0:2000]
    large = numpy.stack([x * 255 // 1999, y * 255 // 1499, (x + y) // 14], -1).astype("uint8")
    Image.fromarray(large).save(OUT.parent / "memory/large.avif", quality=40)
    save_with_profile("wide-gamut.webp", picture(64, 48), wide_gamut(), lossless=True)
    exif = Image.Exif()
    exif[0x0112] = 8
    save("turned.webp", rgb, quality=80, exif=exif)

    frames = []
    for index in range(6):
        frame = Image.new("RGBA", (60, 40), (0, 0, 0, 0))
        frame.paste(picture(20, 20, alpha=index % 2 == 0).convert("RGBA"), (index * 8, 5 + index * 2))
        frames.append(frame)
    path = OUT / "animated.webp"
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=[40, 50, 60, 70, 80, 90], loop=3, lossless=True
    )
    sheet(path, path.with_suffix(".webp.png"))


def apngs():
    """Saves an APNG by Pillow and a hand-written one with every disposal and blending, offsets and translucent pixels."""
    frames = []
    for index in range(5):
        frame = Image.new("RGB", (40, 30), (20 * index, 90, 200 - 30 * index))
        frame.paste(picture(12, 12), (index * 6, 4 + index))
        frames.append(frame.quantize(60))
    path = OUT / "animated-palette.png"
    frames[0].save(
        path, save_all=True, append_images=frames[1:], duration=[100, 50, 30, 20, 10], loop=2, default_image=True
    )
    sheet(path, path.with_suffix(".png.png"), first=1)

    rects = [(0, 0, 48, 36), (5, 4, 20, 20), (20, 10, 20, 24), (0, 0, 48, 36), (30, 1, 11, 9), (2, 20, 30, 16)]
    ways = [(0, 0), (1, 1), (2, 1), (0, 1), (2, 0), (1, 0)]
    canvas = numpy.zeros((36, 48, 4))
    shown, chunks, number = [], [], 0
    for (left, top, width, height), (disposal, blending) in zip(rects, ways):
        pixels = numpy.array(picture(width, height, alpha=True))
        part = (slice(top, top + height), slice(left, left + width))
        before = canvas.copy()
        if blending == 0:
            canvas[part] = pixels
        else:
            front, back = pixels / 255, canvas[part] / 255
            alpha = front[..., 3:] + back[..., 3:] * (1 - front[..., 3:])
            colour = front[..., :3] * front[..., 3:] + back[..., :3] * back[..., 3:] * (1 - front[..., 3:])
            colour = numpy.divide(colour, alpha, out=numpy.zeros_like(colour), where=alpha > 0)
            canvas[part] = numpy.concatenate([colour, alpha], -1) * 255
        canvas = numpy.round(canvas)
        shown.append(canvas.copy())
        if disposal == 1:
            canvas[part] = 0
        elif disposal == 2:
            canvas = before
        control = struct.pack(">5I2H2B", number, width, height, left, top, 1 + number, 25, disposal, blending)
        chunks.append(chunk(b"fcTL", control))
        number += 1
        body = image_data(Image.fromarray(pixels))
        if len(chunks) == 1:
            chunks.append(chunk(b"IDAT", body))
        else:
            half = len(body) // 2
            for piece in (body[:half], body[half:]):
                chunks.append(chunk(b"fdAT", struct.pack(">I", number) + piece))
                number += 1
    head = struct.pack(">2I5B", 48, 36, 8, 6, 0, 0, 0)
    control = struct.pack(">2I", len(rects), 0)
    (OUT / "animated-over.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"acTL", control) + b"".join(chunks) + chunk(b"IEND", b"")
    )
    Image.fromarray(numpy.concatenate(shown).astype("uint8"), "RGBA").save(OUT / "animated-over.png.png")


    indexed_apng()


def indexed_apng():
    """Saves two frames of 16 colours, one of them transparent; the reference is drawn without a decoder."""
    y, x = numpy.mgrid[0:20, 0:30]
    numbers = [(x // 2 + y) % 16, (x + y * 3) // 4 % 16]
    colours = numpy.array([(17 * i, 255 - 9 * i, (i * 53) % 256, 0 if i == 5 else 255) for i in range(16)])
    palette = chunk(b"PLTE", colours[:, :3].astype("uint8").tobytes())
    clear = chunk(b"tRNS", colours[:6, 3].astype("uint8").tobytes())
    parts = [chunk(b"IHDR", struct.pack(">2I5B", 30, 20, 8, 3, 0, 0, 0)), chunk(b"acTL", struct.pack(">2I", 2, 0))]
    parts += [palette, clear]
    for index, frame in enumerate(numbers):
        body = zlib.compress(numpy.pad(frame, ((0, 0), (1, 0))).astype("uint8").tobytes())
        parts.append(chunk(b"fcTL", struct.pack(">5I2H2B", index, 30, 20, 0, 0, 1, 10, 0, 0)))
        parts.append(chunk(b"fdAT", struct.pack(">I", 2) + body) if index else chunk(b"IDAT", body))
    parts.append(chunk(b"IEND", b""))
    (OUT / "animated-indexed.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    shown = numpy.concatenate([colours[frame] for frame in numbers])
    Image.fromarray(shown.astype("uint8"), "RGBA").save(OUT / "animated-indexed.png.png")


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def image_data(image):
    """Returns the compressed pixels of a picture as in a PNG."""
    data = io.BytesIO()
    image.save(data, "PNG")
    raw, body, offset = data.getvalue(), b"", 8
    while offset < len(raw):
        length = struct.unpack(">I", raw[offset : offset + 4])[0]
        if raw[offset + 4 : offset + 8] == b"IDAT":
            body += raw[offset + 8 : offset + 8 + length]
        offset += 12 + length
    return body


def sheet(path, out, first=0):
    """Saves the composed frames of an animation, one below the other; transparent pixels of a GIF are 0."""
    with Image.open(path) as animation:
        frames = []
        for index in range(first, animation.n_frames):
            animation.seek(index)
            frame = numpy.array(animation.convert("RGBA"))
            if path.suffix == ".gif":
                frame[frame[..., 3] == 0] = 0
            frames.append(frame)
    Image.fromarray(numpy.concatenate(frames), "RGBA").save(out)


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    jpegs()
    pngs()
    webps()
    apngs()
    for name in ("welcome2", "fire"):
        sheet(OUT.parent / f"gif/{name}.gif", OUT / f"{name}.gif.png")
