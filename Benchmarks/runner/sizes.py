"""How many bytes the image server's results take at equal look, beside libvips, and by a target instead of a fixed quality.

`make sizes` runs it: sizes.py PROGRAM [PICTURES].
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import cv2
import inputs
import numpy as np
import pyvips
from quality import ssim

SIZE = (360, 270)
FIXED = {"jpg": 80, "webp": 79, "avif": 63}
# Steps of libvips's encoders as an image server sets them: AVIF at speed 8, WebP at effort 4.
PEER = {
    "jpg": lambda image, q: image.jpegsave_buffer(Q=q, optimize_coding=True),
    "webp": lambda image, q: image.webpsave_buffer(Q=q),
    "avif": lambda image, q: image.heifsave_buffer(Q=q, compression="av1", effort=1, bitdepth=8),
}
# The method of `autoquality`, and the qualities that it may choose.
RANGES = {"jpg": "40:95", "webp": "40:95", "avif": "35:85"}


def photographs(count):
    """Photographs from flat and blurred to sharp and noisy."""
    generator = np.random.default_rng(11)
    for index in range(count):
        image = inputs.photograph(*SIZE, seed=100 + index).astype(np.float32)
        if index % 2:
            image = cv2.GaussianBlur(image, (0, 0), generator.uniform(0.5, 4))
        image = (image - 110) * generator.uniform(0.5, 1.3) + 110
        yield np.clip(image + generator.normal(0, generator.uniform(0, 4), image.shape), 0, 255).astype(np.uint8)


def drawings(count):
    """Screenshots: text, areas and lines of few colours, every third with a gradient."""
    generator = np.random.default_rng(12)
    for index in range(count):
        image = np.full((SIZE[1], SIZE[0], 3), 245, np.uint8)
        if index % 3 == 0:
            image[:, :, 0] = np.linspace(90, 250, SIZE[0]).astype(np.uint8)
        for _ in range(12):
            x, y = (int(generator.integers(0, side)) for side in SIZE)
            colour = [int(level) for level in generator.integers(0, 255, 3)]
            cv2.rectangle(image, (x, y), (x + int(generator.integers(20, 120)), y + 30), colour, -1)
            cv2.putText(image, "Alcedo 0123", (x - 60, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (20, 20, 20), 1, cv2.LINE_AA)
        yield image


@contextlib.contextmanager
def serving(program, folder):
    """Yields a function that gets a file of `folder` from `alcedo serve`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    settings = {"LOCAL_FILESYSTEM_ROOT": str(folder), "CACHE_DISK": "0", "TIMEOUT": "600"}
    process = subprocess.Popen(
        [program, "serve", "--bind", address],
        env={**os.environ, **{f"ALCEDO_{name}": value for name, value in settings.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def get(name, options, kind):
        url = f"http://{address}/unsafe/{options}/plain/local:///{name}@{kind}"
        with urllib.request.urlopen(url, timeout=600) as response:
            return response.read()

    try:
        for _ in range(600):
            if process.poll() is not None:
                sys.exit(f"{program} serve ended with status {process.returncode}")
            with contextlib.suppress(OSError):
                socket.create_connection(address.split(":"), timeout=1).close()
                break
            time.sleep(0.1)
        yield get
    finally:
        process.terminate()
        process.wait()


def decoded(data):
    """BGR."""
    image = pyvips.Image.new_from_buffer(data, "").colourspace("srgb")
    return np.ascontiguousarray(image.numpy()[..., 2::-1]) if image.bands >= 3 else cv2.cvtColor(
        image.numpy(), cv2.COLOR_GRAY2BGR
    )


def at_similarity(encode, original, wanted):
    """Bytes of a peer's file of that similarity, between those of two neighbouring qualities."""
    low, high = 1, 100
    tried = {}

    def attempt(quality):
        if quality not in tried:
            data = encode(quality)
            tried[quality] = (ssim(decoded(data), original), len(data))
        return tried[quality]

    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if attempt(middle)[0] < wanted else (low, middle)
    (below, small), (above, large) = attempt(low), attempt(high)
    share = 0 if above == below else min(max((wanted - below) / (above - below), 0), 1)
    return float(np.exp(np.log(small) + share * (np.log(large) - np.log(small))))


def lossy(get, pictures):
    print("| format | quality | Alcedo, bytes | SSIM | libvips at that SSIM | Alcedo beside it |")
    print("|---|---|---|---|---|---|")
    fixed = {}
    for kind, quality in FIXED.items():
        own, peer, similarities = [], [], []
        for name, original in pictures:
            data = get(name, f"q:{quality}", kind)
            own.append(len(data))
            similarities.append(ssim(decoded(data), original))
            vips = pyvips.Image.new_from_array(np.ascontiguousarray(original[..., ::-1]))
            peer.append(at_similarity(lambda q: PEER[kind](vips, q), original, similarities[-1]))
        fixed[kind] = (own, similarities)
        ratio = np.exp(np.mean(np.log(np.array(own) / np.array(peer))))
        print(
            f"| {kind} | {quality} | {sum(own):,} | {np.mean(similarities):.4f} | {sum(peer):,.0f} "
            f"| {(ratio - 1) * 100:+.1f} % |",
            flush=True,
        )
    return fixed


def targeted(get, pictures, fixed):
    print("\n| format | fixed | bytes | lowest tenth of SSIM | by target | bytes | lowest tenth | fewer bytes |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, (sizes, similarities) in fixed.items():
        # What a fixed quality gives nine of ten pictures at least is good enough for all.
        wanted = float(np.quantile(similarities, 0.1))
        options = f"aq:ssim:{wanted:.4f}:{RANGES[kind]}:0.0005"
        found = [get(name, options, kind) for name, _ in pictures]
        reached = [ssim(decoded(data), original) for data, (_, original) in zip(found, pictures)]
        total = sum(map(len, found))
        print(
            f"| {kind} | q:{FIXED[kind]} | {sum(sizes):,} | {wanted:.4f} | `{options}` | {total:,} "
            f"| {np.quantile(reached, 0.1):.4f} | {(1 - total / sum(sizes)) * 100:.0f} % |",
            flush=True,
        )


def png(get, kinds):
    print("\n| PNG | Alcedo, bytes | libvips, bytes | Alcedo beside it | quantised | SSIM | libvips' quantised | SSIM |")
    print("|---|---|---|---|---|---|---|---|")
    for label, pictures in kinds.items():
        own, peer, few, others = [], [], [], []
        for name, original in pictures:
            vips = pyvips.Image.new_from_array(np.ascontiguousarray(original[..., ::-1]))
            own.append(len(get(name, "q:1", "png")))
            peer.append(min(len(vips.pngsave_buffer(filter=filter)) for filter in ("none", "all")))
            few.append(get(name, "pngo:0:1:256", "png"))
            others.append(vips.pngsave_buffer(palette=True))
        ratio = np.exp(np.mean(np.log(np.array(own) / np.array(peer))))
        looks = [
            np.mean([ssim(decoded(data), original) for data, (_, original) in zip(files, pictures)])
            for files in (few, others)
        ]
        print(
            f"| {label} | {sum(own):,} | {sum(peer):,} | {(ratio - 1) * 100:+.1f} % | {sum(map(len, few)):,} "
            f"| {looks[0]:.4f} | {sum(map(len, others)):,} | {looks[1]:.4f} |",
            flush=True,
        )


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:

        def saved(label, images):
            pictures = []
            for index, image in enumerate(images):
                name = f"{label}-{index}.png"
                cv2.imwrite(str(Path(folder) / name), image)
                pictures.append((name, image))
            return pictures

        photos, drawn = saved("photo", photographs(count)), saved("drawing", drawings(max(count // 5, 3)))
        with serving(program, folder) as get:
            print(f"{count} photographs of {SIZE[0]} × {SIZE[1]} pixels, {len(drawn)} screenshots\n")
            fixed = lossy(get, photos)
            targeted(get, photos, fixed)
            png(get, {"photographs": photos[: max(count // 5, 3)], "screenshots": drawn})


if __name__ == "__main__":
    main()
