"""Rows about several operations one after another. One core each, everything in memory."""

import cv2
import inputs
import numpy as np
import quality
from contender import alcedo, python
from row import Row, cores, judged
from rows_pixels import corner_alpha

COLOUR = np.array([51, 102, 204])
OPENCV = {
    "card": {"2mp": ("1 area", "2 linear", "2 area"), "12mp": ("4 area", "4 linear", "2 area")},
    "backdrop": [f"{i} {b}" for i in ("area", "linear") for b in ("gaussian", "stack")],
}
VIPS = {"card": [""], "backdrop": [f"{k} {p}" for k in ("shrink", "linear") for p in ("integer", "approximate")]}
CHAINS = {
    "card": ("downsample, round, tint", "jpeg", (600, 450), quality.on_white),
    "backdrop": ("resize, blur, overlay", "png", (400, 300), lambda image, _: image[..., :3]),
}


def chains():
    for kind, (name, form, size, look) in CHAINS.items():
        for pixels, title in (("2mp", "2 MP"), ("12mp", "12 MP")):
            given = {"input": inputs.photo(pixels, form), "width": size[0], "height": size[1]}
            row = Row("chains", f"{name}, {title} {form.upper()} to {size[0]} px", [], {"fastest peer": 1.2})
            settings = OPENCV[kind]
            settings = settings[pixels] if kind == "card" else settings
            families = [
                [python(f"OpenCV {s}", "chain_opencv", kind, setting=s, **given) for s in settings],
                [python(f"libvips {s}".strip(), "chain_vips", kind, setting=s, **given) for s in VIPS[kind]],
            ]
            base = quality.lanczos(inputs.photo(pixels, form), size).astype(np.float64)
            judge = quality.Judge(RESULTS[kind](base), premultiplied(look), cores(row), least_psnr=32)
            yield judged(row, judge, alcedo("chain", kind=kind, **given), families)


def premultiplied(look):
    """Peers premultiply, too."""
    return lambda image, _: look(image, True)


def card(base):
    """Round corners, then a colour of 40 % over everything, on white."""
    alpha = corner_alpha(*base.shape[:2], 40) / 255
    colour = base * alpha * 0.6 + COLOUR * 0.4
    return colour + 255 * (1 - (alpha * 0.6 + 0.4))


def backdrop(base):
    blurred = cv2.GaussianBlur(base, (0, 0), 5, borderType=cv2.BORDER_REPLICATE)
    return blurred * 0.6 + COLOUR * 0.4


RESULTS = {"card": card, "backdrop": backdrop}
