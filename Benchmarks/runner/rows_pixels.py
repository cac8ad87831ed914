"""Rows about pixels: thumbnails, resizing, decoding, filters. One core each, everything in memory."""

import cv2
import inputs
import numpy as np
import quality
from contender import alcedo, floor, python
from row import Row, cores, judged

SIDE = 200


def thumbnails():
    pictures = [
        ("JPEG 256 px", inputs.photo("256", "jpeg"), (200, 150), 1.2),
        ("JPEG 2 MP", inputs.photo("2mp", "jpeg"), (200, 150), 1.5),
        ("JPEG 12 MP", inputs.photo("12mp", "jpeg"), (200, 150), 1.2),
        ("PNG 128 px", inputs.small_png(), (128, 96), 1.0),
        ("PNG 2 MP", inputs.photo("2mp", "png"), (200, 150), 1.0),
        ("WebP 2 MP", inputs.photo("2mp", "webp"), (200, 150), 1.0),
    ]
    for name, path, size, target in pictures:
        row = Row("thumbnail", f"{name} to {SIDE} px", [], {"fastest peer": target})
        given = {"input": path, "side": SIDE, "alpha": int("128" in name)}
        is_photo = name.startswith("JPEG")
        reductions = [r for r in (1, 2, 4, 8) if is_photo and largest(path) // r >= SIDE] or [1]
        opencv = [
            python(f"OpenCV {r} {i}", "opencv", "thumbnail", setting=f"{r} {i}", **given)
            for r in reductions
            for i in ("area", "linear", "cubic")
            if i == "area" or r == reductions[-1]
        ]
        pillow = [
            python(f"Pillow {f} {g}", "pillow", "thumbnail", setting=f"{f} {g}", **given)
            for f, g in (
                ("lanczos", 0),
                ("lanczos", 2),
                ("bicubic", 2),
                ("hamming", 2),
                ("box", 2),
                ("bicubic", 1.1),
            )
        ]
        vips = [python("libvips thumbnail", "vips", "thumbnail", **given)]
        judge = quality.Judge(quality.lanczos(path, size), quality.on_white, cores(row))
        yield judged(row, judge, alcedo("thumbnail", **given), [opencv, pillow, vips])


def largest(path):
    return max(cv2.imread(str(path), cv2.IMREAD_UNCHANGED).shape[:2])


def resizes():
    path = inputs.photo("2mp", "png")
    given = {"input": path, "width": 400, "height": 300}
    row = Row("resize", "1600×1200 to 400×300", [], {"fastest peer": 1.2})
    opencv = [
        python(f"OpenCV {i}", "opencv", "resize", setting=i, **given) for i in ("area", "linear", "cubic")
    ]
    pillow = [
        python(f"Pillow {f}", "pillow", "resize", setting=f, **given)
        for f in ("lanczos 0", "bicubic 0", "hamming 0", "box 0", "lanczos 2", "bicubic 2", "reduce")
    ]
    vips = [
        python(f"libvips {f}", "vips", "resize", setting=f, **given)
        for f in ("lanczos3 2", "cubic 2", "linear 2", "shrink")
    ]
    judge = quality.Judge(quality.lanczos(path, (400, 300)), quality.on_white, cores(row))
    yield judged(row, judge, alcedo("resize", **given), [opencv, pillow, vips])


def decodes():
    library = {"jpeg": "libjpeg-turbo", "png": "libspng", "webp": "libwebp", "gif": "giflib"}
    for kind, name in library.items():
        for size in ("icon", "2mp", "12mp"):
            path = inputs.icon(kind) if size == "icon" else inputs.photo(size, kind)
            label = {"icon": "icon", "2mp": "2 MP", "12mp": "12 MP"}[size]
            contenders = [alcedo("decode", input=path), floor(name, "decode", input=path)]
            yield Row("decode", f"{kind.upper()} {label}", contenders, {name: 0.97})


def filters():
    path = inputs.photo("2mp", "png")
    image = cv2.imread(str(path))
    for kind, name, settings in FILTERS:
        row = Row("filters", f"{name}, 2 MP", [], {"fastest peer": 1.2 if kind == "corners" else 1.0})
        families = [
            [
                python(f"{title} {s}".strip(), library, "filter", kind=kind, setting=s, input=path)
                for s in settings.get(library, [""])
            ]
            for library, title in PEERS
        ]
        reference, look = references(kind, image)
        judge = quality.Judge(reference, look, cores(row), least_psnr=32)
        yield judged(row, judge, alcedo("filter", kind=kind, input=path), families)


PEERS = [("opencv", "OpenCV"), ("pillow", "Pillow"), ("vips", "libvips"), ("magick", "ImageMagick")]
TABLES = {"opencv": ["", "table"], "pillow": ["", "table"], "vips": ["", "table"]}
FILTERS = [
    (
        "blur",
        "Gaussian blur of 10",
        {"opencv": ["gaussian", "3 boxes", "stack"], "vips": ["integer", "approximate"]},
    ),
    (
        "corners",
        "round corners of 80",
        {"opencv": ["whole mask", "masked corners"], "pillow": ["smooth", "plain"]},
    ),
    ("blend", "multiply by a colour", TABLES),
    ("tint", "tint with a colour", TABLES),
    (
        "colours",
        "saturation, brightness, contrast",
        {
            "opencv": ["linear", "gamma"],
            "pillow": ["matrix", "enhance"],
            "vips": ["linear", "gamma"],
            "magick": ["linear", "gamma"],
        },
    ),
]


def references(kind, image):
    """The right answer in floating point, and what of a picture to compare with it."""
    values = image.astype(np.float64)
    colour = np.array([51, 102, 204])
    if kind == "blur":
        return cv2.GaussianBlur(values, (0, 0), 10, borderType=cv2.BORDER_REPLICATE), inner
    if kind == "corners":
        return corner_alpha(*image.shape[:2], 80), alpha_only
    if kind == "blend":
        return values * colour / 255, opaque
    if kind == "tint":
        return values * 0.6 + colour * 0.4, opaque
    light = np.where(values <= 0.04045 * 255, values / 255 / 12.92, ((values / 255 + 0.055) / 1.055) ** 2.4)
    grey = light @ np.array([0.0722, 0.7152, 0.2126])
    light = grey[..., None] + (light - grey[..., None]) * 1.3
    light = np.clip((light + 0.02 - 0.5) * 1.1 + 0.5, 0, 1)
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return encoded * 255, opaque


def opaque(image, _):
    return image[..., :3]


def inner(image, _):
    """Without alpha; what libraries take to lie beyond the edges differs, and changes a narrow frame only."""
    return image[..., :3]


def alpha_only(image, _):
    """The alpha channel thrice, so that it is compared as a grey picture."""
    return np.repeat(image[..., 3:], 3, axis=2)


def corner_alpha(height, width, radius, parts=8):
    steps = (np.arange(radius * parts) + 0.5) / parts
    inside = np.hypot(steps[:, None] - radius, steps[None, :] - radius) <= radius
    corner = inside.reshape(radius, parts, radius, parts).mean(axis=(1, 3)) * 255
    alpha = np.full((height, width), 255.0)
    alpha[:radius, :radius] = corner
    alpha[:radius, -radius:] = corner[:, ::-1]
    alpha[-radius:, :radius] = corner[::-1]
    alpha[-radius:, -radius:] = corner[::-1, ::-1]
    return np.repeat(alpha[..., None], 3, axis=2)
