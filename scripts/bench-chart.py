"""Draws docs/images/benchmarks-light.svg and -dark.svg from docs/benchmarks.json: bench-chart.py [check]

`check` writes nothing and fails if the charts differ from the results.
"""

import json
import pathlib
import re
import sys
from html import escape

RESULTS = pathlib.Path("docs/benchmarks.json")
CHART = "docs/images/benchmarks-{}.svg"
# A title, and rows of a group by their names: what the chart calls them.
GROUPS = {
    ("server", "Image server: time for a picture that is not cached, 16 clients"): {
        "cold, 2 MP JPEG to 300 px, 16 clients": "2 MP JPEG to 300 px",
        "cold, 12 MP JPEG to 300 px, 16 clients": "12 MP JPEG to 300 px",
        "cold, 2 MP WebP to 300 px, 16 clients": "2 MP WebP to 300 px",
        "cold, 128 px PNG with alpha to 300 px, 16 clients": "128 px PNG, not resized",
        "cold, Zipf mix of kinds, 16 clients": "a mix by Zipf",
    },
    ("network", "Library: time for 5,000 downloads of 15 KB"): {
        "5,000 × 15 KB, 16 connections, HTTP/1.1": "HTTP/1.1",
        "5,000 × 15 KB, TLS and HTTP/2": "TLS and HTTP/2",
    },
    ("thumbnail", "Library: time for a thumbnail of 200 px, one core"): {
        "JPEG 2 MP to 200 px": "2 MP JPEG",
        "JPEG 12 MP to 200 px": "12 MP JPEG",
        "PNG 2 MP to 200 px": "2 MP PNG",
        "WebP 2 MP to 200 px": "2 MP WebP",
    },
}
NOTES = (
    "Shorter is better; each group of bars has a scale of its own. image_filter sends a picture that needs no change as it came.",
    "libcurl is a loop in C that throws the bytes away: the least that a client over libcurl takes.",
    "Thumbnails: the fastest of each library's settings whose result looks as good.",
)
WIDTH, LABEL, BAR, ROW = 760, 230, 420, 20
THEMES = {
    "light": {"text": "#1f2328", "dim": "#59636e", "alcedo": "#0b6e99", "peer": "#a8b3bd", "floor": "#dde3e8"},
    "dark": {"text": "#e6edf3", "dim": "#9198a1", "alcedo": "#3fb6e3", "peer": "#5b6570", "floor": "#343b43"},
}


def shown(value):
    factor, unit = next(pair for pair in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if value * pair[0] >= 1 or pair[1] == "µs")
    return f"{value * factor:.3g} {unit}"


def bars(results, group, row):
    """A row's contenders, their roles and times, without those whose pictures are worse."""
    found = next((one for one in results["rows"] if (one["group"], one["name"]) == (group, row)), None)
    if not found:
        # On standard output, for the check.
        print(f"{RESULTS} has no row “{group}: {row}”")
        sys.exit(1)
    for name, cell in found["contenders"].items():
        if "median" in cell and not cell.get("unlike"):
            # Without the settings, which follow the name.
            yield re.split(r",| [0-9a-z]+ [0-9a-z.]+$| thumbnail$", name)[0], cell["role"], cell["median"]


def made_with(results):
    """When and on what the results were made, and with which versions."""
    machine, versions = results["machine"], results["versions"]
    rounds = "one round" if results["rounds"] == 1 else f"medians of {results['rounds']} rounds"
    yield f"{results['date']}, {machine['cores']} cores of {machine['processor']}, {rounds}"
    own = ("alcedo", "swift")
    names = [f"{name} {version.split('/')[-1]}" for name, version in versions.items() if name not in own]
    for start in range(0, len(names), 5):
        yield ", ".join(names[start : start + 5])


def svg(results, theme):
    colours = THEMES[theme]
    lines, y = [], 0
    for (group, title), rows in GROUPS.items():
        y += 34
        lines.append(f'<text x="0" y="{y}" font-size="15" font-weight="bold" fill="{colours["text"]}">{escape(title)}</text>')
        for row, label in rows.items():
            y += 22
            lines.append(f'<text x="0" y="{y + 12}" fill="{colours["text"]}">{escape(label)}</text>')
            contenders = list(bars(results, group, row))
            longest = max(time for _, _, time in contenders)
            for contender, role, time in contenders:
                weight = ' font-weight="bold"' if role == "alcedo" else ""
                width = max(1, BAR * time / longest)
                lines.append(
                    f'<text x="{LABEL - 8}" y="{y + 12}" text-anchor="end" fill="{colours["dim"]}"{weight}>'
                    f"{escape(contender)}</text>"
                    f'<rect x="{LABEL}" y="{y + 1}" width="{width:.1f}" height="14" rx="2" fill="{colours[role]}"/>'
                    f'<text x="{LABEL + width + 6:.1f}" y="{y + 12}" fill="{colours["text"]}"{weight}>{shown(time)}</text>'
                )
                y += ROW
        y += 14
    for note in (*NOTES, *made_with(results)):
        y += 16
        lines.append(f'<text x="0" y="{y}" fill="{colours["dim"]}">{escape(note)}</text>')
    height = y + 12
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'font-family="system-ui, sans-serif" font-size="12" role="img">',
            "<title>How long Alcedo and its peers take</title>",
            *lines,
            "</svg>",
            "",
        ]
    )


def main():
    if not RESULTS.exists():
        print(f"{RESULTS} is missing")
        return 1
    results = json.loads(RESULTS.read_text())
    stale = []
    for theme in THEMES:
        file = pathlib.Path(CHART.format(theme))
        drawn = svg(results, theme)
        if sys.argv[1:] != ["check"]:
            file.write_text(drawn)
        elif not file.exists() or file.read_text() != drawn:
            stale.append(str(file))
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if stale else 0


sys.exit(main())
