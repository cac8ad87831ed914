"""Where everything is."""

import os
from pathlib import Path

benchmarks = Path(__file__).resolve().parent.parent
root = benchmarks.parent
output = root / "build" / "bench"
inputs = output / "inputs"
scratch = output / f"scratch-{os.getpid()}"
programs = root / ".build" / "bench" / "release"
peer = benchmarks / "peers" / "peer.py"
