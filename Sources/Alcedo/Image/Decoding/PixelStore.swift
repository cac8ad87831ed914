import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster

/// An image's bytes, its pixels or both: what it shares with its copies at other scales.
final class PixelStore: Sendable {
    private struct State {
        /// Pixels that still have to be turned.
        var lying: (bitmap: Bitmap, orientation: Orientation)?
        var decoded: Bitmap?

        /// The last pixels of another size that were kept.
        var reduced: Bitmap?

        var followers = CostFollowers()

        var bitmaps: [Bitmap] { [lying?.bitmap, decoded, reduced].compactMap(\.self) }

        var bytes: Int {
            (lying?.bitmap.byteCount ?? 0) + (decoded?.byteCount ?? 0) + (reduced?.byteCount ?? 0)
        }
    }

    /// The bytes that the pixels are decoded from; nil for changed or drawn pixels.
    let encoded: EncodedImage?

    /// Whether it was made of upright pixels, and so stays as it is.
    let isFixed: Bool

    private let state: Lock<State>

    /// Bytes, and the pixels of their first frame if they are known.
    init(_ encoded: EncodedImage, decoded: Bitmap? = nil) {
        self.encoded = encoded
        isFixed = false
        state = Lock(State(decoded: decoded))
    }

    init(_ bitmap: Bitmap, orientation: Orientation = .up) {
        encoded = nil
        isFixed = orientation == .up
        state = Lock(orientation == .up ? State(decoded: bitmap) : State(lying: (bitmap, orientation)))
    }

    /// Neither bytes nor pixels.
    init() {
        encoded = nil
        isFixed = true
        state = Lock(State())
    }

    var decodedBitmap: Bitmap? { state.withLock { $0.decoded } }

    /// The last pixels of another size that were kept.
    var reducedBitmap: Bitmap? { state.withLock { $0.reduced } }

    /// Keeps pixels of another size, and no others of that kind; none where all pixels do as well.
    func keep(reduced bitmap: Bitmap) {
        let isScalable = isScalable
        let (isKept, old) = state.withLock { state -> (Bool, Bitmap?) in
            guard isScalable || state.decoded == nil else { return (false, nil) }
            return (true, exchange(&state.reduced, with: bitmap))
        }
        _ = consume old
        if isKept { tellFollowers() }
    }

    /// The pixels; decoded on first use and then kept.
    ///
    /// All threads that decode at the same time get what the first one of them made.
    func bitmap() throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        let (bitmap, isScalable) = (try decode(), isScalable)
        let (kept, isFirst, dropped) = state.withLock { state -> (Bitmap, Bool, [Bitmap]) in
            if let first = state.decoded { return (first, false, []) }
            let before = state.bitmaps
            state.decoded = bitmap
            state.lying = nil
            // A view that needs fewer takes them from these.
            if !isScalable { state.reduced = nil }
            return (bitmap, true, before)
        }
        // Where another thread was first, these pixels are freed here and not inside the lock.
        _ = consume bitmap
        _ = consume dropped
        if isFirst { tellFollowers() }
        return kept
    }

    /// Pixels that are no smaller than `size`, or than the image; not kept.
    func bitmap(atLeast size: PixelSize) throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        return try decode(atLeast: size)
    }

    private var isScalable: Bool { encoded?.info.isScalable ?? false }

    private func decode(atLeast size: PixelSize? = nil) throws(CodecError) -> Bitmap {
        if let lying = state.withLock({ $0.lying }) { return try lying.bitmap.oriented(lying.orientation) }
        // Another thread may have turned them just now.
        if let bitmap = decodedBitmap { return bitmap }
        guard let encoded else { throw .unknownFormat }
        return try encoded.decode(atLeast: size)
    }
}

// MARK: - What it costs

extension PixelStore {
    /// All pixels that there are.
    var bitmaps: [Bitmap] { state.withLock { $0.bitmaps } }

    /// Bytes of what it was made from and of all pixels.
    var cost: Int { state.withLock { $0.bytes } + (encoded?.data.count ?? 0) }

    /// How many caches and keys are told when the cost changes, those included that have the image no more.
    var followers: Int { state.withLock { $0.followers.all.count } }

    /// Has a cache told when the cost changes, as long as it has an image of these pixels under `key`.
    ///
    /// - Returns: the cost now.
    @discardableResult
    func tell(_ cache: MemoryStorage.Core, of key: HashedKey) -> Int {
        let follower = CostFollower(cache: cache, key: key)
        let (isEncoded, isScalable) = (encoded != nil, isScalable)
        let (bytes, isCrowded) = state.withLock { state in
            // It may have more to decode, or to turn.
            let isChanging = state.lying != nil || isEncoded && (isScalable || state.decoded == nil)
            return (state.bytes, isChanging && state.followers.add(follower))
        }
        if isCrowded { tellFollowers() }
        return bytes + (encoded?.data.count ?? 0)
    }

    /// Tells all caches that have an image of these pixels; to be called after each change, with no lock held.
    func tellFollowers() {
        let followers = state.withLock { $0.followers.all }
        let gone = followers.filter {
            !$0.follower.cache.correctCost(under: $0.follower.key, of: self)
        }
        let isCrowd = followers.count >= 8
        guard !gone.isEmpty || isCrowd else { return }
        let additions = Set(gone.map(\.addition))
        state.withLock { $0.followers.remove(additions) }
    }
}
