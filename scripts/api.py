"""Lists the public API of each product: api.py write|check GRAPHS FOLDER

`write` makes FOLDER/<Module>.txt of the symbol graphs in GRAPHS/<Module>, sorted and one declaration a line. `check` prints
how the lists differ from the graphs, and fails if they do.
"""

import collections
import difflib
import json
import pathlib
import sys

HEADER = "# Public declarations of {}, by type. `make api` writes this file; a line less or another line is a breaking change."
# Every type has these.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
WORDS = {"conformance": " : ", "superclass": " : ", "sameType": " == "}


def text(symbol):
    """A declaration as Swift writes it, with the full name of a nested type."""
    line = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    path = symbol["pathComponents"]
    if is_type(symbol) and len(path) > 1 and symbol["kind"]["identifier"] != "swift.extension":
        line = line.replace(f" {path[-1]}", " " + ".".join(path), 1)
    if symbol["accessLevel"] == "open":
        line = "open " + line
    if any(entry.get("isUnconditionallyDeprecated") for entry in symbol.get("availability", [])):
        line = "@available(*, deprecated) " + line
    return " ".join(line.split())


def is_type(symbol):
    kind = symbol["kind"]["identifier"].removeprefix("swift.")
    return kind in ("struct", "class", "enum", "protocol", "actor", "extension")


def constraints(found, known=()):
    """The conditions of an extension or a conformance, without those that its type has."""
    return [
        rule
        for rule in sorted({c["lhs"] + WORDS[c["kind"]] + c["rhs"] for c in found if c["rhs"] not in IMPLIED})
        if rule not in known
    ]


def where(line, rules):
    return line + (" where " if " where " not in line else ", ") + ", ".join(rules) if rules else line


class API:
    """The declarations of a module: blocks of a type and its members, by the type's name."""

    def __init__(self, folder):
        graphs = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
        self.symbols = {s["identifier"]["precise"]: s for graph in graphs for s in graph["symbols"]}
        self.relations = collections.defaultdict(list)
        for graph in graphs:
            for relation in graph["relationships"]:
                self.relations[relation["kind"]].append(relation)
        self.required = {r["source"] for r in self.relations["requirementOf"]}
        self.required -= {r["target"] for r in self.relations["defaultImplementationOf"] if self.is_sibling(r)}
        self.rules = {}
        for symbol in self.symbols.values():
            if is_type(symbol):
                own = symbol.get("swiftGenerics", {}).get("constraints", [])
                self.rules[tuple(symbol["pathComponents"])] = constraints(own)

    def is_sibling(self, relation):
        """Whether a default is the protocol's own: one of a refined protocol is not there for all."""
        paths = [self.symbols.get(relation[end], {}).get("pathComponents", [end])[:-1] for end in ("source", "target")]
        return paths[0] == paths[1]

    def parents(self):
        """The protocols and the class of each type, by its identifier."""
        found = collections.defaultdict(set)
        for relation in self.relations["inheritsFrom"] + self.relations["conformsTo"]:
            name = self.name(relation)
            if name not in IMPLIED:
                path = self.symbols.get(relation["source"], {}).get("pathComponents", ())
                rules = constraints(relation.get("swiftConstraints", []), self.rules.get(tuple(path), ()))
                found[relation["source"]].add(f"{name} (if {', '.join(rules)})" if rules else name)
        return found

    def name(self, relation):
        if relation["target"] in self.symbols:
            return ".".join(self.symbols[relation["target"]]["pathComponents"])
        return relation.get("targetFallback", relation["target"]).split(".", 1)[-1]

    def blocks(self):
        parents = self.parents()
        heads, members = {}, collections.defaultdict(set)
        for identifier, symbol in self.symbols.items():
            path, line = tuple(symbol["pathComponents"]), text(symbol)
            if is_type(symbol):
                listed = sorted(parents[identifier]) if symbol["kind"]["identifier"] != "swift.protocol" else []
                heads[path] = self.head(heads.get(path, line), listed)
                continue
            if identifier in self.required:
                line = "requires " + line
            owner = path[:-1]
            rules = constraints(symbol.get("swiftExtension", {}).get("constraints", []), self.rules.get(owner, ()))
            members[owner].add((path[-1], where(line, rules)))
        return heads, members

    @staticmethod
    def head(line, parents):
        """A type's line with what it conforms to, before the conditions of its parameters."""
        if not parents:
            return line
        start, condition, rest = line.partition(" where ")
        return start + (", " if " : " in start else " : ") + ", ".join(parents) + condition + rest

    def lines(self):
        heads, members = self.blocks()
        for name, line in sorted(members.pop((), set())):
            yield line
        for path in sorted(set(heads) | set(members)):
            yield ""
            yield heads.get(path, "extension " + ".".join(path))
            yield from (f"    {line}" for _, line in sorted(members[path]))


