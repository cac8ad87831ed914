"""The gallery in Python: httpx, Pillow and files, on threads."""

import io
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import peer
from PIL import Image


def gallery(given):
    names = peer.read(given["list"]).decode().split()
    folder = given["folder"]
    os.makedirs(folder, exist_ok=True)
    memory, keeps = {}, given.get("cached") == "1"
    client = httpx.Client(limits=httpx.Limits(max_connections=16, max_keepalive_connections=16))

    def load(name):
        if name in memory:
            return memory[name]
        path = os.path.join(folder, name)
        try:
            data = peer.read(path)
        except FileNotFoundError:
            response = client.get(f"{given['base']}/{name}")
            response.raise_for_status()
            data = response.content
            part = f"{path}.{threading.get_ident()}"
            with open(part, "wb") as file:
                file.write(data)
            os.replace(part, path)
        image = Image.open(io.BytesIO(data))
        image.thumbnail((200, 200), Image.Resampling.BICUBIC, reducing_gap=2)
        image = image.convert("RGBA")
        if keeps:
            memory[name] = image
        return image

    # Without a cache in memory, all that it can do the second time is to read the files again.
    seconds, warm = [], keeps and given["state"] == "memory"
    with ThreadPoolExecutor(16) as pool:
        for _ in range(11 if warm else 1):
            start = peer.time.perf_counter()
            if len(memory) == len(names):
                for name in names:
                    load(name)
            else:
                list(pool.map(load, names))
            seconds.append(peer.time.perf_counter() - start)
    peer.report(seconds[1:] if warm else seconds)
