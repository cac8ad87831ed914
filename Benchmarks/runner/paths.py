"""Where everything is."""

import itertools
import os
from pathlib import Path

benchmarks = Path(__file__).resolve().parent.parent
root = benchmarks.parent
output = root / "build" / "bench"
inputs = output / "inputs"
scratch = output / f"scratch-{os.getpid()}"
programs = root / ".build" / "bench" / "release"
peer = benchmarks / "peers" / "peer.py"

_discarded = itertools.count()


def discard(folder):
    """Moves a folder out of the way until the run ends. A file system may be slower to create files for a minute after
    many were removed: ext4 without a journal passes over their inodes one by one."""
    if folder.exists():
        folder.rename(scratch / f"discarded-{next(_discarded)}")
