import AlcedoLocks
import CLcms2

/// Little CMS's conversion by tables, and what the last pixels became.
///
/// Without its optimisations Little CMS takes up to 400 ns a pixel, but most pixels of a picture have a colour that others
/// have too.
final class MemoizedTransform: Sendable {
    private let transform: LittleCMSTransform
    /// The memos that no thread is using.
    private let spares = Lock<[PixelMemo]>([])

    /// `transform` converts four-byte pixels.
    init(_ transform: LittleCMSTransform) { self.transform = transform }

    /// Converts in place.
    func apply(to pixels: UnsafeMutableBufferPointer<UInt32>) {
        var memo = spares.withLock { $0.popLast() } ?? PixelMemo()
        memo.apply(transform.handle, to: pixels)
        spares.withLock { spares in
            // A memo takes 512 KiB, so the conversion keeps no more than one between pictures.
            if spares.isEmpty { spares.append(memo) }
        }
    }
}

/// A table of pixels and what they become, in which a new one takes the place of an old one.
private struct PixelMemo: Sendable {
    private static let slotBits = 16
    private static let pixelsAtOnce = 4096

    /// A pixel in the upper half, what it becomes in the lower one.
    private var entries = [UInt64](repeating: 0, count: 1 << slotBits)

    init() {
        // An empty entry would pass as the pixel 0 in that pixel's slot, which gets a pixel of another slot.
        entries[Self.slot(0)] = UInt64(UInt32.max) << 32
    }

    private static func slot(_ pixel: UInt32) -> Int {
        // Knuth's multiplicative hash.
        Int(truncatingIfNeeded: (pixel &* 0x9E37_79B1) >> UInt32(32 - slotBits))
    }

    mutating func apply(_ transform: cmsHTRANSFORM, to pixels: UnsafeMutableBufferPointer<UInt32>) {
        entries.withUnsafeMutableBufferPointer { entries in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 3 * Self.pixelsAtOnce) { memory in
                for start in stride(from: 0, to: pixels.count, by: Self.pixelsAtOnce) {
                    let end = min(start + Self.pixelsAtOnce, pixels.count)
                    let part = UnsafeMutableBufferPointer(rebasing: pixels[start..<end])
                    Self.apply(transform, to: part, entries, memory)
                }
            }
        }
    }

    /// `memory` has room for three numbers for each pixel.
    private static func apply(
        _ transform: cmsHTRANSFORM, to pixels: UnsafeMutableBufferPointer<UInt32>,
        _ entries: UnsafeMutableBufferPointer<UInt64>, _ memory: UnsafeMutableBufferPointer<UInt32>
    ) {
        guard let places = memory.baseAddress else { return }
        let (unknown, converted) = (places + pixelsAtOnce, places + 2 * pixelsAtOnce)
        var count = 0
        for index in pixels.indices {
            let pixel = pixels[index]
            let entry = entries[slot(pixel)]
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
            entries[slot(pixel)] = UInt64(pixel) << 32 | UInt64(result)
        }
    }
}
