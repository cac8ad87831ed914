"""Keeps and compares results of `make bench`: bench-results.py save|compare [RESULTS] [KEPT]

`save` writes the date, the machine, the versions and each contender's median and ratio; it rejects a run of only some rows.
`compare` prints the rows whose ratio has changed, as ratios mean something on another machine too and times do not.
"""

import json
import pathlib
import sys

NOTABLE = 0.15
FACTS = ("date", "machine", "load", "versions", "rounds", "seconds")
CELL = ("role", "median", "ratio", "peak", "work", "failure", "unlike")


def compact(results):
    rows = [
        {
            "group": row["group"],
            "name": row["name"],
            "contenders": {
                name: {key: cell[key] for key in CELL if key in cell} for name, cell in row["contenders"].items()
            },
        }
        for row in results["rows"]
    ]
    return {key: results[key] for key in FACTS} | {"rows": rows}


def save(results, kept):
    absent = [row["group"] for row in results["rows"] if not row["contenders"]]
    if absent or not results["complete"]:
        sys.exit(f"This run lacks rows{': ' + ', '.join(absent) if absent else ''}. Let make bench run to its end, without ROWS.")
    kept.write_text(json.dumps(compact(results), indent=1, ensure_ascii=False) + "\n")
    print(f"{len(results['rows'])} rows of {results['date']} are in {kept}.")


def ratios(results):
    """How many times faster Alcedo is than each contender of each row."""
    return {
        (row["group"], row["name"], name): cell["ratio"]
        for row in results["rows"]
        for name, cell in row["contenders"].items()
        if "ratio" in cell
    }


def compare(results, kept):
    old = json.loads(kept.read_text())
    before, after = ratios(old), ratios(results)
    print(f"{old['date']}, {old['machine']['processor']}, against {results['date']}, {results['machine']['processor']}:")
    changed = 0
    for key in [key for key in before if key in after]:
        was, now = before[key], after[key]
        factor = now["median"] / was["median"]
        # A difference within both runs' spreads says nothing.
        apart = now["least"] > was["most"] or now["most"] < was["least"]
        if apart and abs(factor - 1) > NOTABLE:
            changed += 1
            group, name, contender = key
            word = "faster" if factor > 1 else "SLOWER"
            print(f"  {group}: {name}, against {contender}: {was['median']:.2f}× → {now['median']:.2f}×, {word}")
    groups = {row["group"] for row in results["rows"]}
    for group, name, contender in [key for key in before if key not in after and key[0] in groups]:
        print(f"  {group}: {name}, against {contender}: no longer measured")
    print(f"{changed} of {len(set(before) & set(after))} ratios have changed by more than {NOTABLE:.0%}.")


def main():
    action, *paths = sys.argv[1:]
    found, kept = map(pathlib.Path, paths or ("build/bench/results.json", "docs/benchmarks.json"))
    if not found.exists():
        sys.exit(f"There is no {found}. Run make bench first.")
    if action == "compare" and not kept.exists():
        sys.exit(f"There is no {kept}. Run make bench and make bench-save first.")
    {"save": save, "compare": compare}[action](json.loads(found.read_text()), kept)


main()
