"""Prints the locks that loads of tiny images hold longest: lock-times.py PROGRAM"""

import collections
import json
import re
import subprocess
import sys

COUNT = 10_000
PARALLEL = 16
WARM_UP = 100
SHOWN = 8


def short(name):
    """The name of the type that a lock guards, without its modules."""
    if name == "()":
        return "DiskFolder, renames"
    name = re.sub(r"\(unknown context at \$\w+\)\.|\b[A-Z]\w*\.(?=[A-Z]\w*[.<])", "", name)
    return name.replace("Swift.", "").replace("Alcedo.", "").replace("AlcedoCaches.", "").split("<")[0]


def locks(lines):
    """Takes, takes that had to wait, and nanoseconds by the type of the value; and the most of one lock."""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for line in lines:
        takes, waits, nanoseconds = (int(word) for word in line.split()[1:4])
        row = sums[short(" ".join(line.split()[4:]))]
        row[:] = [row[0] + takes, row[1] + waits, row[2] + nanoseconds, max(row[3], nanoseconds)]
    return sums


def main():
    for kind in ["memory", "disk", "hit"]:
        command = [sys.argv[1], "load", f"kind={kind}", f"count={COUNT}", f"parallel={PARALLEL}"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        result = json.loads(next(line for line in lines if line.startswith("{")))
        # The whole process but for its start; a `hit` has loaded each image twice.
        loads = COUNT + WARM_UP
        processor = result["processor"] / loads * 1e9
        found = locks(line for line in lines if line.startswith("lock "))
        takes = sum(row[0] for row in found.values()) / loads
        print(f"\n{kind}: {processor / 1000:.0f} µs of processor time and {takes:.0f} locks an image\n")
        print("| lock | takes | waited | µs held | processors |\n|---|---:|---:|---:|---:|")
        for name, row in sorted(found.items(), key=lambda item: -item[1][3])[:SHOWN]:
            ceiling = processor / (row[3] / loads)
            print(f"| `{name}` | {row[0] / loads:.1f} | {row[1] / row[0]:.1%} | {row[3] / loads / 1000:.2f} | {ceiling:.0f} |")


main()
