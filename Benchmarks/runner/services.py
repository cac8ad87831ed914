"""The image services that are compared: how each is started, and its path for a picture of the origin."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.request
from urllib.parse import quote

import contender as contenders
import paths
import server

QUALITY = 80

IMAGE_FILTER = """
load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;
daemon off;
worker_processes 2;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    keepalive_requests 1000000;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    upstream origin {{ server 127.0.0.1:{origin}; keepalive 64; }}
    server {{
        listen 127.0.0.1:{port};
        location ~ ^/(?<side>[0-9]+)/(?<name>.*)$ {{
            proxy_pass http://origin/$name$is_args$args;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            image_filter resize $side $side;
            image_filter_jpeg_quality {quality};
            image_filter_webp_quality {quality};
            image_filter_buffer 100M;
        }}
    }}
}}
"""


# The processes of the services that run; each leads a session.
leaders = set()


class Service:
    """A running service: its address, its process, and the path of a picture in a size."""

    def __init__(self, name, port, process, path):
        self.name, self.port, self.process, self.path = name, port, process, path

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def picture(self, name, side, query):
        with urllib.request.urlopen(self.url + self.path(name, side, query), timeout=30) as response:
            return response.read()


@contextlib.contextmanager
def running(name, command, port, path, environment=None):
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **(environment or {})},
    )
    leaders.add(process.pid)
    try:
        server.wait(process, f"http://127.0.0.1:{port}/")
        yield Service(name, port, process, path)
    finally:
        leaders.discard(process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def processor_ticks():
    """The processor time that the services have taken so far."""
    ticks = 0
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        # A process may have ended since it was listed.
        with contextlib.suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) in leaders:
                # Also that of children which have ended.
                ticks += sum(map(int, fields[11:15]))
    return ticks


def wait_until_idle(longest=60):
    """Waits until the services have ended what clients that are gone had asked for."""
    ticks, end = processor_ticks(), time.monotonic() + longest
    while True:
        time.sleep(0.2)
        before, ticks = ticks, processor_ticks()
        if ticks <= before + 1:
            return
        if time.monotonic() > end:
            raise contenders.Failed(f"a service is still busy {longest} s after its last client has gone")


def folder(name):
    path = paths.scratch / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def alcedo(origin, **settings):
    """`alcedo serve` with decoding in worker processes, as it comes."""
    port = server.free_port()

    def path(name, side, query):
        source = quote(f"http://127.0.0.1:{origin}/{name}?n={query}", safe=":/")
        # The others answer in the picture's own format; WebP has to be asked for.
        form = "/f:webp" if name.endswith(".webp") else ""
        return f"/unsafe/rs:fit:{side}:{side}{form}/plain/{source}"

    given = {
        "BIND": f"127.0.0.1:{port}",
        "QUALITY": str(QUALITY),
        "ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true",
        "REQUESTS_QUEUE_SIZE": "1024",
        **settings,
    }
    command = [str(paths.root / ".build" / "serve" / "release" / "alcedo"), "serve"]
    environment = {f"ALCEDO_{name}": value for name, value in given.items()}
    environment["XDG_CACHE_HOME"] = str(folder("alcedo"))
    return running("Alcedo", command, port, path, environment)


def image_filter(origin):
    port, own = server.free_port(), folder("image-filter")
    text = IMAGE_FILTER.format(folder=own, port=port, origin=origin, quality=QUALITY)
    if os.geteuid() == 0:
        text = "user root;\n" + text
    (own / "configuration").write_text(text)
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    command = [program, "-c", str(own / "configuration"), "-p", str(own)]
    return running("nginx image_filter", command, port, lambda name, side, query: f"/{side}/{name}?n={query}")


def vips(origin):
    port, program = server.free_port(), paths.scratch / "vips_service"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "vips", "libmicrohttpd", "libcurl"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    source = paths.benchmarks / "peers" / "vips_service.c"
    subprocess.run(["cc", "-O2", "-o", program, source, *flags], check=True)

    def path(name, side, query):
        return f"/{side}/{side}/http://127.0.0.1:{origin}/{name}?n={query}"

    return running("libvips", [str(program), str(port), "2"], port, path)


def thumbor(origin):
    port, own = server.free_port(), folder("thumbor")
    (own / "thumbor.conf").write_text(
        f"QUALITY = {QUALITY}\nALLOW_UNSAFE_URL = True\nSTORAGE = 'thumbor.storages.no_storage'\n"
    )
    program = str(paths.output / "venv" / "bin" / "thumbor")
    command = [program, "-p", str(port), "-i", "127.0.0.1", "-l", "error"]
    command += ["-c", str(own / "thumbor.conf"), "--processes", "2"]

    def path(name, side, query):
        source = quote(f"127.0.0.1:{origin}/{name}?n={query}", safe=":/")
        return f"/unsafe/fit-in/{side}x{side}/{source}"

    return running("thumbor", command, port, path)
