/// Reads `--name value` pairs into a fleet; sizes in GiB, times in milliseconds.
struct Arguments {
    static let usage = """
        usage: FleetSimulation [--machines 300] [--memory 1] [--disk 100] [--nodes 30] [--node 64]
                               [--pictures 50000000] [--exponent 0.9] [--treatments 4] [--rate 60000]
                               [--memory-hit 0.1] [--disk-hit 0.4] [--shared-hit 0.9] [--origin 120]
                               [--processing 25] [--sampling 1000]
        Sizes are in GiB for each machine or node, the rate is in requests a second of the whole fleet, costs are in
        milliseconds.
        """

    var fleet = Fleet()

    /// - Returns: nil if an argument is unknown or its value is no number in range.
    init?(_ arguments: some Sequence<String>) {
        var iterator = arguments.makeIterator()
        while let name = iterator.next() {
            guard let text = iterator.next(), let value = Double(text), value.isFinite, value >= 0,
                value < 1e12,
                set(name, value)
            else { return nil }
        }
        guard fleet.machines > 0, fleet.sampling > 0, fleet.treatments > 0, fleet.treatments < 63,
            fleet.rate > 0,
            fleet.pictures > fleet.head + fleet.sampling, fleet.nodes != 1
        else { return nil }
    }

    private mutating func set(_ name: String, _ value: Double) -> Bool {
        let gibibyte = Double(1 << 30)
        switch name {
        case "--machines": fleet.machines = Int(value)
        case "--memory": fleet.memory = Int(value * gibibyte)
        case "--disk": fleet.disk = Int(value * gibibyte)
        case "--nodes": fleet.nodes = Int(value)
        case "--node": fleet.node = Int(value * gibibyte)
        case "--pictures": fleet.pictures = Int(value)
        case "--exponent": fleet.exponent = value
        case "--treatments": fleet.treatments = Int(value)
        case "--rate": fleet.rate = value
        case "--memory-hit": fleet.costs.memory = value
        case "--disk-hit": fleet.costs.disk = value
        case "--shared-hit": fleet.costs.shared = value
        case "--origin": fleet.costs.origin = value
        case "--processing": fleet.costs.processing = value
        case "--sampling": fleet.sampling = Int(value)
        default: return false
        }
        return true
    }
}