def declarations(lines):
    """Each declaration with the name of its type, in the list's order."""
    owner, found = "", []
    for line in lines:
        if line.startswith("    "):
            found.append((owner, line.strip()))
        elif line and not line.startswith("#"):
            owner = base(line)
            found.append(("", line))
    return found


def base(line):
    """The name that is declared, without parameters and type."""
    words = line.replace("(", " ( ").replace(":", " : ").replace("<", " < ").split()
    kinds = {"func", "var", "let", "case", "struct", "class", "enum", "protocol", "typealias", "extension"}
    for place, word in enumerate(words[:-1]):
        if word in kinds and words[place + 1] not in kinds:
            return words[place + 1]
    return next((word for word in words if word.startswith(("init", "subscript"))), line)


def parts(line):
    """A type's line as what it conforms to, and the rest."""
    start, condition, rest = line.partition(" where ")
    start, _, conformances = start.partition(" : ")
    return set(filter(None, conformances.split(", "))), start + condition + rest


def differences(before, after):
    """What was removed, changed and added, as sentences; whether a program may break."""
    old, new = declarations(before), declarations(after)
    gone = list((collections.Counter(old) - collections.Counter(new)).elements())
    come = list((collections.Counter(new) - collections.Counter(old)).elements())
    existed = {base(line) for owner, line in old if not owner}
    sentences, breaking = [], False
    for owner, line in gone:
        place = f" of {owner}" if owner else ""
        same = [entry for entry in come if entry[0] == owner and base(entry[1]) == base(line)]
        if same:
            closest = max(same, key=lambda entry: difflib.SequenceMatcher(None, entry[1], line).ratio())
            come.remove(closest)
            (conformed, shape), (conforms, new_shape) = parts(line), parts(closest[1])
            # A type that conforms to the protocol has to provide what the protocol inherits now.
            is_protocol = "protocol" in shape.split()
            if not owner and not is_protocol and shape == new_shape and conformed < conforms:
                sentences.append(f"added to {base(line)}: {', '.join(sorted(conforms - conformed))}")
                continue
            sentences.append(f"changed{place}: {line}\n        now: {closest[1]}")
        else:
            sentences.append(f"removed{place}: {line}")
        breaking = True
    for owner, line in come:
        required = line.startswith("requires ") and owner in existed
        breaking |= required
        note = " (breaking: types that conform to the protocol lack it)" if required else ""
        sentences.append(f"added{f' to {owner}' if owner else ''}: {line}{note}")
    return sentences, breaking


def main():
    action, graphs, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    modules = sorted({path.name for path in graphs.iterdir()} | {path.stem for path in folder.glob("*.txt")})
    found, broken = 0, False
    for module in modules:
        lines = [HEADER.format(module), "", *API(graphs / module).lines()]
        content = "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"
        file = folder / f"{module}.txt"
        if action == "write":
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
            continue
        before = file.read_text().splitlines() if file.exists() else []
        sentences, breaking = differences(before, content.splitlines())
        if not sentences and before != content.splitlines():
            sentences = ["the order or the form of its lines differs"]
        for sentence in sentences:
            print(f"{file}: {sentence}", file=sys.stderr)
        found, broken = found + len(sentences), broken or breaking
    if broken:
        print(
            "Declarations were removed or changed, so programs that use them may no longer compile: only a new major version "
            "may do that.\nKeep the old declarations, deprecated if they have a successor; before 1.0.0, or in a new major "
            "version, say in CHANGELOG.md what to write instead.",
            file=sys.stderr,
        )
    if found:
        print(
            "An added declaration needs a topic in the module's .docc catalogue and a line in CHANGELOG.md.\n"
            "If everything is intended, run make api and commit docs/api.",
            file=sys.stderr,
        )
    return 1 if found else 0


sys.exit(main())
