#!/usr/bin/env python3
"""Prints where the test targets of Package.swift differ from CONTRIBUTING.md, and tests in no target or in several."""

import collections
import json
import os
import pathlib
import re
import subprocess


def targets(selection):
    """The test targets that `ALCEDOTESTS` selects, with their files."""
    environment = os.environ | {"ALCEDOTESTS": selection} if selection else os.environ
    command = ["swift", "package", "--enable-all-traits", "describe", "--type", "json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    tests = [target for target in json.loads(output)["targets"] if target["type"] == "test"]
    return {test["name"]: [f"{test['path']}/{source}" for source in test["sources"]] for test in tests}


everything = targets(None)
files = collections.Counter(file for sources in everything.values() for file in sources)
for file in pathlib.Path("Tests").glob("*Tests/**/*.swift"):
    if files[str(file)] != 1:
        print(f"{file}: {files[str(file)]} test targets of Package.swift have it")

thread, address = targets("thread"), targets("address")
documented = {}
for line in pathlib.Path("CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
    if row := re.match(r"\| (`.*`) \| (●?) ?\| (●?) ?\| .+ \|$", line):
        documented |= {name: (bool(row[2]), bool(row[3])) for name in re.findall(r"`(\w+)`", row[1])}
for name in sorted((everything.keys() | documented.keys()) - {"EngineFixtures", "TimedTrials"}):
    if documented.get(name) != (name in thread, name in address):
        print(f"CONTRIBUTING.md: {name}: Package.swift differs from the table of sanitizers")
