/// The frames that one player needs: the current one, and those that follow it in the direction of play.
struct FrameDemand {
    /// The fewest frames of a player: the current one and the next.
    static let least = 2

    /// The maximum number of decoded frames; at least ``least``.
    let capacity: Int

    var position = 0
    var isReversed = false

    /// Whether no frames are to be decoded; the current one may still be kept.
    var isClosed = false

    var keepsCurrent = true

    init(capacity: Int) { self.capacity = max(Self.least, capacity) }

    /// The number of needed frames, at most `limit` of an animation of `count`.
    private func length(of count: Int, limit: Int) -> Int {
        isClosed ? (keepsCurrent ? 1 : 0) : min(capacity, limit, count)
    }

    /// The frame that follows the current one by `offset`.
    private func frame(_ offset: Int, of count: Int) -> Int {
        isReversed ? ((position - offset) % count + count) % count : (position + offset) % count
    }

    /// Whether the player needs the frame at `index` of `count`, if it may have `limit` frames.
    func needs(_ index: Int, of count: Int, limit: Int) -> Bool {
        guard index < count else { return false }
        let distance = isReversed ? position - index : index - position
        return (distance % count + count) % count < length(of: count, limit: limit)
    }

    /// The number of frames from the current one on that are decoded without a gap.
    func readyCount(of count: Int, isDecoded: (Int) -> Bool) -> Int {
        guard count > 0 else { return 0 }
        let length = length(of: count, limit: .max)
        return (0..<length).first { !isDecoded(frame($0, of: count)) } ?? length
    }

    /// The frame to decode next; nil if there are enough.
    ///
    /// Decoders only go forward. Backward, a run of frames is therefore decoded from its start, once half of the frames are
    /// used up: each run costs a decoding of all frames before it.
    func missing(of count: Int, limit: Int, isDecoded: (Int) -> Bool) -> Int? {
        guard !isClosed, count > 0 else { return nil }
        let length = length(of: count, limit: limit)
        let first = (0..<length).first { !isDecoded(frame($0, of: count)) }
        guard let first else { return nil }
        var index = frame(first, of: count)
        guard isReversed else { return index }
        guard first < max(Self.least, (length + 1) / 2) else { return nil }
        for offset in (first + 1)..<max(length, first + 1) {
            let previous = frame(offset, of: count)
            guard previous == index - 1, !isDecoded(previous) else { break }
            index = previous
        }
        return index
    }
}
