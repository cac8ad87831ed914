import Alcedo
import AlcedoLocks
import AlcedoTestSupport
import Foundation

/// Random loads, stores and removals in several places, in which calls of the system hang at random moments.
///
/// One call of one place hangs, four at once, or all below a folder, and goes on some seconds later.
final class RandomTrial {
    /// A load, or another call that ends with a completion.
    final class Work: Sendable {
        let name: String
        let place: Int

        /// Seconds in which it has to end.
        let bound: Double
        let start = ContinuousClock.now
        private let ends = Lock<[ContinuousClock.Instant]>([])

        init(_ name: String, in place: Int, bound: Double) {
            (self.name, self.place, self.bound) = (name, place, bound)
        }

        func end() { ends.withLock { $0.append(.now) } }

        var count: Int { ends.withLock { $0.count } }

        /// Seconds until it ended, or until now.
        var seconds: Double { ((ends.withLock { $0.first } ?? .now) - start) / .seconds(1) }
    }

    /// A read that stalls and a store that does, 10 s each, and what a busy machine takes.
    private static let bound = 25.0

    /// Where nothing hangs.
    private static let quickBound = 8.0

    /// A file's load that waits for a lookup on the disk, 10 s, and for its file, 17 s, and what a busy machine takes.
    private static let fileBound = 35.0

    /// Most seconds that a fault lasts: a read of a file fails only later.
    private static let longestFault = 14.0

    private let seconds: Double
    private var random: SeededGenerator
    private let places: [Place]
    private var works: [Work] = []
    private var faults: [(fault: Fault, end: ContinuousClock.Instant)] = []

    private var hits: [String: Int] = [:]
    private var problems = 0

    init(seed: UInt64, seconds: Double) throws {
        random = SeededGenerator(seed: seed)
        self.seconds = seconds
        let server = try LoopbackServer()
        places = try (0..<4).map { number in
            let place = try Place(server)
            if number == 1 { place.keepResponses() }
            return place
        }
        say("seed=\(seed)")
    }

    /// Prints what is wrong, and at last figures; blocks its thread.
    func run() {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if Int.random(in: 0..<8, using: &random) == 0 { addFault() }
            startWork()
            removeFaults { $0 < .now }
            pause(seconds: Double.random(in: 0.005...0.06, using: &random))
        }
        removeFaults { _ in true }
        while works.contains(where: { $0.count == 0 && $0.seconds <= $0.bound }) { pause(seconds: 0.1) }
        for work in works { check(work) }
        shutDown()
        let kinds = hits.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        say("hit: \(kinds.joined(separator: ", "))")
        say("loads=\(works.count) problems=\(problems)")
    }

    // MARK: - Faults

    /// Places 0 and 1 have none, so that whatever goes on there has nothing to wait for.
    private func addFault() {
        let number = Int.random(in: 2..<places.count, using: &random)
        let folder = places[number].folder(Bool.random(using: &random) ? "cache" : "files")
        let first = Int.random(in: 1...12, using: &random)
        let count = ["1", "4", ""].randomElement(using: &random) ?? ""
        let time = Double.random(in: 0.2...Self.longestFault, using: &random)
        faults.append((Fault("hang * \(folder) \(first) \(count)"), .now + .seconds(time)))
    }

    private func removeFaults(_ isDue: (ContinuousClock.Instant) -> Bool) {
        for (fault, end) in faults where isDue(end) {
            if !fault.hit.isEmpty { hits[fault.hit, default: 0] += 1 }
            fault.remove()
        }
        faults.removeAll { isDue($0.end) }
    }

    // MARK: - Loads

    private func startWork() {
        let number = Int.random(in: 0..<places.count, using: &random)
        let place = places[number]
        let key = "\(Int.random(in: 0..<30, using: &random))"
        switch Int.random(in: 0..<12, using: &random) {
        case 0: store(key, number)
        case 1:
            let work = begin("removal", number)
            place.cache.removeImages(forKey: place.url(key).cacheKey) { work.end() }
        case 2:
            let work = begin("size", number)
            place.cache.calculateDiskStorageSize { _ in work.end() }
        case 3: place.cache.clearMemoryCache()
        case 4:
            load("file URL", .network(place.file), [.cacheMemoryOnly, .forceRefresh], number, isOfFile: true)
        case 5:
            let provider = LocalFileImageDataProvider(fileURL: place.file, cacheKey: key)
            load("file provider", .provider(provider), [], number, isOfFile: true)
        case 6: load("waiting load", .network(place.url(key)), [.waitForCache, .forceRefresh], number)
        case 7:
            let task = load("cancelled load", .network(place.url(key)), [.forceRefresh], number)
            Thread {
                pause(seconds: 0.005)
                task?.cancel()
            }.start()
        default: load("load", .network(place.url(key)), [], number)
        }
    }

    private func store(_ key: String, _ number: Int) {
        let work = begin("store", number)
        places[number].cache.storeToDisk(places[number].picture, forKey: key) { _ in work.end() }
    }

    @discardableResult
    private func load(
        _ name: String, _ source: Source, _ options: KingfisherOptionsInfo, _ number: Int,
        isOfFile: Bool = false
    ) -> DownloadTask? {
        let work = begin(name, number, isOfFile: isOfFile)
        return places[number].manager.retrieveImage(
            with: source, options: options + [.callbackQueue(.untouch)]
        ) { _ in work.end() }
    }

    private func begin(_ name: String, _ place: Int, isOfFile: Bool = false) -> Work {
        var bound = place < 2 ? Self.quickBound : Self.bound
        if isOfFile, place >= 2 {
            // A read of a folder waits for those before it, of which four run at a time, and a fault can hit each.
            let others = works.count { $0.place == place && $0.name.hasPrefix("file") && $0.count == 0 }
            bound = Self.fileBound + Double(others / 4) * Self.longestFault
        }
        let work = Work(name, in: place, bound: bound)
        works.append(work)
        return work
    }

    private func check(_ work: Work) {
        if work.count == 1, work.seconds <= work.bound { return }
        problems += 1
        let time = String(format: "%.1f s", work.seconds)
        say("WRONG: \(work.name) in place \(work.place) ended \(work.count) times, in \(time)")
    }

    private func shutDown() {
        let ends = places.map { place in
            Background { () async -> Bool in (try? await place.manager.shutdown(within: .seconds(5))) != nil }
        }
        for (number, end) in ends.enumerated() where end.wait(seconds: 8) != true {
            problems += 1
            say("WRONG: place \(number) does not shut down")
        }
    }
}
