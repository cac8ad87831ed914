#!/usr/bin/env python3
"""Where the processor time of a load goes: instructions a load by stage, by valgrind's callgrind.

    scripts/load-cost.py PROGRAM [-v] [KIND...]

PROGRAM is a release build of AlcedoBench without debug information, which valgrind can't read. Each KIND of its scenario `load`
(memory, disk, hit) runs twice, with 200 and 1,200 loads; the difference is the cost of 1,000, without start and end. What the runtime and the system's libraries do counts for
the function of ours that has it done: a copy of options costs dozens of calls of `swift_retain`, and those are the copy's.
"""
import collections, os, re, subprocess, sys, tempfile

# The first that matches the demangled name of a function wins.
STAGES = [
    ("the benchmark itself", r"Bench|Tiny|^load\b|Loads\."),
    ("copies of options, sources, requests and results",
     r"(initialize|assign)With|initializeBuffer|outlined |^destroy for|EnumTag"),
    ("ends of objects and closures", r"deinit|__deallocating|ivar_destroyer|objectdestroy|boxed_opaque|block_destroy"),
    ("options, parsed and completed", r"OptionsInfo|KingfisherManager|LoadHook"),
    ("lookup and store in memory", r"MemoryStorage|LRUTable|MemoryHit|[iI]nMemory"),
    ("lookup and store on disk",
     r"ImageCache|Disk|FileQueue|FileCalls|StagedStore|StagedChanges|CacheGenerations|sha256|TargetTier|Lookups|ReadQueue"
     r"|CacheSerializer"),
    ("transfer: coalescing, queue, freshness",
     r"Download|Transfer|Coales|Caller|Session|Exchange|Fetch|Transport|HTTP|Response|Registry|Freshness|Revalid|WebURL"),
    ("image: format, header, processor",
     r"Process|Encoded|Codec|PNG|JPEG|GIF|ImageInfo|Decode|PixelStore|Bitmap|Image\.|Damage"),
    ("threads, tasks, locks, latches",
     r"WorkerPool|Lock|Latch|Countdown|Cancellation|Callback|OneShot|Executor|Thread|Waiting|ObjectTable|Task|threads|thunk"
     r"|PriorityHeap|Duration"),
    ("keys and URLs", r"Resource|[kK]ey|URL|String"),
    ("dictionaries and arrays", r"Dictionary|Array|Sequence|Hash|hash"),
    ("the load from start to completion", r"ImageLoad|LoadE|LoadA|Attempt|Source|ActiveLoads|Interceptor|Observer|Events"),
    ("functions without a name", r"^0x"),
]
FEW, MANY = 200, 1200
# Instructions a load that docs/load-cost.md promises: 5 % above what they were when they were last looked at.
BUDGETS = {"memory": 215_000, "disk": 275_000, "hit": 400_000}


def profile(path):
    """Self costs by function, inclusive costs by edge, and the functions that are the program's."""
    names, objects, own = {}, {}, set()
    self_cost, edges = collections.Counter(), collections.Counter()
    here = callee = obj = callee_obj = program = None
    calls = False
    key = re.compile(r"^(c?fn|c?ob)=\((\d+)\)(?: (.*))?$")
    for line in open(path):
        if line.startswith("cmd: "):
            program = os.path.realpath(line[5:].split()[0])
        match = key.match(line)
        if match:
            kind, number, text = match.groups()
            table = names if kind.endswith("fn") else objects
            if text:
                table[number] = text.strip()
            if kind == "fn":
                here, callee_obj = number, None
                if os.path.realpath(objects.get(obj, "?")) == program:
                    own.add(number)
            elif kind == "ob":
                obj = number
            elif kind == "cob":
                callee_obj = number
            else:
                callee = number
        elif line.startswith("calls="):
            calls = True
        elif re.match(r"^[+\-*\d]", line):
            cost = int(line.split()[1])
            if calls:
                edges[(names[here], names[callee])] += cost
                calls = False
            else:
                self_cost[names[here]] += cost
    return self_cost, edges, {names[n] for n in own}


def run(program, kind):
    profiles = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (FEW, MANY):
            out = f"{folder}/{count}"
            subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, "load", f"kind={kind}",
                 f"count={count}", "parallel=1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1"))
            profiles.append(profile(out))
    return profiles


def per_load(few, many):
    loads = MANY - FEW
    self_cost = {f: (c - few[0][f]) / loads for f, c in many[0].items()}
    edges = {e: max(0, (c - few[1][e]) / loads) for e, c in many[1].items()}
    return self_cost, edges, many[2] | few[2]


def charged(self_cost, edges, own):
    """The costs of the program's functions, with those of the libraries that they call."""
    into = collections.Counter()
    for (_, callee), cost in edges.items():
        into[callee] += cost
    callers = collections.defaultdict(list)
    for (caller, callee), cost in edges.items():
        if callee not in own and caller != callee and into[callee] > 0:
            callers[callee].append((caller, cost / into[callee]))
    total = collections.Counter({f: c for f, c in self_cost.items() if f in own})
    pending = {f: c for f, c in self_cost.items() if f not in own}
    # Each round moves costs one call up; what goes round in circles becomes less with each.
    for _ in range(60):
        moved = collections.Counter()
        for function, cost in pending.items():
            if not callers[function]:
                total["(start of threads)"] += cost
            for caller, share in callers[function]:
                (total if caller in own else moved)[caller] += cost * share
        pending = {f: c for f, c in moved.items() if c > 0.01}
    total["(start of threads)"] += sum(pending.values())
    return total


def demangled(names):
    text = "\n".join(re.sub(r"'\d+$", "", n) for n in names)
    result = subprocess.run(["swift-demangle", "-simplified"], input=text, capture_output=True, text=True, check=True)
    return dict(zip(names, result.stdout.splitlines()))


def main():
    program, kinds = sys.argv[1], [a for a in sys.argv[2:] if not a.startswith("-")] or list(BUDGETS)
    excesses = []
    for kind in kinds:
        cost = charged(*per_load(*run(program, kind)))
        text = demangled(list(cost))
        stages = collections.defaultdict(list)
        for function, c in cost.items():
            stage = next((s for s, p in STAGES if re.search(p, text[function])), "the rest")
            stages[stage].append((c, text[function]))
        whole = sum(cost.values())
        print(f"\n## {kind}: {whole:,.0f} instructions a load\n\n| stage | instructions | share |\n|---|---:|---:|")
        for stage, all in sorted(stages.items(), key=lambda s: -sum(c for c, _ in s[1])):
            amount = sum(c for c, _ in all)
            print(f"| {stage} | {amount:,.0f} | {amount / whole:.0%} |")
            if "-v" in sys.argv:
                for c, name in sorted(all, reverse=True)[:12]:
                    print(f"|   `{name[:110]}` | {c:,.0f} | |")
        if whole > BUDGETS[kind]:
            excesses.append(f"a load of kind {kind} takes {whole:,.0f} instructions; its budget is {BUDGETS[kind]:,}")
    if excesses:
        sys.exit("\n".join(excesses))


main()
