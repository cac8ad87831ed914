"""One of those that are compared, and how a measurement of it is run: in a process of its own, with a
time-out."""

import dataclasses
import json
import os
import signal
import subprocess
import sys

import paths


@dataclasses.dataclass
class Contender:
    name: str
    command: list
    role: str = "peer"  # alcedo, peer or floor
    environment: dict = dataclasses.field(default_factory=dict)
    before: object = None  # called before each measurement, not measured
    server: object = None  # gives the processor time that the server has taken so far
    after: object = None  # called after each measurement with its numbers; gives further ones


def alcedo(work, **given):
    return Contender("Alcedo", _swift("AlcedoBench", work, given), "alcedo")


def foundation(name, work, **given):
    return Contender(name, _swift("FoundationBench", work, given))


def floor(name, work, **given):
    return Contender(name, _swift("FloorBench", work, given), "floor")


def swift_floor(name, work, **given):
    return Contender(name, _swift("FoundationBench", work, given), "floor")


def python(name, library, work, **given):
    return Contender(name, [sys.executable, str(paths.peer), library, work, *_words(given)])


def _swift(program, work, given):
    return [str(paths.programs / program), work, *_words(given)]


def _words(given):
    return [f"{key}={value}" for key, value in given.items()]


class Failed(Exception):
    """Why there is no measurement."""


def run(contender, cores, timeout, extra=()):
    """What a fresh process of the contender measures on the given cores; raises Failed."""
    if contender.before:
        contender.before()
    served = contender.server() if contender.server else 0
    process = subprocess.Popen(
        [*contender.command, *extra],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **contender.environment},
        start_new_session=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # Its own children too, which are in its session.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"no answer in {timeout} s") from None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    lines = output.decode(errors="replace").splitlines()
    if process.returncode != 0 or not lines:
        reason = errors.decode(errors="replace").strip().splitlines() or [f"status {process.returncode}"]
        raise Failed(reason[-1][:200])
    try:
        measured = json.loads(lines[-1])
        if contender.server:
            measured["server"] = contender.server() - served
        return measured | contender.after(measured) if contender.after else measured
    except ValueError:
        raise Failed(f"no measurement: {lines[-1][:200]}") from None
