import AlcedoCaches
import AlcedoCodecs
import AlcedoLocks
import AlcedoRaster

/// A bitmap for as long as something draws it.
private struct DrawnBitmap {
    weak var bitmap: Bitmap?
}

/// An image's encoded bytes, its bitmaps or both; shared with its copies at other scales.
final class PixelStore: Sendable {
    private struct State {
        /// A bitmap whose orientation has not been applied yet.
        var unoriented: (bitmap: Bitmap, orientation: ImageOrientation)?
        var decoded: Bitmap?

        /// The last bitmap kept at another size.
        var reduced: Bitmap?

        /// ``decoded`` in 8 bits of sRGB, if that is deep and has been shown.
        var shown: Bitmap?

        /// The bitmaps of other sizes that something draws.
        var drawn: [PixelSize: DrawnBitmap] = [:]

        var costObservers = CostObservers()

        var bitmaps: [Bitmap] { [unoriented?.bitmap, decoded, reduced, shown].compactMap(\.self) }

        var bytes: Int {
            (unoriented?.bitmap.memoryCount ?? 0) + (decoded?.memoryCount ?? 0) + (reduced?.memoryCount ?? 0)
                + (shown?.memoryCount ?? 0)
        }

        /// Whether the deep bitmap may be shown, which takes another one.
        var mayBeShown: Bool { decoded?.isDeep == true && shown == nil }
    }

    /// The bytes that the bitmaps are decoded from; nil for processed or drawn images.
    let encoded: EncodedImage?

    /// Whether it was created from an upright bitmap, so its cost never changes.
    let isFixed: Bool

    private let state: Lock<State>

    /// A store of encoded bytes, with the bitmap of their first frame if it is decoded.
    init(_ encoded: EncodedImage, decoded: Bitmap? = nil) {
        self.encoded = encoded
        isFixed = false
        state = Lock(State(decoded: decoded))
    }

    init(_ bitmap: Bitmap, orientation: ImageOrientation = .up) {
        encoded = nil
        isFixed = orientation == .up && !bitmap.isDeep
        state = Lock(orientation == .up ? State(decoded: bitmap) : State(unoriented: (bitmap, orientation)))
    }

    init() {
        encoded = nil
        isFixed = true
        state = Lock(State())
    }

    var decodedBitmap: Bitmap? { state.withLock { $0.decoded } }

    /// The last bitmap kept at another size.
    var reducedBitmap: Bitmap? { state.withLock { $0.reduced } }

    /// Replaces the bitmap kept at another size; does nothing if the full-size bitmap serves as well.
    func keep(reduced bitmap: Bitmap) {
        let isScalable = isScalable
        let (isKept, old) = state.withLock { state -> (Bool, Bitmap?) in
            guard isScalable || state.decoded == nil else { return (false, nil) }
            return (true, exchange(&state.reduced, with: bitmap))
        }
        _ = consume old
        if isKept { notifyCostObservers() }
    }

    /// A bitmap of this size that is kept, or that something draws.
    func drawnBitmap(of size: PixelSize) -> Bitmap? {
        state.withLock { state in
            state.reduced?.size == size ? state.reduced : state.drawn[size]?.bitmap
        }
    }

    /// Has others draw a bitmap, too, for as long as something draws it.
    func setDrawn(_ bitmap: Bitmap) {
        let seen = state.withLock { state -> [PixelSize: Bitmap] in
            let drawn = state.drawn.compactMapValues(\.bitmap)
            state.drawn = state.drawn.filter { drawn[$0.key] != nil }
            state.drawn[bitmap.size] = DrawnBitmap(bitmap: bitmap)
            return drawn
        }
        // Freed after the lock, as nothing else may draw them by now.
        _ = consume seen
    }

    /// The full-size bitmap in 8 bits of sRGB; nil if it is not decoded, or deep and not yet converted.
    var shownBitmap: Bitmap? { state.withLock { $0.decoded?.isDeep == true ? $0.shown : $0.decoded } }

