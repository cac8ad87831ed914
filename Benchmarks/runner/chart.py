"""The results as a picture: for each target, how far Alcedo comes, on a logarithmic scale where 1 is the
target."""

import math
from html import escape

import table

WIDTH, LEFT, RIGHT, ROW, TOP = 980, 430, 130, 20, 70
DECADES = (0.1, 0.2, 0.5, 1, 2, 5, 10)
REACHED, MISSED, NONE = "#2f7d4f", "#c0532f", "#999999"


def entries(results):
    """Group, label, how many times the target is reached, what to write beside it."""
    for result in results:
        for found in result["verdicts"]:
            if "number" in found:
                score = found["limit"] / found["value"] if found["value"] else None
                text = "?" if found["value"] is None else f"{found['value']:.3g} of {found['limit']:.3g}"
                against = found["number"]
            else:
                score = found["ratio"] / found["target"] if found["ratio"] else None
                value = "?" if found["ratio"] is None else table.times(found["ratio"])
                text, against = f"{value} of {table.times(found['target'])}", found["against"]
            yield result["group"], f"{result['name']} · {against}", score, text


def place(score):
    low, high = math.log(DECADES[0]), math.log(DECADES[-1])
    share = (math.log(min(max(score, DECADES[0]), DECADES[-1])) - low) / (high - low)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def svg(results):
    lines, y, group = [], TOP, None
    for name, label, score, text in entries(results):
        if name != group:
            y += 12
            lines.append(f'<text x="12" y="{y + 14}" class="group">{escape(name)}</text>')
            y, group = y + 22, name
        colour = NONE if score is None else REACHED if score >= 1 else MISSED
        lines.append(f'<text x="{LEFT - 10}" y="{y + 13}" class="label">{escape(label)}</text>')
        if score is not None:
            start, end = sorted((place(1), place(score)))
            width = max(2, end - start)
            lines.append(
                f'<rect x="{start:.1f}" y="{y + 3}" width="{width:.1f}" height="13" fill="{colour}"/>'
            )
        lines.append(f'<text x="{WIDTH - RIGHT + 10}" y="{y + 13}" fill="{colour}">{escape(text)}</text>')
        y += ROW
    height = y + 24
    grid = [
        f'<line x1="{place(value):.1f}" y1="{TOP}" x2="{place(value):.1f}" y2="{y}" class="{"one" if value == 1 else ""}"/>'
        f'<text x="{place(value):.1f}" y="{TOP - 6}" class="scale">{value:g}×</text>'
        for value in DECADES
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
            "<style>",
            "text { font: 12px sans-serif; } .group { font-weight: bold; font-size: 14px; }",
            ".label { text-anchor: end; fill: #333; } .scale { text-anchor: middle; fill: #777; }",
            "line { stroke: #ddd; } .one { stroke: #333; }",
            "</style>",
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
            '<text x="12" y="26" style="font-size: 17px; font-weight: bold">Alcedo and its targets</text>',
            '<text x="12" y="46" fill="#777">1× is the target; green bars go beyond it, red ones fall short.</text>',
            *grid,
            *lines,
            "</svg>",
            "",
        ]
    )
