"""A row of the table: what was measured, who did it, and what was to be reached."""

import dataclasses
import os
import statistics
import sys

import contender as contenders
import quality


@dataclasses.dataclass
class Row:
    """One line of the table.

    `targets` are the ratios to reach, by the name of the contender, or by `fastest peer`; a ratio is the
    contender's time over Alcedo's, so more is better. `limits` are what a number of Alcedo's may be at most,
    by its name. `beyond` is how many milliseconds longer than another Alcedo may take. `processor` is how many
    times the processor time of a contender's work Alcedo's may take, by the contender's name.
    """

    group: str
    name: str
    contenders: list
    targets: dict = dataclasses.field(default_factory=dict)
    limits: dict = dataclasses.field(default_factory=dict)
    beyond: dict = dataclasses.field(default_factory=dict)
    processor: dict = dataclasses.field(default_factory=dict)
    per: str = ""
    single_core: bool = True
    timeout: float = 60
    rounds: int | None = None
    quality: dict = dataclasses.field(default_factory=dict)
    tried: list = dataclasses.field(default_factory=list)
    unlike: set = dataclasses.field(default_factory=set)  # peers whose results are not like Alcedo's
    note: str = ""
    flat: float | None = None  # at most this many times as long at one size as at another


def cores(row):
    available = sorted(os.sched_getaffinity(0))
    return {available[-1]} if row.single_core else set(available)


def judged(row, judge, own, families):
    """The row with Alcedo and each peer's fastest setting of like quality."""
    row.contenders, row.quality, row.tried, row.unlike = quality.choose(judge, own, families)
    return row


def measure(row, rounds):
    """Runs all contenders in turn, several times; returns the row's results."""
    rounds = min(rounds, row.rounds or rounds)
    samples = {c.name: [] for c in row.contenders}
    failures = {}
    for _ in range(rounds):
        for contender in row.contenders:
            if contender.name in failures or is_settled(row, contender, samples):
                continue
            try:
                samples[contender.name].append(contenders.run(contender, cores(row), row.timeout))
            except contenders.Failed as failure:
                failures[contender.name] = str(failure)
                print(f"  {row.group}: {row.name}: {contender.name}: {failure}", file=sys.stderr)
    return result(row, samples, failures)


def is_settled(row, contender, samples):
    """Whether one round has told enough of a peer: no target names it, and its work is not alike or takes over three
    times as long as Alcedo's."""
    first = samples[contender.name][:1]
    if not first or contender.role != "peer" or contender.name in row.targets:
        return False
    own = next((samples[one.name][:1] for one in row.contenders if one.role == "alcedo"), [])
    return contender.name in row.unlike or bool(own) and ratio(own, first)["median"] > 3


def result(row, samples, failures):
    """What the table, the chart and the file show of a row."""
    own = next((c.name for c in row.contenders if c.role == "alcedo"), None)
    if row.flat:
        own = row.contenders[0].name
    cells = {}
    for contender in row.contenders:
        cell = {"role": contender.role}
        if contender.name in failures or not samples[contender.name]:
            cell["failure"] = failures.get(contender.name, "not run")
        else:
            cell |= summary(samples[contender.name])
            if contender.name in row.unlike:
                cell["unlike"] = True
            if own not in failures and samples.get(own) and contender.name != own:
                cell["ratio"] = ratio(samples[own], samples[contender.name])
        cells[contender.name] = cell
    return {
        "group": row.group,
        "name": row.name,
        "per": row.per,
        "note": row.note,
        "contenders": cells,
        "verdicts": verdicts(row, cells, own),
        "quality": row.quality,
        "tried": row.tried,
    }


def absent(group, reason):
    """What stands in the table for rows that could not even be prepared."""
    verdict = {"number": "rows", "value": None, "limit": 0, "met": None}
    row = Row(group, "not measured", [], note=reason)
    return result(row, {}, {}) | {"verdicts": [verdict]}


def summary(samples):
    medians = [statistics.median(sample["seconds"]) for sample in samples]
    extra = {
        key: statistics.median(sample[key] for sample in samples)
        for key in samples[0]
        if key not in ("seconds", "peak") and isinstance(samples[0][key], (int, float))
    }
    return {
        "median": statistics.median(medians),
        "least": min(medians),
        "most": max(medians),
        "rounds": medians,
        "peak": statistics.median(sample["peak"] for sample in samples),
        **extra,
    }


def ratio(own, other):
    """How many times faster than `other`, round by round: the median and the spread."""
    ratios = sorted(
        statistics.median(theirs["seconds"]) / statistics.median(ours["seconds"])
        for ours, theirs in zip(own, other)
    )
    return {"median": statistics.median(ratios), "least": ratios[0], "most": ratios[-1]}


def verdicts(row, cells, own):
    """Whether each target is reached."""
    found = []
    for name, target in row.targets.items():
        against = fastest(cells) if name == "fastest peer" else name
        cell = cells.get(against, {})
        value = cell.get("ratio", {}).get("median")
        found.append(
            {"against": against or name, "ratio": value, "target": target, "met": met(value, target)}
        )
    for name, limit in row.limits.items():
        value = cells.get(own, {}).get(name)
        reached = None if value is None else value <= limit
        found.append({"number": name, "value": value, "limit": limit, "met": reached})
    for name, limit in row.beyond.items():
        known = "median" in cells.get(own, {}) and "median" in cells.get(name, {})
        value = 1000 * (cells[own]["median"] - cells[name]["median"]) if known else None
        reached = None if value is None else value <= limit
        found.append({"number": f"ms beyond {name}", "value": value, "limit": limit, "met": reached})
    for name, limit in row.processor.items():
        work, theirs = (cells.get(one, {}).get("work") for one in (own, name))
        value = work / theirs if work and theirs else None
        number = f"processor time over that of {name}"
        reached = None if value is None else value <= limit
        found.append({"number": number, "value": value, "limit": limit, "met": reached})
    if row.flat:
        sizes = [cell for cell in cells.values() if cell["role"] == "alcedo"]
        whole = all("median" in cell for cell in sizes)
        value = (
            max(cell["median"] for cell in sizes) / min(cell["median"] for cell in sizes) if whole else None
        )
        reached = None if value is None else value <= row.flat
        found.append(
            {"number": "slowest size over fastest", "value": value, "limit": row.flat, "met": reached}
        )
    return found


def met(value, target):
    return None if value is None else value >= target


def fastest(cells):
    peers = {
        name: cell
        for name, cell in cells.items()
        if cell["role"] == "peer" and "median" in cell and "unlike" not in cell
    }
    return min(peers, key=lambda name: peers[name]["median"], default=None)
