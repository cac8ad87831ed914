import Foundation

// Simulates a fleet of image servers with three cache tiers: what the origin sends, what memory the shared tier needs,
// and what the loss of one of its nodes does. Simulated days are as long as the caches need to settle.

guard let fleet = Arguments(CommandLine.arguments.dropFirst())?.fleet else {
    FileHandle.standardError.write(Data((Arguments.usage + "\n").utf8))
    exit(2)
}

let day = 86_400.0
let warmUp = 3 * day

func line(_ columns: [String]) {
    print(
        columns.enumerated().map { index, text in
            index == 0
                ? text.padding(toLength: 22, withPad: " ", startingAt: 0)
                : String(repeating: " ", count: max(0, 10 - text.count)) + text
        }
        .joined())
}

func percent(_ share: Double) -> String { String(format: "%.2f %%", share * 100) }

func row(_ name: String, _ counts: Counts) {
    line([
        name, percent(counts.memoryShare), percent(counts.diskShare), percent(counts.sharedShare),
        percent(counts.processedShare), percent(counts.originShare),
        String(format: "%.2f", counts.originBytes / 1e9), String(format: "%.0f", counts.busyCores),
        String(format: "%.2f", counts.meanLatency),
    ])
}

print(
    """
    \(fleet.machines) machines, \(fleet.pictures) pictures in \(fleet.treatments) treatments, Zipf \(fleet.exponent), \
    \(Int(fleet.rate)) requests a second; one picture in \(fleet.sampling) is simulated
    """)
line(["shared tier", "memory", "disk", "shared", "processed", "origin", "GB/s", "cores", "ms"])

// From none to four times the size.
for factor in [0.0, 0.25, 1, 4] {
    var sized = fleet
    sized.node = Int(Double(fleet.node) * factor)
    if factor == 0 { sized.nodes = 0 }
    var simulation = Simulation(sized)
    _ = simulation.run(seconds: warmUp)
    let counts = simulation.run(seconds: day / 4)
    row(factor == 0 ? "none" : "\(sized.sharedBytes >> 30) GiB", counts)
}

guard fleet.nodes > 1 else { exit(0) }
var simulation = Simulation(fleet)
_ = simulation.run(seconds: warmUp)
print("\none of \(fleet.nodes) nodes is lost")
row("hour before", simulation.run(seconds: 3600))
simulation.loseNode()
for (name, seconds) in [
    ("first 10 minutes", 600.0), ("10 to 60 minutes", 3000), ("second hour", 3600), ("hours 3 to 6", 14_400),
    ("hours 7 to 24", 64_800),
] {
    row(name, simulation.run(seconds: seconds))
}
print("the shared tier uses \(simulation.sharedBytes >> 30) of \(fleet.sharedBytes >> 30) GiB")
