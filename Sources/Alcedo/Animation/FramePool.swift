import AlcedoLocks
import AlcedoPixels
import Dispatch
import Foundation

/// The decoded frames of one animation at one size, for all its players.
///
/// Worker threads decode one frame at a time. Thread-safe.
final class FramePool: Sendable {
    /// Identifies a player.
    typealias Ticket = Int

    /// Called on a worker thread after a frame is decoded or found damaged.
    typealias Listener = @Sendable (Int) -> Void

    /// A source and the frame that it decodes next without decoding others; sources only go forward.
    fileprivate struct Decoder {
        let source: any ImageFrameSource
        var next = 0
    }

    fileprivate struct State {
        var frames: [Int: Bitmap] = [:]
        /// The number of frames before the first damaged one.
        var count: Int
        /// Also true while a failed frame waits to be decoded again.
        var isDecoding = false
        /// How often the present frame has failed to decode although it is not damaged.
        var failures = 0
        /// Whether frames were given up that are not damaged.
        var hasGivenUp = false
        var demands: [Ticket: FrameDemand] = [:]
        var listeners: [Ticket: Listener] = [:]
        var lastTicket = 0
        /// The decoders that no thread uses; none once all frames are decoded, because each has a canvas of the full size.
        var decoders: [Decoder] = []

        /// The frame to decode next: that of the player with the fewest frames ahead.
        func missing(limit: Int) -> Int? {
            let waiting = demands.values.compactMap { demand in
                demand.missing(of: count, limit: limit) { frames[$0] != nil }.map { index in
                    (index, ready: demand.readyCount(of: count) { frames[$0] != nil })
                }
            }
            return waiting.min { $0.ready < $1.ready }?.0
        }

        /// Removes the frames that no player with `limit` frames needs; the caller frees them outside the lock.
        mutating func evict(limit: Int = .max) -> [Bitmap] {
            let unneeded = frames.keys.filter { index in
                !demands.values.contains { $0.needs(index, of: count, limit: limit) }
            }
            return unneeded.compactMap { frames.removeValue(forKey: $0) }
        }

        /// The decoder that reaches `index` with the least work; nil to create another one.
        ///
        /// Players that are far apart have a decoder each, so that none starts over for every frame.
        mutating func takeDecoder(for index: Int, of total: Int) -> Decoder? {
            // One more, because a source may still have the frame that it decoded last.
            let reaching = decoders.indices.filter { decoders[$0].next <= index + 1 }
            let nearest = reaching.max { decoders[$0].next < decoders[$1].next }
            if let nearest { return decoders.remove(at: nearest) }
            let last = decoders.indices.max { decoders[$0].next < decoders[$1].next }
            guard let last, decoders[last].next >= total || decoders.count >= demands.count else {
                return nil
            }
            return decoders.remove(at: last)
        }
    }

    /// The number of frames, damaged or not.
    let total: Int

    /// Their durations in seconds.
    let durations: [TimeInterval]

    let frameBytes: Int
    private let source: any ImageFrameSource
    private let maxSize: CGSize?
    private let budget: FrameBudget?
    private let retryDelays: [Duration]
    private let state: Lock<State>

    /// Creates a pool of the frames of `source`, which nothing else may use.
    ///
    /// Frames are reduced to the longer side of `maxSize`, in pixels; nil for no reduction. `budget` is nil if the
    /// image has the frames anyway. A frame for which time, memory or a worker process was missing is decoded again
    /// after `retryDelays`; then it counts as damaged until a player is added or opens its window.
    init(
        _ source: any ImageFrameSource, maxSize: CGSize?, frameBytes: Int, budget: FrameBudget?,
        retryDelays: [Duration] = [.milliseconds(100), .milliseconds(400), .milliseconds(1600)]
    ) {
        self.retryDelays = retryDelays
        self.source = source
        self.maxSize = maxSize
        self.frameBytes = frameBytes
        self.budget = budget
        let total = source.frameCount
        self.total = total
        durations = (0..<total).map { source.duration(at: $0) }
        state = Lock(State(count: total))
        budget?.insert(self)
    }

    deinit {
        let bytes = state.withLock { $0.frames.values.reduce(0) { $0 + $1.memoryCount } }
        budget?.remove(ObjectIdentifier(self), byteCount: bytes)
    }

