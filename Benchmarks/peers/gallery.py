"""Runs a measurement of the gallery: gallery.py PROGRAM scroll|hidden. Prints its numbers."""

import json
import re
import subprocess
import sys

# 5,000 cells in this time.
SECONDS = 60
ANIMATIONS = 50


def output(program, *arguments):
    told = subprocess.run([program, *arguments], capture_output=True, text=True)
    if told.returncode:
        sys.exit(told.stderr or told.stdout or f"status {told.returncode}")
    return told.stdout


def numbers(text, name):
    """The numbers of a line that contains `name`, after it."""
    line = next(line for line in text.splitlines() if name in line)
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", line.split(name)[1])]


def scroll(program):
    text = output(program, "--scroll-test", str(SECONDS))
    if numbers(text, "loaded cells")[1]:
        sys.exit("wrong images: " + text)
    median, _, most, worst = numbers(text, "per frame")
    work, _, _, _ = numbers(text, "processor time")
    return {
        "seconds": [median / 1000],
        "processor": numbers(text, "processor  ")[0],
        "peak": max(numbers(text, "resident, MB")) * 1e6,
        "median ms": median,
        "99 % ms": most,
        "worst ms": worst,
        "median processor ms": work,
    }


def hidden(program):
    text = output(program, "--hidden-animations", str(ANIMATIONS))
    playing, _ = numbers(text, "playing")
    shown, still = numbers(text, "processor, ms/s")
    if playing < ANIMATIONS:
        sys.exit(f"only {playing} of {ANIMATIONS} animations play")
    return {
        "seconds": [still / 1000],
        "processor": still / 1000,
        "peak": 0,
        "shown, ms/s": shown,
        "hidden, ms/s": still,
    }


print(json.dumps({"scroll": scroll, "hidden": hidden}[sys.argv[2]](sys.argv[1])))
