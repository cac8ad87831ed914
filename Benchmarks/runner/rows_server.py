"""Rows about serving: `alcedo serve` beside nginx's image filter, thumbor and a bare libvips service, and, warm,
beside nginx that serves the same bytes as files."""

import heapq
import io
import itertools
import os
import random
import subprocess
import sys
from contextlib import ExitStack

import contender as contenders
import cv2
import inputs
import numpy as np
import paths
import quality
import server
import services
from PIL import Image
from row import Row

SECONDS = 3
SIDE = 300
URLS = 10_000


# Never the same number twice, so that no cache knows the URL.
fresh = itertools.count(1)


def rows():
    root = paths.inputs / "served"
    names = pictures(root)
    with ExitStack() as stack:
        origin = int(stack.enter_context(server.nginx(root)).plain.rsplit(":", 1)[1])
        own = stack.enter_context(services.alcedo(origin))
        peers, absent = [], []
        for start in (services.image_filter, services.vips, services.thumbor):
            try:
                peers.append(stack.enter_context(start(origin)))
            except (OSError, RuntimeError, subprocess.SubprocessError) as failure:
                absent.append(f"{start.__name__}: {failure}")
        note = "; ".join(absent)

        for title, name in names.items():
            row = served(f"cold, {title} to {SIDE} px, 16 clients")
            row.contenders = [cold(service, name, 16) for service in (own, *peers)]
            row.quality = {service.name: likeness(service, name) for service in (own, *peers)}
            row.unlike = {
                service.name
                for service in peers
                if row.quality[service.name]["ssim"] < row.quality[own.name]["ssim"] - quality.SSIM_SLACK
            }
            if title == "2 MP JPEG":
                row.targets = {"nginx image_filter": 3, "thumbor": 3, "libvips": 1.3}
            row.note = note
            yield row

        for clients in (1, 16, 256):
            row = served(f"cold, Zipf mix of kinds, {clients} clients")
            row.contenders = [cold(service, list(names.values()), clients) for service in (own, *peers)]
            yield row

        for pace, most in (("even", 2), ("random", ideal(64))):
            title = f"cold, 2 MP JPEG, 64 clients at 70 % of what 16 get, at {pace} times"
            row = served(title)
            row.contenders = [at_seventy_percent(service, names["2 MP JPEG"], pace) for service in (own, *peers)]
            row.limits = {"p99 over p50": most}
            yield row

        yield from warm(own, names["2 MP JPEG"], stack)


def pictures(root):
    """The pictures at the origin, by their titles."""
    root.mkdir(parents=True, exist_ok=True)
    files = {
        "128 px PNG with alpha": inputs.small_png(),
        "2 MP JPEG": inputs.photo("2mp", "jpeg"),
        "12 MP JPEG": inputs.photo("12mp", "jpeg"),
        "2 MP WebP": inputs.photo("2mp", "webp"),
    }
    for path in files.values():
        server.publish(path, root)
    return {title: path.name for title, path in files.items()}


def served(title):
    """A row of one round, as a load of seconds is many requests."""
    return Row("server", title, [], per="picture", single_core=False, rounds=1)


def load(name, url, pid, listed, clients, role):
    file = paths.scratch / f"paths-{next(fresh)}"
    file.write_text("\n".join(listed) + "\n")
    program = [sys.executable, str(paths.benchmarks / "peers" / "load.py")]
    command = [*program, url, str(file), str(clients), str(SECONDS), str(pid)]
    contender = contenders.Contender(name, command, role)
    contender.before = services.wait_until_idle
    return contender


def cold(service, names, clients):
    """Requests that no cache can answer; of several names, the popular ones more often."""
    names = [names] if isinstance(names, str) else names
    generator = random.Random(5)
    weights = [1 / (rank + 1) for rank in range(len(names))]
    drawn = generator.choices(names, weights, k=URLS)
    role = "alcedo" if service.name == "Alcedo" else "peer"
    contender = load(service.name, service.url, service.process.pid, [], clients, role)

    def before():
        services.wait_until_idle()
        lines = [service.path(name, SIDE, next(fresh)) for name in drawn]
        with open(contender.command[3], "w") as file:
            file.write("\n".join(lines) + "\n")

    contender.before = before
    return contender


def ideal(clients, requests=200_000):
    """99 % over 50 % of what requests take at an ideal service that such clients keep 70 % busy: two cores, one queue
    in order, and the same time for each request. About 3.1."""
    generator = random.Random(1)
    pause = clients / (0.7 * 2) - 1.2
    arrivals = [(generator.random() * pause, client) for client in range(clients)]
    heapq.heapify(arrivals)
    free, times = [0.0, 0.0], []
    while len(times) < requests:
        arrival, client = heapq.heappop(arrivals)
        end = max(arrival, free[0]) + 1
        heapq.heapreplace(free, end)
        times.append(end - arrival)
        heapq.heappush(arrivals, (end + pause * (0.5 + generator.random()), client))
    times.sort()
    return times[requests * 99 // 100] / times[requests // 2]


def at_seventy_percent(service, name, pace):
    """Clients that together ask for 70 % of what the service can make."""
    clients = 64
    role = "alcedo" if service.name == "Alcedo" else "peer"
    contender = load(service.name, service.url, service.process.pid, [], clients, role)
    busy = cold(service, name, 16)

    def before():
        one = contenders.run(busy, os.sched_getaffinity(0), 60)["seconds"][0]
        with open(contender.command[3], "w") as file:
            file.write("\n".join(service.path(name, SIDE, next(fresh)) for _ in range(URLS)) + "\n")
        # A client's period is its pause and the time of an answer, which is about what a client among two waits for.
        wait = {"even": one / 0.7, "random": clients * one / 0.7 - 2 * one}[pace]
        contender.command[7:] = [pace, str(1000 * wait)]
        services.wait_until_idle()

    contender.before = before
    return contender


def warm(own, name, stack):
    """The same results once more, and the same bytes as files."""
    count = 200
    listed = [own.path(name, SIDE, f"warm{index}") for index in range(count)]
    folder = paths.scratch / "results"
    folder.mkdir()
    for index in range(count):
        (folder / f"{index}.jpeg").write_bytes(own.picture(name, SIDE, f"warm{index}"))
    nginx = stack.enter_context(server.nginx(folder))
    for clients in (1, 16, 256):
        row = served(f"warm, 2 MP JPEG to {SIDE} px, {clients} clients")
        row.contenders = [
            load(own.name, own.url, own.process.pid, listed, clients, "alcedo"),
            load("nginx, files", nginx.plain, nginx.pid, [f"/{i}.jpeg" for i in range(count)], clients, "floor"),
        ]
        row.targets = {"nginx, files": 0.3}
        yield row


def likeness(service, name):
    """How like the exact reduction the service's picture is."""
    with Image.open(io.BytesIO(service.picture(name, SIDE, next(fresh)))) as file:
        pixels = np.asarray(file.convert("RGBA" if "A" in file.getbands() else "RGB"))
    order = [2, 1, 0, 3] if pixels.shape[2] == 4 else [2, 1, 0]
    image = quality.on_white(pixels[..., order], False)
    height, width = image.shape[:2]
    return quality.compare(image, quality.lanczos(paths.inputs / "served" / name, (width, height)))
