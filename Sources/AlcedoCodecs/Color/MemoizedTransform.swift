import AlcedoLocks
import CLcms2

/// Little CMS's conversion by tables, and what the last pixels became.
///
/// Without its optimisations Little CMS takes up to 400 ns a pixel, but most pixels of a picture have a colour that others
/// have too.
final class MemoizedTransform: Sendable {
    private let handle: Handle
    /// The memos that no thread is using.
    private let spares = Lock<[PixelMemo]>([])

    /// Safe because lcms2 does not modify a transform created with `cmsFLAGS_NOCACHE`.
    private struct Handle: @unchecked Sendable {
        let transform: cmsHTRANSFORM
    }

    /// Owns `transform`, of four-byte pixels.
    init(_ transform: cmsHTRANSFORM) { handle = Handle(transform: transform) }

    deinit { cmsDeleteTransform(handle.transform) }

    /// Converts in place.
    func apply(to pixels: UnsafeMutableBufferPointer<UInt32>) {
        let memo = spares.withLock { $0.popLast() } ?? PixelMemo()
        memo.apply(handle.transform, to: pixels)
        spares.withLock { spares in
            if spares.isEmpty { spares.append(memo) }
        }
    }
}

/// A table of pixels and what they become, in which a new one takes the place of an old one; used by one thread at a time.
///
/// Safe because its owner hands it to one thread only.
private final class PixelMemo: @unchecked Sendable {
    private static let slotBits = 16
    private static let pixelsAtOnce = 4096

    /// A pixel in the upper half, what it becomes in the lower one.
    private let entries: UnsafeMutablePointer<UInt64>

    init() {
        entries = .allocate(capacity: 1 << Self.slotBits)
        entries.initialize(repeating: 0, count: 1 << Self.slotBits)
        // 0 is in no other slot than its own, which has a pixel of another slot.
        entries[Self.slot(0)] = UInt64(UInt32.max) << 32
    }

    deinit { entries.deallocate() }

    private static func slot(_ pixel: UInt32) -> Int {
        Int(truncatingIfNeeded: (pixel &* 0x9E37_79B1) >> UInt32(32 - slotBits))
    }

    func apply(_ transform: cmsHTRANSFORM, to pixels: UnsafeMutableBufferPointer<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * Self.pixelsAtOnce) { memory in
            for start in stride(from: 0, to: pixels.count, by: Self.pixelsAtOnce) {
                let end = min(start + Self.pixelsAtOnce, pixels.count)
                apply(transform, to: UnsafeMutableBufferPointer(rebasing: pixels[start..<end]), memory)
            }
        }
    }

    /// `memory` has room for three numbers for each pixel.
    private func apply(
        _ transform: cmsHTRANSFORM, to pixels: UnsafeMutableBufferPointer<UInt32>,
        _ memory: UnsafeMutableBufferPointer<UInt32>
    ) {
        guard let places = memory.baseAddress else { return }
        let (unknown, converted) = (places + Self.pixelsAtOnce, places + 2 * Self.pixelsAtOnce)
        var count = 0
        for index in pixels.indices {
            let pixel = pixels[index]
            let entry = entries[Self.slot(pixel)]
            if UInt32(truncatingIfNeeded: entry >> 32) == pixel {
                pixels[index] = UInt32(truncatingIfNeeded: entry)
            } else {
                places[count] = UInt32(index)
                unknown[count] = pixel
                converted[count] = pixel
                count += 1
            }
        }
        guard count > 0 else { return }
        // In place, so that the fourth byte stays if it is alpha.
        cmsDoTransform(transform, converted, converted, UInt32(count))
        for index in 0..<count {
            let (pixel, result) = (unknown[index], converted[index])
            pixels[Int(places[index])] = result
            entries[Self.slot(pixel)] = UInt64(pixel) << 32 | UInt64(result)
        }
    }
}