    /// The full-size bitmap in 8 bits of sRGB, which is kept beside a deep one.
    func shown() throws(CodecError) -> Bitmap {
        if let bitmap = shownBitmap { return bitmap }
        let bitmap = try bitmap()
        guard bitmap.isDeep else { return bitmap }
        let converted = try bitmap.standard()
        let kept = state.withLock { state in
            if state.shown == nil { state.shown = converted }
            return state.shown ?? converted
        }
        if kept === converted { notifyCostObservers() }
        return kept
    }

    /// The upright bitmap; decoded on first use and then kept.
    ///
    /// Threads that decode concurrently all get the bitmap of the first one to finish.
    func bitmap() throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        let (bitmap, isScalable) = (try decode(), isScalable)
        let (kept, isFirst, dropped) = state.withLock { state -> (Bitmap, Bool, [Bitmap]) in
            if let first = state.decoded { return (first, false, []) }
            let before = state.bitmaps
            state.decoded = bitmap
            state.unoriented = nil
            // Smaller views use the full-size bitmap from now on.
            if !isScalable { state.reduced = nil }
            return (bitmap, true, before)
        }
        // Frees the bitmaps outside the lock; this thread's own one if another thread was first.
        _ = consume bitmap
        _ = consume dropped
        if isFirst { notifyCostObservers() }
        return kept
    }

    /// A bitmap at least as large as `size` or the image, whichever is smaller; not kept.
    func bitmap(atLeast size: PixelSize) throws(CodecError) -> Bitmap {
        if let bitmap = decodedBitmap { return bitmap }
        return try decode(atLeast: size)
    }

    private var isScalable: Bool { encoded?.info.isScalable ?? false }

    private func decode(atLeast size: PixelSize? = nil) throws(CodecError) -> Bitmap {
        if let (bitmap, orientation) = state.withLock({ $0.unoriented }) {
            return try bitmap.oriented(orientation)
        }
        // Another thread may have oriented the bitmap since the first check.
        if let bitmap = decodedBitmap { return bitmap }
        guard let encoded else { throw .unknownFormat }
        return try encoded.decode(atLeast: size)
    }
}

// MARK: - Cost

extension PixelStore {
    var bitmaps: [Bitmap] { state.withLock { $0.bitmaps } }

    /// Bytes of the encoded data and of all bitmaps.
    var cost: Int { state.withLock { $0.bytes } + (encoded?.data.count ?? 0) }

    /// The number of cost observers, including stale ones.
    var costObserverCount: Int { state.withLock { $0.costObservers.all.count } }

    /// Notifies `cache` of cost changes for as long as it holds an image of this store under `key`.
    ///
    /// - Returns: the current cost.
    @discardableResult
    func addCostObserver(_ cache: MemoryStorage.Core, key: HashedKey) -> Int {
        let observer = CostObserver(cache: cache, key: key)
        let (isEncoded, isScalable) = (encoded != nil, isScalable)
        let (bytes, needsPruning) = state.withLock { state in
            // The store may still have to decode, or to apply an orientation.
            let isChanging =
                state.unoriented != nil || state.mayBeShown
                || isEncoded && (isScalable || state.decoded == nil)
            return (state.bytes, isChanging && state.costObservers.add(observer))
        }
        if needsPruning { notifyCostObservers() }
        return bytes + (encoded?.data.count ?? 0)
    }

    /// Notifies all caches that hold an image of this store, and removes stale observers.
    ///
    /// Call it after each change of the cost, with no lock held.
    func notifyCostObservers() {
        let observers = state.withLock { $0.costObservers.all.unshared }
        let stale = observers.filter {
            !$0.observer.cache.correctCost(under: $0.observer.key) { ($0 as? Image)?.shows(self) == true }
        }
        let mayHaveDuplicates = observers.count >= 8
        guard !stale.isEmpty || mayHaveDuplicates else { return }
        let additions = Set(stale.map(\.addition))
        state.withLock { $0.costObservers.remove(additions) }
    }
}
