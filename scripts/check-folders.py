#!/usr/bin/env python3
"""Prints uses of types against the order of folders in `Sources/Alcedo`, which ARCHITECTURE.md has: check-folders.py

A use is a type's name outside comments and strings. Nested types and members are not checked.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path("Sources/Alcedo")

MODIFIER = r"(?:@\w+(?:\([^)]*\))? +|(?:public|package|open|final|indirect|nonisolated|@unchecked) +)*"
TYPE = re.compile(rf"^{MODIFIER}(?:struct|class|enum|protocol|actor|typealias) +([A-Z]\w*)", re.MULTILINE)
NOT_CODE = re.compile(r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*')


def rules():
    """The order, the folders outside it, and the exceptions as pairs of a file and a type."""
    section = pathlib.Path("ARCHITECTURE.md").read_text(encoding="utf-8").split("### Folders of Alcedo\n")[1]
    section = section.split("\n#")[0]
    order = re.search(r"^`\w+`(?: → `\w+`)+$", section, re.MULTILINE)[0]
    shared = re.search(r"^(`.*) have the words", section, re.MULTILINE)[1]
    exceptions = re.findall(r"^\| `([^`]+\.swift)` \| `(\w+)` \|", section, re.MULTILINE)
    return re.findall(r"\w+", order), re.findall(r"`(\w+)`", shared), set(exceptions)


order, shared, exceptions = rules()
code = {
    str(file.relative_to(ROOT)): NOT_CODE.sub("", file.read_text(encoding="utf-8"))
    for file in sorted(ROOT.rglob("*.swift"))
    if file.parent != ROOT
}
declared = {}
for file, text in code.items():
    for name in TYPE.findall(text):
        declared.setdefault(name, file.split("/")[0])

places = {folder: place for place, folder in enumerate(order)}
found = False
used = set()
for file, text in code.items():
    folder = file.split("/")[0]
    if folder in shared:
        continue
    if folder not in places:
        print(f"Sources/Alcedo/{file}: ARCHITECTURE.md has no place for its folder")
        found = True
        continue
    for name in sorted(set(re.findall(r"\b[A-Z]\w*", text)) & declared.keys()):
        if declared[name] in shared or places.get(declared[name], -1) <= places[folder]:
            continue
        if (file, name) in exceptions:
            used.add((file, name))
            continue
        print(f"Sources/Alcedo/{file}: names {name} of {declared[name]}")
        found = True
for file, name in sorted(exceptions - used):
    print(f"ARCHITECTURE.md: Sources/Alcedo/{file} does not name {name}")
    found = True
sys.exit(found)
