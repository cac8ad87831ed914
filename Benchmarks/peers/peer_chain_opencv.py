"""OpenCV: several steps one after another. What comes out is premultiplied where it has alpha."""

import cv2
import numpy as np
import peer
from peer_opencv import INTERPOLATIONS, REDUCTIONS, rounded_mask

cv2.setNumThreads(1)

COLOUR = (51, 102, 204)


def mixed(share, channels):
    """A table for a colour drawn over a picture, of which `share` stays."""
    colour = [*COLOUR, 255][:channels]
    levels = np.arange(256)
    tables = [np.round(levels * share + (1 - share) * value).astype(np.uint8) for value in colour]
    return np.stack(tables, axis=-1).reshape(1, 256, channels)


def size(given):
    return int(given["width"]), int(given["height"])


def card(given):
    """Decoded as small as `setting` says, reduced, with round corners, and tinted."""
    data = np.frombuffer(peer.read(given["input"]), np.uint8)
    reduction, interpolation = given["setting"].split()
    flag, interpolation = REDUCTIONS[reduction], INTERPOLATIONS[interpolation]
    table, radius = mixed(0.6, 4), 40

    def make():
        small = cv2.resize(cv2.imdecode(data, flag), size(given), interpolation=interpolation)
        result = cv2.cvtColor(small, cv2.COLOR_BGR2BGRA)
        # The corners alone change.
        mask = cv2.cvtColor(rounded_mask(2 * radius, 2 * radius, radius), cv2.COLOR_GRAY2BGRA)
        mask[..., 3] = mask[..., 0]
        for y in (slice(0, radius), slice(-radius, None)):
            for x in (slice(0, radius), slice(-radius, None)):
                result[y, x] = cv2.multiply(result[y, x], mask[y, x], scale=1 / 255)
        return cv2.LUT(result, table)

    peer.measure_pixels(make, np.ascontiguousarray)


def backdrop(given):
    """Reduced, blurred, and mixed with a colour."""
    image = cv2.imdecode(np.frombuffer(peer.read(given["input"]), np.uint8), cv2.IMREAD_COLOR)
    interpolation, blur = given["setting"].split()
    interpolation, table = INTERPOLATIONS[interpolation], mixed(0.6, 3)

    def make():
        small = cv2.resize(image, size(given), interpolation=interpolation)
        blurred = cv2.GaussianBlur(small, (0, 0), 5) if blur == "gaussian" else cv2.stackBlur(small, (21, 21))
        return cv2.LUT(blurred, table)

    peer.measure_pixels(make, np.ascontiguousarray)
