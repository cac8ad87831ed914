"""A fleet on one machine: eight `alcedo serve` that share three memcached, with an nginx in front that spreads requests.

Not a comparison: each phase has a load of its own, and what happens to a node of the shared tier in it may fail no
request and hardly slow one."""

import contextlib
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request

import contender as contenders
import inputs
import paths
import server
import services
from row import Row

SERVERS = 8
NODES = 3
PICTURES = 10_000
SIDE = 100
SECONDS = 6
CLIENTS = 16
REPLACED = 2
REPLACED_PICTURES = 200

BALANCER = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    upstream fleet {{ random; {servers} keepalive 128; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://fleet;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            # A request that fails is to be seen.
            proxy_next_upstream off;
        }}
    }}
}}
"""


class Node:
    """A memcached that can be killed, stopped, continued and started again, empty."""

    def __init__(self):
        self.port = server.free_port()
        self.start()

    def start(self):
        command = ["memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(self.port), "-m", "256", "-U", "0"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


def rows():
    root = paths.inputs / "served"
    root.mkdir(parents=True, exist_ok=True)
    name = server.publish(inputs.photo("256", "jpeg"), root).name
    with contextlib.ExitStack() as stack:
        origin = stack.enter_context(server.nginx(root, log=True))
        nodes = [Node() for _ in range(NODES)]
        for node in nodes:
            stack.callback(node.kill)
        metrics = [server.free_port() for _ in range(SERVERS)]
        fleet = [
            stack.enter_context(
                services.alcedo(
                    int(origin.plain.rsplit(":", 1)[1]),
                    PROMETHEUS_BIND=f"127.0.0.1:{metrics[index]}",
                    CACHE_FOLDER=str(services.folder(f"fleet-{index}")),
                    CACHE_MEMORY="8",
                    MEMCACHED=",".join(f"127.0.0.1:{node.port}" for node in nodes),
                    MEMCACHED_SECRET="616c6365646f2062656e63686d61726b",
                    MEMCACHED_NAMESPACE="bench",
                )
            )
            for index in range(SERVERS)
        ]
        front = stack.enter_context(balancer(fleet))
        yield from phases(origin, nodes, fleet[0], front, name, metrics)
    yield from restarts(root)


def phases(origin, nodes, service, front, name, metrics):
    paths_file = paths.scratch / "fleet-paths"
    generator = random.Random(3)
    weights = list(itertools.accumulate(1 / rank for rank in range(1, PICTURES + 1)))
    drawn = generator.choices(range(PICTURES), cum_weights=weights, k=200_000)
    paths_file.write_text("\n".join(service.path(name, SIDE, number) for number in drawn) + "\n")

    warm = {}

    def phase(title, before, lost=None):
        """A load; `lost` is the share of the shared tier that is lost in it, by which its hits may fall."""
        counts = {}

        def start():
            counts.update(answers(metrics))
            if before:
                before()

        def end(measured):
            later = answers(metrics)
            shared, made = (later[tier] - counts[tier] for tier in ("shared", "source"))
            # Of those that neither memory nor disk answer.
            found = {"not shared": made / max(1, shared + made), "fetches a picture": fetches(origin)}
            if title == "warm":
                warm.update(found, p99=measured["p99"])
            if lost is not None:
                # One in twenty more, as what is drawn differs.
                row.limits = {"not shared": warm["not shared"] + lost * (1 - warm["not shared"]) + 0.05}
            if warm:
                row.limits["p99"] = warm["p99"] + 0.05
            return found

        row = Row("fleet", title, [], per="request", single_core=False, rounds=1)
        program = [sys.executable, str(paths.benchmarks / "peers" / "load.py")]
        command = [*program, front.url, str(paths_file), str(CLIENTS), str(SECONDS), str(front.process.pid)]
        row.contenders = [contenders.Contender("Alcedo", command, "alcedo", before=start, after=end)]
        return row

    cold = phase("cold, then warm", None)
    cold.limits = {"fetches a picture": 1.02}
    yield cold
    yield phase("warm", None)
    third = 1 / NODES
    yield phase("one of three nodes is killed", lambda: after(2, nodes[0].kill), third)
    yield phase("it comes back empty", nodes[0].start, third)
    yield phase("one of three nodes is stopped", lambda: after(2, lambda: nodes[1].send(signal.SIGSTOP)), third)
    yield phase("it goes on", lambda: nodes[1].send(signal.SIGCONT), third)
    yield phase("all nodes are killed", lambda: after(2, lambda: [node.kill() for node in nodes]))


def restarts(root):
    """All servers are replaced by new ones with empty caches, without a bucket of results and with one that the old
    ones have filled. Counts how many of the pictures are made again, each at most once by each server. The time is of
    less worth: most requests find what an earlier one has brought into memory, and the store is in Python, so it is
    slow."""
    name = server.publish(inputs.photo("12mp", "jpeg"), root).name
    file = paths.scratch / "restart-paths"
    for title in ("without a bucket of results", "with one"):
        with contextlib.ExitStack() as stack:
            origin = stack.enter_context(server.nginx(root))
            settings = stack.enter_context(object_store()) if title == "with one" else {}
            # The old ones end before the new ones start, and have written all results by then.
            for age in ("old", "new"):
                with contextlib.ExitStack() as servers:
                    metrics = [server.free_port() for _ in range(REPLACED)]
                    fleet = [
                        servers.enter_context(
                            services.alcedo(
                                int(origin.plain.rsplit(":", 1)[1]),
                                PROMETHEUS_BIND=f"127.0.0.1:{port}",
                                CACHE_FOLDER=str(services.folder(f"{age}-{port}")),
                                **settings,
                            )
                        )
                        for port in metrics
                    ]
                    front = servers.enter_context(balancer(fleet))
                    listed = [fleet[0].path(name, SIDE, number) for number in range(REPLACED_PICTURES)]
                    file.write_text("\n".join(listed) + "\n")
                    if age == "old":
                        # Longer than the new ones, so that the bucket has all.
                        contenders.run(loading(front, file, 3 * SECONDS), os.sched_getaffinity(0), 120)
                        continue
                    row = Row("fleet", f"restart from cold, {title}", [], per="request", single_core=False, rounds=1)
                    row.contenders = [loading(front, file)]
                    row.limits = {"made a picture": 0.02 if settings else REPLACED}
                    row.contenders[0].after = lambda _: {
                        "made a picture": answers(metrics)["source"] / REPLACED_PICTURES
                    }
                    yield row


def loading(front, file, seconds=SECONDS):
    program = [sys.executable, str(paths.benchmarks / "peers" / "load.py")]
    command = [*program, front.url, str(file), str(CLIENTS), str(seconds), str(front.process.pid)]
    return contenders.Contender("Alcedo", command, "alcedo")


@contextlib.contextmanager
def object_store():
    """The settings of a bucket in the process that the tests use."""
    python = paths.root / "build" / "test" / "venv" / "bin" / "python"
    command = [str(python), str(paths.root / "scripts" / "object-store.py"), str(inputs.small_png())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        facts = json.loads(process.stdout.readline())
        identity, secret, _ = facts["writer"]
        yield {
            "CACHE_USE": "s3",
            "CACHE_BUCKET": "pictures",
            "CACHE_S3_ENDPOINT": facts["endpoint"],
            "AWS_ACCESS_KEY_ID": identity,
            "AWS_SECRET_ACCESS_KEY": secret,
        }
        process.stdin.close()


def answers(ports):
    """How many results each tier has answered, by the metrics of all servers."""
    counts = {"memory": 0, "disk": 0, "shared": 0, "source": 0}
    for port in ports:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
            for tier, value in re.findall(r'cache_results_total\{tier="(\w+)"\} (\d+)', response.read().decode()):
                counts[tier] = counts.get(tier, 0) + int(value)
    return counts


def after(seconds, action):
    """Does something while the load runs."""
    threading.Timer(seconds, action).start()


def fetches(origin):
    """Requests that the origin has got, for each picture that any was for."""
    lines = origin.log.read_text().splitlines()
    return len(lines) / max(1, len(set(lines)))


@contextlib.contextmanager
def balancer(fleet):
    port, own = server.free_port(), services.folder("balancer")
    servers = " ".join(f"server 127.0.0.1:{service.port};" for service in fleet)
    text = BALANCER.format(folder=own, port=port, servers=servers)
    if os.geteuid() == 0:
        text = "user root;\n" + text
    (own / "configuration").write_text(text)
    command = [shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(own / "configuration"), "-p", str(own)]
    with services.running("fleet", command, port, None) as front:
        yield front
