"""libvips: several steps in one pipeline. What comes out is premultiplied where it has alpha."""

import peer
import pyvips
from peer_vips import picture, pixels, rows

COLOUR = (204, 102, 51)


def mixed(image, share):
    """With a colour drawn over it, of which `share` of the picture stays."""
    colour = [*COLOUR, 255][: image.bands]
    return image.linear([share] * image.bands, [(1 - share) * value for value in colour], uchar=True)


def rounded(image, radius):
    """Premultiplied, with the corners away."""
    result = image.bandjoin(255)
    xy = pyvips.Image.xyz(radius, radius)
    dx, dy = radius - 0.5 - xy[0], radius - 0.5 - xy[1]
    corner = (radius + 0.5 - (dx * dx + dy * dy) ** 0.5).cast("float")
    corner = (corner > 1).ifthenelse(1, (corner < 0).ifthenelse(0, corner)).copy_memory()
    right, bottom = image.width - radius, image.height - radius
    for x, y, mask in (
        (0, 0, corner),
        (right, 0, corner.fliphor()),
        (0, bottom, corner.flipver()),
        (right, bottom, corner.rot180()),
    ):
        part = (result.crop(x, y, radius, radius) * mask).cast("uchar")
        result = result.insert(part, x, y)
    return result


def card(given):
    """A thumbnail with round corners, tinted."""
    data, width = peer.read(given["input"]), int(given["width"])

    def make():
        small = pyvips.Image.thumbnail_buffer(data, width, size="down")
        return pixels(mixed(rounded(small, 40), 0.6))

    peer.measure_pixels(make, rows)


def backdrop(given):
    """Reduced, blurred, and mixed with a colour."""
    image, (kernel, precision) = picture(given), given["setting"].split()
    scale = int(given["width"]) / image.width

    def make():
        small = image.shrink(1 / scale, 1 / scale) if kernel == "shrink" else image.resize(scale, kernel=kernel)
        return pixels(mixed(small.gaussblur(5, precision=precision), 0.6))

    peer.measure_pixels(make, rows)
