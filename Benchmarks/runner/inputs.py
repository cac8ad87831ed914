"""The pictures that are measured, made once and kept under build/bench/inputs.

No photograph of 12 megapixels comes with the sources. What is drawn instead has the statistics of
photographs: opaque discs of all sizes that cover one another (the model of dead leaves, whose spectrum falls
as that of natural scenes), each with a texture and a shade, softened as by a lens, with the noise of a sensor
on top. A JPEG of it takes about as many bits a pixel as one from a camera.
"""

import io

import cv2
import numpy as np
import paths
import pyvips
import wand.image
from PIL import Image

PHOTO_SIZES = {"12mp": (4000, 3000), "2mp": (1600, 1200), "half": (800, 600), "256": (256, 192), "128": (128, 96)}


def texture(width, height, generator):
    """Noise whose amplitude falls with the frequency, of mean 0 and deviation 1."""
    rows = np.fft.fftfreq(height)[:, None]
    columns = np.fft.rfftfreq(width)[None, :]
    frequency = np.maximum(np.hypot(rows, columns), 1 / max(width, height))
    spectrum = (
        generator.normal(size=frequency.shape) + 1j * generator.normal(size=frequency.shape)
    ) / frequency**1.2
    noise = np.fft.irfft2(spectrum, (height, width)).astype(np.float32)
    return noise / noise.std()


def photograph(width, height, seed=7):
    """BGR bytes."""
    generator = np.random.default_rng(seed)
    image = np.full((height, width, 3), 110, np.float32)
    # The number of discs falls with the cube of their radius. Each covers what is there, so nothing lies
    # bare.
    largest, smallest, covered = max(width, height) / 5, max(width, height) / 300, 0
    while covered < 3 * width * height:
        radius = generator.uniform(largest**-2, smallest**-2) ** -0.5
        covered += np.pi * radius**2
        centre = int(generator.uniform(0, width) * 16), int(generator.uniform(0, height) * 16)
        colour = np.clip(generator.gamma(4, 26) * generator.normal((0.95, 1, 1.05), 0.1), 0, 250)
        cv2.circle(image, centre, int(radius * 16), colour.tolist(), -1, cv2.LINE_AA, 4)
    image *= np.clip(1 + 0.2 * texture(width, height, generator)[..., None], 0.2, 2)
    image = cv2.GaussianBlur(image, (0, 0), 0.7)
    image += generator.normal(0, 2.5, image.shape).astype(np.float32)
    return np.clip(image, 0, 255).astype(np.uint8)


def with_alpha(image):
    """A picture with soft edges, as icons have."""
    height, width = image.shape[:2]
    y, x = np.ogrid[:height, :width]
    distance = np.hypot((x - width / 2) / (width / 2), (y - height / 2) / (height / 2))
    alpha = np.clip((1 - distance) * 8, 0, 1) * 255
    return np.dstack([image, alpha.astype(np.uint8)])


def encoded(image, kind, quality=88):
    """Bytes of a picture of BGR or BGRA."""
    order = [2, 1, 0, 3] if image.shape[2] == 4 else [2, 1, 0]
    picture = Image.fromarray(np.ascontiguousarray(image[..., order]))
    target = io.BytesIO()
    if kind == "jpeg":
        picture.save(target, "JPEG", quality=quality)
    elif kind == "png":
        picture.save(target, "PNG", compress_level=6)
    elif kind == "progressive":
        picture.save(target, "JPEG", quality=quality, progressive=True)
    elif kind == "webp":
        picture.save(target, "WEBP", quality=quality, method=2)
    elif kind == "avif":
        picture.save(target, "AVIF", quality=75, speed=9)
    elif kind in ("heic", "jxl"):
        return encoded_with(kind, picture)
    else:
        picture.convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE).save(target, "GIF")
    return target.getvalue()


def encoded_with(kind, picture):
    """HEIC by ImageMagick and JPEG XL by libvips, as Pillow has neither."""
    pixels = np.asarray(picture)
    if kind == "jxl":
        return pyvips.Image.new_from_array(pixels).jxlsave_buffer(Q=85, effort=4)
    with wand.image.Image.from_array(pixels) as image:
        image.format, image.compression_quality = "heic", 75
        return image.make_blob()


def make_once(name, make):
    """The path of a file of the inputs, which `make` gives the bytes of if it is not there."""
    path = paths.inputs / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        part.write_bytes(make())
        part.rename(path)
    return path


_photographs = {}


def pixels(size):
    if size == "48mp":
        return np.tile(pixels("12mp"), (2, 2, 1))
    if size not in _photographs:
        _photographs[size] = photograph(*PHOTO_SIZES[size])
    return _photographs[size]


def photo(size, kind):
    """A photograph as a file, such as `photo("12mp", "jpeg")`."""
    return make_once(f"photo-{size}.{kind}", lambda: encoded(pixels(size), kind))


def icon(kind):
    """A picture of 64×64 pixels; with alpha where the format has one."""

    def make():
        image = cv2.resize(pixels("256"), (64, 64), interpolation=cv2.INTER_AREA)
        return encoded(with_alpha(image) if kind in ("png", "webp") else image, kind)

    return make_once(f"icon.{kind}", make)


def small_png():
    """128×96 pixels with alpha."""
    return make_once("icon-128.png", lambda: encoded(with_alpha(pixels("128")), "png"))


GALLERY_IMAGES = 1000


def gallery():
    """A folder of mixed pictures and a file that lists them: a hundred different ones, ten times each."""
    folder = paths.inputs / "gallery"
    names = paths.inputs / "gallery.txt"
    if not names.exists():
        folder.mkdir(parents=True, exist_ok=True)
        whole = pixels("12mp")
        listed = []
        for index in range(100):
            kind, width, height = GALLERY_KINDS[index % len(GALLERY_KINDS)]
            x, y = index * 331 % (4000 - width), index * 173 % (3000 - height)
            data = encoded(whole[y : y + height, x : x + width], kind, 85)
            for copy in range(GALLERY_IMAGES // 100):
                name = f"{index + copy * 100:04}.{kind}"
                (folder / name).write_bytes(data)
                listed.append(name)
        names.write_text("\n".join(sorted(listed)) + "\n")
    return folder, names


# As on a page of pictures: mostly photographs, of the size that a site sends to a phone.
GALLERY_KINDS = [
    ("jpeg", 800, 600),
    ("jpeg", 640, 480),
    ("png", 256, 256),
    ("jpeg", 1200, 900),
    ("webp", 640, 480),
    ("jpeg", 480, 640),
    ("jpeg", 800, 600),
    ("gif", 200, 200),
    ("jpeg", 1600, 1200),
    ("webp", 400, 300),
]
