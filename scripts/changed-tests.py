#!/usr/bin/env python3
"""Prints the test targets for the changes since the main branch, separated by commas: changed-tests.py [LAYER]…

They are the tests of the targets that changed. With layers (ARCHITECTURE.md), also the tests of those targets of the
layers that depend on a changed one.
"""

import json
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def layers():
    """The layer of each target, from the comments of the manifest."""
    found, layer = {}, None
    with open("Package.swift", encoding="utf-8") as manifest:
        for line in manifest:
            if heading := re.match(r" *// (?:Layer (\d)|[A-Z])", line):
                layer = heading[1] and int(heading[1])
            elif layer is not None and (name := re.match(r' {8}\w+\("(\w+)"| {12}"(\w+)",$', line)):
                found[name[1] or name[2]] = layer
    return found


package = json.loads(output("swift", "package", "--enable-all-traits", "describe", "--type", "json"))
targets = {target["name"]: target for target in package["targets"]}
tests = {name for name, target in targets.items() if target["type"] == "test"} - {"EngineFixtures", "TimedTrials"}


def uses(name):
    return set(targets[name].get("target_dependencies", []))


def tests_of(name, file=""):
    """The tests of a target; of one without tests of its own, those of what uses it."""
    if name in tests:
        return {name}
    inside = file.removeprefix(targets[name]["path"] + "/")
    if inside.split("/")[0].endswith(".docc"):
        return {"DocumentationTests"}
    if name == "Alcedo":
        folder = inside.split("/")[0] + "/"
        engine = {test for test in tests if targets[test]["path"] == "Tests/AlcedoTests"}
        return {test for test in engine if any(s.startswith(folder) for s in targets[test]["sources"])} or engine
    if name == "AlcedoCaches":
        return {"AlcedoCacheTests"} & tests
    if f"{name}Tests" in tests:
        return {f"{name}Tests"}
    users = {user for user in targets if name in uses(user)} - {"TimedTrials", "AlcedoDemo", "AlcedoDocsImages"}
    return set().union(*(tests_of(user) for user in users)) if users else set()


def target_of(file):
    """The target that has a file: of several with one folder, the one that compiles it."""
    owners = [name for name, target in targets.items() if file.startswith(target["path"] + "/")]
    compiling = [
        name for name in owners if file.removeprefix(targets[name]["path"] + "/") in targets[name].get("sources", [])
    ]
    return (compiling or sorted(owners, key=lambda name: -len(targets[name]["path"])))[:1]


def tests_with(fixture):
    """The tests that name a fixture; of one that none names, those that name its folder."""
    for name in (fixture, fixture.split("/")[0] + "/", fixture.split("/")[0]):
        found = subprocess.run(["git", "grep", "-lF", f'"{name}', "--", "Tests"], capture_output=True, text=True).stdout
        if users := {user for file in found.split() for user in target_of(file)} & tests:
            return users
    return set()


def dependents(name):
    found, waiting = set(), {name}
    while waiting:
        waiting = {user for user in targets if uses(user) & waiting} - found
        found |= waiting
    return found


selected, layer = set(), layers()
for file in output("scripts/changed-files.sh").split():
    if file.startswith("Tests/Fixtures/"):
        selected |= tests_with(file.removeprefix("Tests/Fixtures/"))
    for name in target_of(file):
        selected |= tests_of(name, file)
        for user in dependents(name):
            if str(layer.get(user)) in sys.argv[1:]:
                selected |= tests_of(user)
print(",".join(sorted(selected)))
