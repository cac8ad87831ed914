package import AlcedoPixels
import CIsolation
package import Foundation

/// A file in memory that is filled part by part; what is missing is a hole and takes no memory.
///
/// A worker reads it through ``descriptor``. Where it needs a part that is missing, it leaves the position there, which
/// descriptors of one opened file have in common. For one decode job at a time.
package final class SparseFile: Sendable {
    /// Holes are told from bytes by pages of the kernel, which are at most so large.
    package static let alignment = 64 << 10

    /// For reading only: a worker could fill the memory otherwise.
    package let descriptor: Int32

    package let size: Int

    private let memory: Int32

    /// Linux's `SEEK_HOLE`, which glibc declares for GNU's sources only.
    private static let seekHole: Int32 = 4

    /// Creates a file of holes.
    package init(size: Int) throws(CodecError) {
        memory = alcedo_shared_memory(size)
        guard memory >= 0 else { throw .outOfMemory(byteCount: size) }
        descriptor = open("/proc/self/fd/\(memory)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            close(memory)
            throw .unsupported(.video, reason: "one at a URL is read through /proc, which can't be opened")
        }
        self.size = size
    }

    deinit {
        close(descriptor)
        close(memory)
    }

    /// Fills a part, which starts at a multiple of ``alignment`` and ends at one or at the file's end.
    package func write(_ bytes: Data, at offset: Int) throws(CodecError) {
        let isWritten = bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let written = pwrite(memory, rest.baseAddress, rest.count, off_t(offset + done))
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { return false }
                done += written
            }
            return true
        }
        guard isWritten else { throw .outOfMemory(byteCount: bytes.count) }
        // With huge pages a decoder would take the zeros after a part for bytes of the file.
        let end = offset + bytes.count
        guard offset > 0 || end == size || lseek(memory, 0, Self.seekHole) <= end + Self.alignment else {
            throw .unsupported(
                .video, reason: "one at a URL needs memory without huge pages; set shmem_enabled to never")
        }
    }

    /// What a job does with the file, or where the part starts that it lacks.
    package enum Outcome<Value: Sendable>: Sendable {
        case value(Value)
        case lacksPart(at: Int)
    }

    /// Runs a decode job that reads ``descriptor``.
    package func outcome<Value: Sendable>(
        of job: (Int32) throws(CodecError) -> Value
    ) throws(CodecError) -> Outcome<Value> {
        lseek(descriptor, off_t(size), SEEK_SET)
        do throws(CodecError) {
            return .value(try job(descriptor))
        } catch {
            // A worker that was killed may have been anywhere.
            if case .sandboxFailed = error { throw error }
            let position = Int(lseek(descriptor, 0, SEEK_CUR))
            guard (0..<size).contains(position) else { throw error }
            return .lacksPart(at: position)
        }
    }
}
