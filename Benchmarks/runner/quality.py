"""How like the right picture a contender's is, and which setting of a peer is the fastest of like quality."""

import contender as contenders
import cv2
import numpy as np
import paths
from PIL import Image

# How much worse than Alcedo's a peer's picture may be and still count as like it: more than anybody sees, so
# that no peer is kept from a quick setting that its users would be content with.
SSIM_SLACK = 0.015
# The same for files, which are compared with what was encoded, and how much larger than Alcedo's a file may be. Less, as a
# quarter of a decibel is worth a twentieth of a file's size.
FILE_SSIM_SLACK = 0.005
FILE_PSNR_SLACK = 0.25
LARGER = 1.05
# A short measurement, to choose the setting that is then measured.
BRIEF = ["budget=0.06", "runs=1"]


def psnr(one, other):
    error = np.mean((one.astype(np.float64) - other.astype(np.float64)) ** 2)
    return 99.0 if error == 0 else float(min(99, 10 * np.log10(255**2 / error)))


def ssim(one, other):
    """The mean structural similarity of the luma, with the usual window of 11 pixels."""
    x, y = (
        cv2.cvtColor(image.astype(np.float32), cv2.COLOR_BGR2GRAY).astype(np.float64)
        for image in (one, other)
    )

    def mean(image):
        return cv2.GaussianBlur(image, (11, 11), 1.5)

    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mx, my = mean(x), mean(y)
    vx, vy, cov = mean(x * x) - mx * mx, mean(y * y) - my * my, mean(x * y) - mx * my
    map_ = ((2 * mx * my + c1) * (2 * cov + c2)) / ((mx * mx + my * my + c1) * (vx + vy + c2))
    return float(map_[5:-5, 5:-5].mean())


def compare(image, reference):
    return {"ssim": ssim(image, reference), "psnr": psnr(image, reference)}


def on_white(image, premultiplied):
    """BGR of a picture with alpha, as it is seen on white."""
    if image.shape[2] == 3:
        return image
    colour, alpha = image[..., :3].astype(np.float64), image[..., 3:].astype(np.float64) / 255
    return np.clip((colour if premultiplied else colour * alpha) + 255 * (1 - alpha), 0, 255)


def lanczos(path, size):
    """The whole picture, reduced by Pillow's Lanczos filter without any shortcut."""
    with Image.open(path) as file:
        image = file.convert("RGBA" if "A" in file.getbands() else "RGB")
    if image.size != size:
        image = image.resize(size, Image.Resampling.LANCZOS)
    pixels = np.asarray(image)
    order = [2, 1, 0, 3] if pixels.shape[2] == 4 else [2, 1, 0]
    return on_white(pixels[..., order], False)


class Judge:
    """Compares what contenders make with a reference of the same size.

    `least_psnr` is what a peer has to reach unless Alcedo does not, for work with one right answer.
    """

    def __init__(self, reference, look, cores, timeout=60, least_psnr=0):
        self.reference = reference
        self.least_psnr = least_psnr
        self.look = look
        self.cores = cores
        self.timeout = timeout

    def __call__(self, contender):
        """One measurement of a contender, with the quality of what it made; raises Failed."""
        dump = paths.scratch / "dump"
        measured = contenders.run(contender, self.cores, self.timeout, [f"dump={dump}", *BRIEF])
        height, width = self.reference.shape[:2]
        data = np.fromfile(dump, np.uint8)
        dump.unlink()
        if data.size % (height * width) != 0:
            raise contenders.Failed(f"{data.size} bytes are no picture of {width}×{height}")
        image = self.look(data.reshape(height, width, -1), contender.role == "alcedo")
        return min(measured["seconds"]), compare(image, self.reference)

    def is_like(self, quality, own):
        return quality["ssim"] >= own["ssim"] - SSIM_SLACK and quality["psnr"] >= min(
            own["psnr"], self.least_psnr
        )


class FileJudge:
    """Compares the files that contenders make of a picture: how like it they are, and how large.

    The first one is Alcedo's; the others learn its size, and say which quality they have found to make one as large.
    """

    def __init__(self, reference, cores, timeout=60):
        self.reference, self.cores, self.timeout = reference, cores, timeout
        self.bytes = 0
        self.near = 75  # a quality near that of the next peer

    def __call__(self, contender):
        dump = paths.scratch / "dump"
        extra = [f"dump={dump}", f"bytes={self.bytes}", f"near={self.near}", *BRIEF]
        measured = contenders.run(contender, self.cores, self.timeout, extra)
        with Image.open(dump) as file:
            image = np.asarray(file.convert("RGB"))[..., ::-1]
        found = compare(image, self.reference) | {"bytes": measured["bytes"]}
        self.bytes = self.bytes or measured["bytes"]
        if measured.get("quality") is not None:
            contender.command.append(f"quality={measured['quality']}")
            found["quality"] = self.near = measured["quality"]
        return min(measured["seconds"]), found

    def is_like(self, quality, own):
        return (
            quality["ssim"] >= own["ssim"] - FILE_SSIM_SLACK
            and quality["psnr"] >= own["psnr"] - FILE_PSNR_SLACK
            and quality["bytes"] <= own["bytes"] * LARGER
        )


def choose(judge, own, families):
    """Alcedo and of each peer the fastest setting of like quality.

    `families` are lists of contenders, a peer's settings each. Returns the contenders, their quality by name,
    what was tried, and who is shown though not alike: a peer that never comes near is taken at its best
    quality.
    """
    seconds, quality = judge(own)
    chosen, qualities, unlike = [own], {own.name: quality}, set()
    tried = [{"name": own.name, "seconds": seconds, **quality}]
    for family in families:
        candidates = []
        for contender in family:
            try:
                time, found = judge(contender)
            except contenders.Failed as failure:
                tried.append({"name": contender.name, "failure": str(failure)})
                continue
            candidates.append((judge.is_like(found, quality), time, found, contender))
            tried.append({"name": contender.name, "seconds": time, **found})
        like = [candidate for candidate in candidates if candidate[0]]
        if like:
            best = min(like, key=lambda candidate: candidate[1])
        elif candidates:
            best = max(candidates, key=lambda candidate: candidate[2]["psnr"])
            unlike.add(best[3].name)
        else:
            chosen.append(family[0])
            continue
        chosen.append(best[3])
        qualities[best[3].name] = best[2]
    return chosen, qualities, tried, unlike
