#!/usr/bin/env python3
"""Prints uses of types against the orders of folders in ARCHITECTURE.md: check-folders.py

A use is a type's name outside comments and strings, unless the file declares a type of that name. Nested types of other
files, members, and files in no folder are not checked.
"""

import pathlib
import re
import sys

MODIFIER = r"(?:@\w+(?:\([^)]*\))? +|(?:public|package|open|final|indirect|nonisolated|private|fileprivate|@unchecked) +)*"
DECLARATION = rf"{MODIFIER}(?:struct|class|enum|protocol|actor|typealias) +([A-Z]\w*)"
TYPE = re.compile(rf"^{DECLARATION}", re.MULTILINE)
NESTED = re.compile(rf"^ +{DECLARATION}", re.MULTILINE)
NOT_CODE = re.compile(r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*')


def sections():
    """For each target the order, the folders outside it, and the exceptions as pairs of a file and a type."""
    text = pathlib.Path("ARCHITECTURE.md").read_text(encoding="utf-8")
    for part in text.split("### Folders of ")[1:]:
        target, section = part.split("\n#")[0].split("\n", 1)
        order = re.search(r"^`\w+`(?: → `\w+`)+$", section, re.MULTILINE)[0]
        shared = re.search(r"^(`.*) have the words", section, re.MULTILINE)
        exceptions = re.findall(r"^\| `([^`]+\.swift)` \| `(\w+)` \|", section, re.MULTILINE)
        yield target, re.findall(r"\w+", order), re.findall(r"`(\w+)`", shared[1] if shared else ""), set(exceptions)


def findings(target, order, shared, exceptions):
    root = pathlib.Path("Sources") / target
    code = {
        str(file.relative_to(root)): NOT_CODE.sub("", file.read_text(encoding="utf-8"))
        for file in sorted(root.rglob("*.swift"))
        if file.parent != root
    }
    declared = {}
    for file, text in code.items():
        for name in TYPE.findall(text):
            declared.setdefault(name, file.split("/")[0])

    places = {folder: place for place, folder in enumerate(order)}
    used = set()
    for file, text in code.items():
        folder = file.split("/")[0]
        if folder in shared:
            continue
        if folder not in places:
            yield f"{root}/{file}: ARCHITECTURE.md has no place for its folder"
            continue
        for name in sorted(set(re.findall(r"\b[A-Z]\w*", text)) & declared.keys() - set(NESTED.findall(text))):
            if declared[name] in shared or places.get(declared[name], -1) <= places[folder]:
                continue
            if (file, name) in exceptions:
                used.add((file, name))
                continue
            yield f"{root}/{file}: names {name} of {declared[name]}"
    for file, name in sorted(exceptions - used):
        yield f"ARCHITECTURE.md: {root}/{file} does not name {name}"


found = [finding for section in sections() for finding in findings(*section)]
for finding in found:
    print(finding)
sys.exit(bool(found))
