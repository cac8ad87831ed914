"""The results as text."""


def duration(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{number(seconds * factor)} {unit}"
    return f"{number(seconds * 1e9)} ns"


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def memory(size):
    return f"{size / 2**20:.0f} MB" if size >= 10 * 2**20 else f"{size / 2**20:.1f} MB"


def times(value):
    return f"{value:.2f}×" if value < 10 else f"{value:.1f}×"


def cells(name, cell, quality):
    """A contender's columns: its time with the spread, how many times faster Alcedo is, memory, likeness."""
    if "failure" in cell:
        return [name, f"failed: {cell['failure'][:40]}", "", "", "", ""]
    spread = f"{duration(cell['median'])} ({duration(cell['least'])} – {duration(cell['most'])})"
    ratio = cell.get("ratio")
    compared = f"{times(ratio['median'])} ({times(ratio['least'])} – {times(ratio['most'])})" if ratio else ""
    if "unlike" in cell:
        name += ", not alike"
    like = f"{quality['ssim']:.4f} {quality['psnr']:.1f} dB" if quality else ""
    if quality and "bytes" in quality:
        like += f" {quality['bytes'] / 1000:.0f} kB"
    return [name, spread, compared, memory(cell["peak"]), processor(cell), like]


def processor(cell):
    """Processor time of the whole process, and what the server took for it."""
    own = duration(cell["processor"])
    return f"{own} + {duration(cell['server'])} server" if "server" in cell else own


def latency(cell):
    """The time of a request that 50, 99 and 99.9 % of all stay below."""
    names = {"p50": "50 %", "p99": "99 %", "p999": "99.9 %"}
    return ", ".join(f"{title} {duration(cell[name])}" for name, title in names.items())


def verdict(found):
    """A target and whether it was reached, as words."""
    mark = {True: "reached", False: "MISSED", None: "not measured"}[found["met"]]
    if "number" in found:
        value = "?" if found["value"] is None else f"{found['value']:.4g}"
        return f"{found['number']} {value}, at most {found['limit']:.4g}: {mark}"
    value = "?" if found["ratio"] is None else times(found["ratio"])
    return f"{value} against {found['against']}, at least {times(found['target'])}: {mark}"


HEADINGS = ["", "median (least – most)", "Alcedo is faster by", "peak", "processor", "SSIM, PSNR, size"]


def text(results):
    """The whole table; a row's contenders below its name, Alcedo first, floors last."""
    lines = [HEADINGS]
    for result in results:
        per = f" per {result['per']}" if result["per"] else ""
        lines.append(f"{result['group']}: {result['name']}{per}")
        order = sorted(
            result["contenders"].items(), key=lambda item: ("alcedo", "peer", "floor").index(item[1]["role"])
        )
        for name, cell in order:
            title = f"  {name}" + (" (floor)" if cell["role"] == "floor" else "")
            lines.append(cells(title, cell, result.get("quality", {}).get(name)))
            if "bitmaps" in cell:
                lines.append(f"    {cell['bitmaps']:.2f} bitmaps")
            if "libraries" in cell:
                lines.append(f"    {cell['libraries']:.0f} shared libraries, {cell['processor ms']:.1f} ms of processor time")
            if "p50" in cell:
                lines.append(f"    latency: {latency(cell)}")
        lines += [f"  → {verdict(found)}" for found in result["verdicts"]]
        if result["note"]:
            lines.append(f"  {result['note']}")
    widths = [max(len(line[i]) for line in lines if isinstance(line, list)) for i in range(len(HEADINGS))]
    return "\n".join(
        line
        if isinstance(line, str)
        else "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip()
        for line in lines
    )


def summary(results):
    """How many targets were reached, and which were not."""
    found = [(result, verdict_) for result in results for verdict_ in result["verdicts"]]
    missed = [(result, verdict_) for result, verdict_ in found if not verdict_["met"]]
    lines = [f"{len(found) - len(missed)} of {len(found)} targets reached."]
    lines += [f"  {result['group']}: {result['name']}: {verdict(verdict_)}" for result, verdict_ in missed]
    return "\n".join(lines)
