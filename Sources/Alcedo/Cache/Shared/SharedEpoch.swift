import Foundation

/// The epoch of a namespace, which is read from the store every 5 s.
actor SharedEpoch {
    private let fixed: Int?
    private var known: Int?
    private var readAt: ContinuousClock.Instant?
    private var reading: Task<Int?, Never>?

    /// How long a number is believed, and how long a failure.
    private static let lifetime = Duration.seconds(5)
    private static let pause = Duration.seconds(1)

    init(_ epoch: SharedCacheSettings.Epoch) {
        fixed = if case .fixed(let number) = epoch { number } else { nil }
    }

    /// The epoch; nil if the store has not answered lately.
    func value(_ read: @escaping @Sendable () async -> Int?) async -> Int? {
        if let fixed { return fixed }
        if let readAt, .now - readAt < (known == nil ? Self.pause : Self.lifetime) { return known }
        if let reading { return await reading.value.map { max($0, highestSeen) } }
        let task = Task { await read() }
        reading = task
        let number = await task.value
        // Never lower: a node may have come back with an older one.
        known = number.map { max($0, highestSeen) }
        highestSeen = max(highestSeen, known ?? 0)
        readAt = .now
        reading = nil
        return known
    }

    private var highestSeen = 0

    /// The program has raised it.
    func raise(to number: Int) {
        highestSeen = max(highestSeen, number)
        (known, readAt) = (highestSeen, .now)
    }

    /// Numbers of the store from here on are damage: nobody counts that far, and there is always a next one.
    private static let limit = 1 << 53

    /// The highest number among copies; nil if there is none.
    static func highest(of copies: [Data?]) -> Int? {
        copies.compactMap { $0.flatMap { Int(String(decoding: $0, as: UTF8.self)) } }
            .filter { (0..<limit).contains($0) }.max()
    }
}