    /// The number of frames before the first known damaged one.
    var count: Int { state.withLock { $0.count } }

    /// A frame; nil unless it is decoded.
    func frame(at index: Int) -> Bitmap? { state.withLock { $0.frames[index] } }

    /// The number of decoded frames that a player needs.
    func decodedCount(for ticket: Ticket) -> Int {
        state.withLock { state in
            guard let demand = state.demands[ticket] else { return 0 }
            return state.frames.keys.count { demand.needs($0, of: state.count, limit: .max) }
        }
    }

    // MARK: - Players

    /// Adds a player, which is closed, and reports to it the frames that others have decoded.
    func add(capacity: Int, listener: @escaping Listener) -> Ticket {
        let (ticket, ready) = state.withLock { state in
            state.lastTicket += 1
            state.recover(total)
            var demand = FrameDemand(capacity: capacity)
            let ready = state.frames.keys.filter { demand.needs($0, of: state.count, limit: .max) }
            (demand.isClosed, demand.keepsCurrent) = (true, false)
            state.demands[state.lastTicket] = demand
            state.listeners[state.lastTicket] = listener
            return (state.lastTicket, ready.sorted())
        }
        if !ready.isEmpty { WorkerPool.shared.submit { for index in ready { listener(index) } } }
        return ticket
    }

    /// Removes a player, and frees what only it needed.
    func remove(_ ticket: Ticket) {
        let (bitmaps, unused) = state.withLock { state in
            let listener = state.listeners.removeValue(forKey: ticket)
            state.demands[ticket] = nil
            let surplus = max(0, state.decoders.count - max(1, state.demands.count))
            let decoders = state.decoders.prefix(surplus).map { $0 }
            state.decoders.removeFirst(surplus)
            return (state.evict(), (listener, decoders))
        }
        count(freed: bitmaps)
        withExtendedLifetime(unused) {}
    }

    /// Changes what a player needs, and decodes it.
    func change(_ ticket: Ticket, _ change: (inout FrameDemand) -> Void) {
        let freed = state.withLock { state -> [Bitmap] in
            guard var demand = state.demands[ticket] else { return [] }
            let wasClosed = demand.isClosed
            change(&demand)
            if wasClosed, !demand.isClosed { state.recover(total) }
            state.demands[ticket] = demand
            return state.evict()
        }
        count(freed: freed)
        decodeNext()
    }

    /// Frees all frames but the current and the next of each player.
    func freeAhead() {
        count(freed: state.withLock { $0.evict(limit: FrameDemand.least) })
    }

    private func count(freed: [Bitmap]) {
        if !freed.isEmpty { budget?.add(-freed.reduce(0) { $0 + $1.memoryCount }) }
    }

    // MARK: - Decoding

    private func decodeNext() {
        let limit = budget?.allowsAhead(frameBytes) == false ? FrameDemand.least : .max
        let job = state.withLock { state -> (index: Int, decoder: Decoder?)? in
            guard !state.isDecoding, let index = state.missing(limit: limit) else { return nil }
            state.isDecoding = true
            return (index, state.takeDecoder(for: index, of: total))
        }
        guard let job else { return }
        WorkerPool.shared.submit { [self] in
            if let delay = decode(job.index, by: job.decoder ?? Decoder(source: source.copy())) {
                return retry(after: delay)
            }
            for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener(job.index) }
            decodeNext()
        }
    }

    /// Decodes a frame, or finds it damaged; returns after which time to try again if it is neither.
    private func decode(_ index: Int, by decoder: consuming Decoder) -> Duration? {
        let result = Result { () throws(CodecError) in
            try decoder.source.frameUnlessFailing(at: index, maxSize: maxSize)
        }
        let bitmap = (try? result.get()) ?? nil
        // After an error a source starts again, because some decoders fail for ever then.
        decoder.next = if case .success = result { index + 1 } else { 0 }
        let used = decoder
        let (freed, delay, unused) = state.withLock { state -> ([Bitmap], Duration?, [Decoder]) in
            state.decoders.append(used)
            if case .failure = result {
                state.failures += 1
                if state.failures <= retryDelays.count { return ([], retryDelays[state.failures - 1], []) }
                state.hasGivenUp = true
            }
            state.failures = 0
            state.isDecoding = false
            if let bitmap { state.frames[index] = bitmap } else { state.count = min(state.count, index) }
            let freed = state.evict()
            let isComplete = state.frames.count == state.count
            return (freed, nil, isComplete ? exchange(&state.decoders, with: []) : [])
        }
        withExtendedLifetime(unused) {}
        budget?.add((bitmap?.memoryCount ?? 0) - freed.reduce(0) { $0 + $1.memoryCount })
        return delay
    }

    private func retry(after delay: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + delay / .seconds(1)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isDecoding = false }
            decodeNext()
        }
    }
}

