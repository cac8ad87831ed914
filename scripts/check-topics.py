"""Finds symbols of a documentation site that are in no group by task, only in DocC's lists by kind: check-topics.py SITE

A page of a module needs groups for all its symbols, a page with groups for all its members, and a page with more than four
members needs groups. Prints each symbol that breaks this, and how many symbols have a group; fails if one does.
"""

import json
import pathlib
import sys

DATA = pathlib.Path(sys.argv[1]) / "data/documentation"
# So many are read at a glance.
SHORT = 4


def sections(page):
    """The page's groups by hand, and those by kind of what the module itself declares."""
    by_hand, by_kind = [], []
    for section in page.get("topicSections", []):
        if not section.get("generated"):
            by_hand += section["identifiers"]
        elif not section["title"].startswith("Extended ") and section["title"] != "Default Implementations":
            by_kind += section["identifiers"]
    return by_hand, by_kind


def main():
    broken, grouped, short = [], set(), set()
    for file in sorted(DATA.rglob("*.json")):
        # These pages are DocC's own: what a type has by a protocol.
        if file.stem.endswith("-implementations"):
            continue
        page = json.loads(file.read_text())
        by_hand, by_kind = sections(page)
        grouped.update(name for name in by_hand if "#" not in name)
        if page["metadata"].get("symbolKind") == "module" or by_hand or len(by_kind) > SHORT:
            path = str(file.relative_to(DATA).with_suffix(""))
            broken += [f"{path}: no group has {name.split('/')[-1]}" for name in by_kind]
        else:
            short.update(by_kind)
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{len(grouped)} pages are in a group, {len(short - grouped)} on a page with {SHORT} or fewer, {len(broken)} in none.")
    return 1 if broken else 0


sys.exit(main())
