"""nginx on loopback, with files to download: plain HTTP on one port, TLS and HTTP/2 on another."""

import contextlib
import dataclasses
import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import inputs
import paths

FILES = 5000
FILE_BYTES = 15_000

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
    log_format target "$request_uri";
    access_log {log};
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    keepalive_timeout 120;
    open_file_cache max=10000;
    open_file_cache_valid 600;
    types {{ image/jpeg jpeg; image/png png; image/webp webp; image/gif gif; }}
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{plain};
        listen 127.0.0.1:{secure} ssl http2;
        ssl_certificate {folder}/certificate;
        ssl_certificate_key {folder}/key;
        root {root};
    }}
}}
"""


def files():
    """A folder of so many JPEGs of one size, each with bytes of its own, as a gallery's thumbnails are."""
    folder = paths.inputs / "small"
    if not (folder / f"{FILES - 1:05}.jpeg").exists():
        folder.mkdir(parents=True, exist_ok=True)
        whole = inputs.pixels("2mp")
        for index in range(100):
            x, y = index % 10 * 128, index // 10 * 90
            picture = padded_jpeg(whole[y : y + 192, x : x + 256])
            for copy in range(index, FILES, 100):
                (folder / f"{copy:05}.jpeg").write_bytes(picture[:-12] + b"%010d" % copy + picture[-2:])
    return folder


def padded_jpeg(image):
    """A JPEG of exactly so many bytes: the highest quality that fits, and a comment."""
    quality = next(q for q in range(95, 10, -1) if len(inputs.encoded(image, "jpeg", q)) <= FILE_BYTES - 16)
    data = inputs.encoded(image, "jpeg", quality)
    rest = FILE_BYTES - len(data) - 4
    comment = b"\xff\xfe" + (rest + 2).to_bytes(2, "big") + b" " * rest
    return data[:-2] + comment + data[-2:]


def publish(path, root):
    """Copies a picture to an origin. It is a month old, as most are: of one that has just changed, a tenth of its age is
    soon over, so that it would be checked again and again."""
    target = root / path.name
    shutil.copy(path, target)
    month_ago = time.time() - 30 * 86_400
    os.utime(target, (month_ago, month_ago))
    return target


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclasses.dataclass
class Running:
    """An nginx: its base URLs for plain HTTP and for TLS, and its master process."""

    plain: str
    secure: str
    pid: int
    log: Path

    def processor_time(self):
        """Seconds that the worker processes have taken, which serve whatever is asked for."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return sum(int(Path(f"/proc/{worker}/schedstat").read_text().split()[0]) for worker in workers) / 1e9


@contextlib.contextmanager
def nginx(root, log=False):
    """Runs while the block does; with `log`, writes the target of each request to a file."""
    plain, secure = free_port(), free_port()
    folder = paths.scratch / f"nginx-{plain}"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ]
        + ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", folder / "key", "-out", folder / "certificate"],
        check=True,
        capture_output=True,
    )
    file = folder / "targets"
    text = CONFIGURATION.format(
        folder=folder, plain=plain, secure=secure, root=root, log=f"{file} target" if log else "off"
    )
    if os.geteuid() == 0:
        # Workers of root's would run as nobody, who may not read the files.
        text = "user root;\n" + text
    (folder / "configuration").write_text(text)
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen(
        [program, "-c", folder / "configuration", "-p", folder], start_new_session=True
    )
    try:
        wait(process, f"http://127.0.0.1:{plain}/")
        serve_once(plain, root)
        if log:
            file.write_text("")  # without what `serve_once` asked for
        yield Running(f"http://127.0.0.1:{plain}", f"https://127.0.0.1:{secure}", process.pid, file)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)


def serve_once(port, root):
    """Has the server read and open each file, which whoever comes first would wait for otherwise."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for path in sorted(Path(root).iterdir()):
        connection.request("GET", f"/{path.name}")
        connection.getresponse().read()
    connection.close()


def wait(process, url):
    for _ in range(200):
        if process.poll() is not None:
            raise RuntimeError("nginx did not start")
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError("nginx does not answer")
