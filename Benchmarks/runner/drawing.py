"""The SVG that is measured: a few hundred filled and stroked curves with gradients, without text, as fonts differ."""

import inputs
import numpy as np
import pyvips
import quality

WIDTH, HEIGHT = 1600, 1200


def drawing():
    return inputs.make_once("drawing.svg", lambda: text().encode())


def text(shapes=150, gradients=20):
    generator = np.random.default_rng(23)

    def colour():
        return "#%02x%02x%02x" % tuple(generator.integers(0, 256, 3))

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">', "<defs>"]
    for index in range(gradients):
        stops = f'<stop offset="0" stop-color="{colour()}"/><stop offset="1" stop-color="{colour()}"/>'
        lines.append(f'<linearGradient id="g{index}" x2="0.7" y2="1">{stops}</linearGradient>')
    lines += ["</defs>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#f4f1ea"/>']
    for index in range(shapes):
        centre = generator.uniform((0, 0), (WIDTH, HEIGHT))
        points = centre + generator.normal(0, 300 / (1 + index / 40), (7, 2))
        curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points[1:])
        fill = f"url(#g{index % gradients})" if index % 3 else colour()
        lines.append(
            f'<path d="M{points[0][0]:.1f},{points[0][1]:.1f} C{curve} Z" fill="{fill}" opacity="0.8" '
            f'stroke="{colour()}" stroke-width="{generator.uniform(0.5, 4):.1f}"/>'
        )
    return "\n".join([*lines, "</svg>", ""])


def reference(path, width, parts=2):
    """What it looks like: drawn larger, and the mean of the pixels that each covers."""
    image = pyvips.Image.svgload(str(path), scale=parts * width / WIDTH).shrink(parts, parts)
    pixels = np.ndarray(buffer=image.write_to_memory(), dtype=np.uint8, shape=(image.height, image.width, 4))
    return quality.on_white(pixels[..., [2, 1, 0, 3]], False)
