"""Files of decoded pixels. A lossy format's quality is the highest at which the file is at most a twentieth larger than
`bytes=`, which is looked for from `near=` on, unless `quality=` is given."""

import io
import os

os.environ["VIPS_CONCURRENCY"] = os.environ["MAGICK_THREAD_LIMIT"] = "1"

import peer

LARGER = 1.05
LOSSY = ("jpeg", "webp", "avif")


def measure(given, encode):
    """Measures `encode`, which takes a quality; leaves the file to be judged."""
    quality = int(given["quality"]) if "quality" in given else None
    if quality is None and given["kind"] in LOSSY:
        most = LARGER * float(given["bytes"])
        quality = highest(lambda quality: len(encode(quality)) <= most, int(given["near"]))
    file = encode(quality)
    if "dump" in given:
        with open(given["dump"], "wb") as target:
            target.write(file)
    peer.report(peer.measure(lambda: encode(quality)), bytes=len(file), quality=quality)


def highest(fits, near):
    """The highest quality below 100 that fits; 1 if none does. Steps from `near` double until it is between two."""
    low, high, step = 1, 100, 1
    middle = near
    while high - low > 1:
        if fits(middle):
            low = middle
        else:
            high = middle
        if 1 < low and high < 100:
            middle = (low + high) // 2
        else:
            middle = min(low + step, 99) if 1 < low else max(high - step, 2)
            step *= 2
    return low


def pillow(given):
    from PIL import Image

    image = Image.open(given["input"]).convert("RGB")
    kind, setting = given["kind"], given["setting"]

    def encode(quality):
        target = io.BytesIO()
        if kind == "jpeg":
            image.save(target, "JPEG", quality=quality, subsampling="4:2:0", optimize=setting == "optimized")
        elif kind == "png":
            image.save(target, "PNG", compress_level=int(setting))
        elif kind == "webp":
            image.save(target, "WEBP", quality=quality, method=int(setting))
        elif kind == "avif":
            image.save(target, "AVIF", quality=quality, speed=int(setting), max_threads=1)
        else:
            method, dither = setting.split()
            made = image.quantize(256, getattr(Image.Quantize, method))
            if dither == "dithered":
                made = image.quantize(palette=made, dither=Image.Dither.FLOYDSTEINBERG)
            made.save(target, "GIF")
        return target.getvalue()

    measure(given, encode)


def opencv(given):
    import cv2

    cv2.setNumThreads(1)
    image = cv2.imread(given["input"])
    kind, setting = given["kind"], given["setting"]

    def encode(quality):
        if kind == "png":
            level, strategy = map(int, setting.split())
            options = [cv2.IMWRITE_PNG_COMPRESSION, level, cv2.IMWRITE_PNG_STRATEGY, strategy]
        elif kind == "gif":
            options = [cv2.IMWRITE_GIF_QUALITY, int(setting)]
        else:
            name = {"jpeg": "JPEG", "webp": "WEBP", "avif": "AVIF"}[kind]
            options = [getattr(cv2, f"IMWRITE_{name}_QUALITY"), quality]
            if kind == "jpeg":
                options += [cv2.IMWRITE_JPEG_OPTIMIZE, int(setting == "optimized")]
            if kind == "avif":
                options += [cv2.IMWRITE_AVIF_SPEED, int(setting)]
        return cv2.imencode(f".{kind}", image, options)[1].tobytes()

    measure(given, encode)


def vips(given):
    import pyvips

    pyvips.cache_set_max(0)
    image = pyvips.Image.new_from_file(given["input"]).copy_memory()
    kind, setting = given["kind"], given["setting"]

    def encode(quality):
        if kind == "jpeg":
            return image.jpegsave_buffer(Q=quality, optimize_coding=setting == "optimized")
        if kind == "png":
            level, filters = setting.split()
            return image.pngsave_buffer(compression=int(level), filter=filters)
        if kind == "webp":
            return image.webpsave_buffer(Q=quality, effort=int(setting))
        if kind == "avif":
            return image.heifsave_buffer(Q=quality, effort=int(setting), compression="av1")
        effort, dither = setting.split()
        return image.gifsave_buffer(effort=int(effort), dither=float(dither))

    measure(given, encode)


def magick(given):
    from wand.image import Image

    source = Image(filename=given["input"])
    kind, setting = given["kind"], given["setting"]

    def encode(quality):
        image = source.clone()
        image.format = kind
        if kind == "png":
            image.compression_quality = int(setting)
        elif kind == "gif":
            image.quantize(256, "srgb", 0, setting == "dithered", False)
        else:
            image.compression_quality = quality
        if kind == "webp":
            image.options["webp:method"] = setting
        return image.make_blob()

    measure(given, encode)
