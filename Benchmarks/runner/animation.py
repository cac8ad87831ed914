"""The animation that is measured."""

import io

import cv2
import inputs
import numpy as np
from PIL import Image

FRAMES = 200
FRAME_MILLISECONDS = 50


def animation():
    """A GIF of 200 frames of 1920×1080: a drawn scene that moves past, so that every frame is new all
    over."""
    return inputs.make_once("animation.gif", encoded_animation)


def encoded_animation():
    generator = np.random.default_rng(11)
    width, height = 1920, 1080
    scene = np.zeros((height, width + FRAMES * 8), np.uint8)
    for radius in np.sort(generator.uniform(90.0**-2, 6.0**-2, 3000) ** -0.5)[::-1]:
        centre = int(generator.uniform(0, scene.shape[1])), int(generator.uniform(0, height))
        cv2.circle(scene, centre, int(radius), int(generator.integers(0, 64)), -1)
    palette = generator.integers(0, 256, 64 * 3).tolist()
    frames = []
    for index in range(FRAMES):
        frame = Image.fromarray(np.ascontiguousarray(scene[:, index * 8 : index * 8 + width]), "P")
        frame.putpalette(palette)
        frames.append(frame)
    target = io.BytesIO()
    frames[0].save(
        target,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=FRAME_MILLISECONDS,
        loop=0,
        optimize=False,
    )
    return target.getvalue()
