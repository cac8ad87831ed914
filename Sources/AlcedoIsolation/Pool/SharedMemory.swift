import AlcedoPixels
import CIsolation
import Glibc

/// Memory of a fixed size that a worker writes a result to.
struct SharedMemory: ~Copyable {
    let descriptor: Int32
    let count: Int

    /// Reserves `count` bytes; nil where the system has none.
    init?(count: Int) {
        descriptor = alcedo_shared_memory(count)
        self.count = count
        guard descriptor >= 0 else { return nil }
    }

    deinit { _ = close(descriptor) }

    /// The memory as it is now and will be for ever; nil if the worker could still write to it.
    consuming func freeze() -> FrozenMemory? {
        guard alcedo_freeze_memory(descriptor) == 0 else { return nil }
        return FrozenMemory(descriptor: descriptor, count: count)
    }
}

/// Memory for a worker's results, which are copied out one after the other.
///
/// Clearing new pages takes several times as long as a copy. The worker may write at any time, which affects only the pixels
/// being copied: the size is sealed.
final class ScratchMemory: Sendable {
    /// The most bytes that a worker keeps.
    static let limit = 64 << 20

    let count: Int
    private let address: UInt

    init?(_ memory: borrowing SharedMemory) {
        guard let base = alcedo_map(memory.descriptor, memory.count, 0) else { return nil }
        address = UInt(bitPattern: base)
        count = memory.count
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

    /// The first bytes; nil if there are fewer.
    func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard (0...self.count).contains(count) else { return nil }
        return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count)
    }
}

/// A worker's result, sealed against writes and mapped for reading.
package final class FrozenMemory: Sendable {
    private let address: UInt
    private let count: Int

    init?(descriptor: Int32, count: Int) {
        guard let memory = alcedo_map(descriptor, count, 0) else { return nil }
        address = UInt(bitPattern: memory)
        self.count = count
    }

    deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), count) }

    /// The bytes, valid for as long as this lives.
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count)
    }

    /// The bytes as pixels, without a copy; nil if they are not as many as `size` has.
    func bitmap(size: PixelSize, alpha: Bitmap.Alpha, deep: DeepColors?) -> Bitmap? {
        guard size.area.multipliedReportingOverflow(by: deep == nil ? 4 : 8) == (count, false),
            let base = bytes.baseAddress
        else { return nil }
        return try? Bitmap(size: size, alpha: alpha, deep: deep, sharing: base, of: self)
    }
}
