import AlcedoTransport

/// How much of the server one party may use: requests at a time, and requests a second; without clock and I/O.
struct Quotas: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Whose use is limited; raw values are those of the metrics.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The key that signed the URL.
        case key
        /// The host of the source, or its folder in the local root.
        case source
        /// The client, by its address.
        case client
    }

    /// One key, source or client.
    struct Party: Hashable, Sendable {
        let kind: Kind
        let name: String
    }

    /// A request that is too many.
    struct Excess: Error, Sendable, Equatable {
        let party: Party
        let isOfRate: Bool
        /// Until the same request may pass.
        let wait: Duration
    }

    /// Rates that are known at a time: a client may have any number of addresses.
    static let mostRates = 1 << 16

    private let limits: [Kind: QuotaLimit]
    /// Parties with a request in progress.
    private var running: [Party: Int] = [:]
    /// By the hash of a party, when it will have used less than its rate, if it does nothing until then: all that the
    /// generic cell rate algorithm needs.
    private var settled: [Int: Instant] = [:]
    private(set) var excesses: [Kind: Int] = [:]

    init(_ limits: [Kind: QuotaLimit] = [:]) { self.limits = limits.filter { $0.value != QuotaLimit() } }

    /// Whether nothing is limited.
    var isEmpty: Bool { limits.isEmpty }

    /// The rates that are known.
    var rateCount: Int { settled.count }

    /// Those of the parties that have a limit.
    func limited(_ parties: [Party]) -> [Party] { parties.filter { limits[$0.kind] != nil } }

    /// Counts a request that all of its parties may make; it must end with ``leave(_:)``.
    mutating func enter(_ parties: [Party], at now: Instant) throws(Excess) {
        do throws(Excess) {
            // All before any is counted: a request that is rejected counts for none.
            for party in parties { try check(party, at: now) }
        } catch {
            excesses[error.party.kind, default: 0] += 1
            throw error
        }
        for party in parties {
            guard let limit = limits[party.kind] else { continue }
            running[party, default: 0] += 1
            guard limit.rate > 0 else { continue }
            if settled.count >= Self.mostRates { forget(at: now) }
            settled[party.hashValue] = max(settled[party.hashValue] ?? now, now) + limit.interval
        }
    }

    /// A request has ended.
    mutating func leave(_ parties: [Party]) {
        for party in parties {
            guard let count = running[party] else { continue }
            running[party] = count == 1 ? nil : count - 1
        }
    }

    private func check(_ party: Party, at now: Instant) throws(Excess) {
        guard let limit = limits[party.kind] else { return }
        if limit.running > 0, running[party, default: 0] >= limit.running {
            throw Excess(party: party, isOfRate: false, wait: .seconds(1))
        }
        guard limit.rate > 0, let settled = settled[party.hashValue] else { return }
        let wait = settled - now - limit.burst
        if wait > .zero { throw Excess(party: party, isOfRate: true, wait: wait) }
    }

    /// Forgets rates that are used no more, and of many others the half that is least used.
    private mutating func forget(at now: Instant) {
        settled = settled.filter { $0.value > now }
        guard settled.count > Self.mostRates / 4 * 3 else { return }
        let latest = settled.values.sorted(by: >)[Self.mostRates / 2]
        settled = settled.filter { $0.value > latest }
    }
}

/// What one party may use; 0 is no limit.
package struct QuotaLimit: Sendable, Equatable {
    /// Requests at a time.
    package var running = 0
    /// Requests a second; one second's worth of them may come at once.
    package var rate = 0.0

    /// One request in 11 days; of lower rates the interval would not fit the integers of durations and `Retry-After`.
    static let leastRate = 0.000_001

    package init() {}

    fileprivate var interval: Duration { .seconds(1 / rate) }

    /// How far ahead of its rate a party may be.
    fileprivate var burst: Duration { max(.zero, .seconds(1) - interval) }
}

extension Quotas.Party {
    /// A client: an IPv4 address, or the network of an IPv6 one, of which a client has 2^64.
    init(client text: String) {
        let address = IPAddress(text)
        let isSix = address?.bytes.count == 16
        self.init(
            kind: .client,
            name: isSix
                ? (address?.bytes ?? []).prefix(8).map { String($0, radix: 16) }.joined(separator: ":") : text
        )
    }
}

extension Quotas.Excess {
    /// What the log says.
    var reason: String {
        let limit = "\(party.kind.rawValue.uppercased())_\(isOfRate ? "RATE" : "LIMIT")"
        return "\(party.kind.rawValue) \(party.name) has made as many requests as \(limit) allows"
    }
}
