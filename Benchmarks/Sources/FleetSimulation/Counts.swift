import Foundation

/// How many simulated requests each tier answered in a span of time, and what that means for the whole fleet.
struct Counts {
    private let seconds: Double
    private let fleet: Fleet
    private let headShare: Double
    private var memory = 0
    private var disk = 0
    private var shared = 0
    private var processed = 0
    private var origin = 0
    private var bytes = 0

    init(seconds: Double, fleet: Fleet, headShare: Double) {
        self.seconds = seconds
        self.fleet = fleet
        self.headShare = headShare
    }

    mutating func add(_ outcome: Outcome) {
        switch outcome {
        case .memory: memory += 1
        case .disk: disk += 1
        case .shared: shared += 1
        case .processed: processed += 1
        case .origin(let size):
            origin += 1
            bytes += size
        }
    }

    private var total: Int { memory + disk + shared + processed + origin }

    /// The share of all requests, with those of the head, that are not hits in memory but `count`.
    private func share(_ count: Int) -> Double {
        (1 - headShare) * Double(count) / Double(max(total, 1))
    }

    var memoryShare: Double { headShare + share(memory) }
    var diskShare: Double { share(disk) }
    var sharedShare: Double { share(shared) }
    var processedShare: Double { share(processed) }
    var originShare: Double { share(origin) }

    /// Bytes a second that the origin sends to the whole fleet.
    var originBytes: Double { Double(bytes) * Double(fleet.sampling) / seconds }

    /// Cores of the fleet that are busy with making results.
    var busyCores: Double { fleet.rate * (processedShare + originShare) * fleet.costs.processing / 1000 }

    /// The mean of the costs of a request, in milliseconds; failures of the shared tier's own cost nothing.
    var meanLatency: Double {
        let costs = fleet.costs
        let isShared = fleet.nodes > 0
        let lookup = isShared ? costs.shared : 0
        return memoryShare * costs.memory + diskShare * costs.disk + sharedShare * costs.shared
            + processedShare * (costs.processing + lookup)
            + originShare * (costs.processing + costs.origin + lookup)
    }
}