extension FramePool.State {
    /// Has frames that were given up be decoded again.
    fileprivate mutating func recover(_ total: Int) {
        guard hasGivenUp else { return }
        (hasGivenUp, count) = (false, total)
    }
}

/// One player's part of a ``FramePool``: the current frame and a few that follow.
final class FrameWindow: Sendable {
    /// The maximum number of decoded frames; at least two, the current one and the next.
    let capacity: Int

    private let pool: FramePool
    private let ticket: FramePool.Ticket

    /// Creates a window that is closed.
    ///
    /// `frameReady` is called on a worker thread after each frame is decoded or found damaged.
    init(_ pool: FramePool, capacity: Int, frameReady: @escaping @Sendable (Int) -> Void) {
        self.pool = pool
        self.capacity = max(FrameDemand.least, capacity)
        ticket = pool.add(capacity: capacity, listener: frameReady)
    }

    deinit { pool.remove(ticket) }

    /// The number of frames before the first known damaged one.
    var count: Int { pool.count }

    var decodedCount: Int { pool.decodedCount(for: ticket) }

    /// A frame; nil unless it is decoded.
    func frame(at index: Int) -> Bitmap? { pool.frame(at: index) }

    /// Moves the window to start at `index`, and decodes its frames.
    func move(to index: Int, isReversed: Bool = false) {
        pool.change(ticket) { demand in
            demand.position = index
            demand.isReversed = isReversed
            demand.isClosed = false
        }
    }

    func turn(isReversed: Bool) { pool.change(ticket) { $0.isReversed = isReversed } }

    /// Frees all frames, or all but the current one; decoding stops until ``move(to:isReversed:)``.
    func close(keepingCurrent: Bool) {
        pool.change(ticket) { demand in
            demand.isClosed = true
            demand.keepsCurrent = keepingCurrent
        }
    }
}

/// An image's pool of frames at one size, for as long as a player uses it.
struct FramePoolReference: Sendable {
    let longerSide: Double
    weak var pool: FramePool?
}

extension Image {
    /// The pool of the animation's frames, which all players of the image share; nil for a still image.
    ///
    /// A preloaded animation has its frames already, so its pool without a reduction only refers to them.
    /// Frames are reduced to the longer side of `maxSize`, in pixels; nil for no reduction.
    func framePool(maxSize: CGSize?, budget: FrameBudget) -> FramePool? {
        let side = maxSize.longerSide
        let bytes = pixelSize.fitted(longerSide: side).area * 4
        if let animation, maxSize == nil {
            return FramePool(DecodedFrames(animation), maxSize: maxSize, frameBytes: bytes, budget: nil)
        }
        let source: (any ImageFrameSource)? =
            if let animation { DecodedFrames(animation) } else { kf.frameSource?.copy() }
        guard let source, source.frameCount > 0 else { return nil }
        let made = FramePool(source, maxSize: maxSize, frameBytes: bytes, budget: budget)
        // The pools that are looked at are freed after the lock, as their last players may go away meanwhile.
        let (pool, seen) = attachments.withLock { attachments -> (FramePool, [FramePool]) in
            let living = attachments.pools.map { (side: $0.longerSide, pool: $0.pool) }
            let seen = living.compactMap(\.pool)
            if let pool = living.first(where: { $0.side == side && $0.pool != nil })?.pool {
                return (pool, seen)
            }
            attachments.pools = zip(attachments.pools, living).filter { $1.pool != nil }.map { $0.0 }
            attachments.pools.append(FramePoolReference(longerSide: side, pool: made))
            return (made, seen)
        }
        withExtendedLifetime(seen) {}
        return pool
    }
}

extension CGSize? {
    /// The longer side of a size to reduce to; infinite for no reduction.
    var longerSide: Double { map { Double(Swift.max($0.width, $0.height)) } ?? .infinity }
}
