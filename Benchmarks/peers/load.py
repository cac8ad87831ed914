"""Loads a service with wrk: load.py URL PATHS CLIENTS SECONDS PID [PACE MILLISECONDS]. Prints what a request took, as
a contender's measurement: wall-clock seconds by throughput, latencies, memory and processor time. PACE is `random` or
`even`; see load.lua."""

import json
import subprocess
import sys
from pathlib import Path


def tree(root):
    """The processes of a service: `root` and all below it."""
    children = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    return [root] + [pid for child in children for pid in tree(int(child))]


def processor(pids):
    """Seconds of processor time of the processes, with those of ended children."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += sum(int(field) for field in fields[11:15])
    return total / 100


def peak(pids):
    """Bytes that the processes have had resident at most, each page that they share counted once a process."""
    total = 0
    for pid in pids:
        status = Path(f"/proc/{pid}/status").read_text()
        total += int(status.split("VmHWM:")[1].split()[0]) << 10
    return total


def main():
    url, paths, clients, seconds, pid = sys.argv[1:6]
    pace = sys.argv[6:8]
    before = processor(tree(int(pid)))
    script = Path(__file__).with_name("load.lua")
    threads = "1" if int(clients) < 2 else "2"
    command = ["wrk", "-t", threads, "-c", clients, "-d", f"{seconds}s", "--timeout", "30s", "-s", str(script), url]
    output = subprocess.run([*command, "--", paths, *pace], check=True, capture_output=True, text=True).stdout
    told = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    if told["failed"]:
        sys.exit(f"{told['failed']} of {told['requests']} requests failed")
    if not told["requests"]:
        sys.exit("no request was answered")
    pids = tree(int(pid))
    print(
        json.dumps(
            {
                "seconds": [told["elapsed"] / 1e6 / told["requests"]],
                "processor": (processor(pids) - before) / told["requests"],
                "peak": peak(pids),
                **{name: told[name] / 1e6 for name in ("p50", "p99", "p999")},
                "p99 over p50": told["p99"] / told["p50"],
            }
        )
    )


main()
