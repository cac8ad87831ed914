"""What a run was made with: date, machine and versions."""

import datetime
import importlib.metadata
import os
import platform
import subprocess

LIBRARIES = ("libcurl", "libjpeg", "spng", "libdeflate", "libwebp", "cairo", "lcms2")
PEERS = ("opencv-python-headless", "pillow", "pyvips-binary", "wand", "httpx", "thumbor")


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "system": platform.platform()}


def line(*command):
    """The first line that a program prints, or None if it does not run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return (done.stdout or done.stderr).strip().split("\n")[0]


def peer(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def versions():
    found = {"alcedo": line("git", "describe", "--always", "--dirty"), "swift": line("swiftc", "--version")}
    found |= {name: line("pkg-config", "--modversion", name) for name in LIBRARIES}
    found |= {"nginx": line("/usr/sbin/nginx", "-v")}
    found |= {name: peer(name) for name in PEERS}
    return {name: version for name, version in found.items() if version}


def run():
    return {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "load": os.getloadavg()[0],
        "versions": versions(),
    }
