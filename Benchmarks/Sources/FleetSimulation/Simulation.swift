/// The caches of a fleet, and what answers each request.
struct Simulation {
    private let fleet: Fleet
    private let pictures: Pictures
    private var memories: [LRUCache]
    private var disks: [LRUCache]
    private var nodes: [LRUCache]
    private var ring: Ring
    private var generator = SeededGenerator(seed: 2026)

    init(_ fleet: Fleet) {
        self.fleet = fleet
        pictures = Pictures(fleet)
        // The head takes its part of a machine's memory.
        let head = fleet.head * fleet.treatments * fleet.result
        memories = Array(
            repeating: LRUCache(limit: max(0, fleet.memory - head) / fleet.sampling), count: fleet.machines)
        disks = Array(repeating: LRUCache(limit: fleet.disk / fleet.sampling), count: fleet.machines)
        nodes = Array(repeating: LRUCache(limit: fleet.node / fleet.sampling), count: fleet.nodes)
        ring = Ring(nodes: 0..<fleet.nodes)
    }

    /// Requests a second that are simulated.
    private var simulatedRate: Double {
        fleet.rate * (1 - pictures.headShare) / Double(fleet.sampling)
    }

    /// Lets so many seconds pass, and counts their requests.
    mutating func run(seconds: Double) -> Counts {
        var counts = Counts(seconds: seconds, fleet: fleet, headShare: pictures.headShare)
        for _ in 0..<Int(seconds * simulatedRate) { counts.add(request()) }
        return counts
    }

    /// A node is lost: its keys live on the others from now on, which do not have them yet.
    mutating func loseNode() {
        ring = Ring(nodes: 1..<fleet.nodes)
        nodes[0].removeAll()
    }

    /// The bytes that the shared tier uses, scaled to the whole.
    var sharedBytes: Int { nodes.reduce(0) { $0 + $1.bytes } * fleet.sampling }

    // MARK: - One request

    private mutating func request() -> Outcome {
        let picture = pictures.draw(using: &generator)
        let key = pictures.key(
            picture, treatment: Int.random(in: 0..<fleet.treatments, using: &generator))
        let machine = Int.random(in: 0..<fleet.machines, using: &generator)
        if memories[machine].hit(key) { return .memory }
        let size = pictures.bytes(key, median: fleet.result)
        defer { memories[machine].insert(key, bytes: size) }
        if disks[machine].hit(key) { return .disk }
        defer { disks[machine].insert(key, bytes: size) }
        if sharedHit(key) { return .shared }
        defer { share(key, bytes: size) }

        let original = pictures.key(picture, treatment: -1)
        if disks[machine].hit(original) { return .processed }
        let bytes = pictures.bytes(original, median: fleet.original)
        defer { disks[machine].insert(original, bytes: bytes) }
        if fleet.sharesOriginals, sharedHit(original) { return .processed }
        if fleet.sharesOriginals { share(original, bytes: bytes) }
        return .origin(bytes: bytes)
    }

    private mutating func sharedHit(_ key: UInt64) -> Bool {
        guard let node = ring.node(of: key) else { return false }
        return nodes[node].hit(key)
    }

    private mutating func share(_ key: UInt64, bytes: Int) {
        guard bytes <= fleet.largestValue, let node = ring.node(of: key) else { return }
        nodes[node].insert(key, bytes: bytes)
    }
}

/// What answered a request.
enum Outcome {
    case memory, disk, shared
    /// Made of an original that a cache had.
    case processed
    /// Made of an original that the origin sent.
    case origin(bytes: Int)
}
