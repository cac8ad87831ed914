import Foundation

/// The epoch of a namespace, which is read from the store every 5 s.
actor SharedEpoch {
    private let fixed: Int?
    private var known: Int?
    private var readAt: ContinuousClock.Instant?

    /// When the last reading began that has ended.
    private var begunAt: ContinuousClock.Instant?
    private var reading: (task: Task<Int?, Never>, start: ContinuousClock.Instant)?

    /// How long a number is believed, and how long a failure.
    private let lifetime: Duration
    private static let pause = Duration.seconds(1)

    init(_ epoch: SharedCacheSettings.Epoch, lifetime: Duration = .seconds(5)) {
        self.lifetime = lifetime
        fixed = if case .fixed(let number) = epoch { number } else { nil }
    }

    /// The epoch; nil if the store has not responded lately.
    ///
    /// With a moment, one that was read after it; a store that has not responded is called again.
    func value(
        readAfter moment: ContinuousClock.Instant? = nil, _ read: @escaping @Sendable () async -> Int?
    ) async -> Int? {
        if let fixed { return fixed }
        while true {
            if isBelieved, moment == nil || known != nil && isRead(after: moment) { return known }
            guard let reading else { break }
            let number = await reading.task.value
            guard let moment else { return number ?? known }
            if reading.start >= moment || isRead(after: moment) { return number }
        }
        let start = ContinuousClock.now
        let task = Task { end(await read(), begunAt: start) }
        reading = (task, start)
        let number = await task.value
        return moment == nil ? number ?? known : number
    }

    /// Ends a reading; returns its number, or a higher one.
    private func end(_ number: Int?, begunAt start: ContinuousClock.Instant) -> Int? {
        reading = nil
        guard let number else {
            // What was read lately is still believed.
            if known == nil || !isBelieved { (known, readAt) = (nil, .now) }
            return nil
        }
        // Never lower: a node may have come back with an older one.
        highestSeen = max(highestSeen, number)
        (known, readAt, begunAt) = (highestSeen, .now, start)
        return known
    }

    /// Whether the last result still counts.
    private var isBelieved: Bool {
        guard let readAt else { return false }
        return .now - readAt < (known == nil ? Self.pause : lifetime)
    }

    private func isRead(after moment: ContinuousClock.Instant?) -> Bool {
        guard let moment else { return true }
        return begunAt.map { $0 >= moment } ?? false
    }

    /// The highest number so far.
    private(set) var highestSeen = 0

    /// The program has raised it, with a call at `start`.
    func raise(to number: Int, calledAt start: ContinuousClock.Instant = .now) {
        highestSeen = max(highestSeen, number)
        (known, readAt, begunAt) = (highestSeen, .now, start)
    }

    /// Numbers of the store from here on are damage: no counter gets that far, and adding 1 can't overflow.
    private static let limit = 1 << 53

    /// The highest number among copies; nil if there is none.
    static func highest(of copies: [Data?]) -> Int? {
        copies.compactMap { $0.flatMap { Int(String(decoding: $0, as: UTF8.self)) } }
            .filter { (0..<limit).contains($0) }.max()
    }
}
