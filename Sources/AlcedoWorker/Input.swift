import AlcedoIsolation
import CIsolation
import Glibc

/// The encoded image of a request: in the message, or in sealed memory.
struct Input: ~Copyable {
    /// The bytes; those of a message are valid until the next one.
    let bytes: UnsafeRawBufferPointer

    private let isMapped: Bool

    /// Throws if the bytes are not those that the request speaks of.
    init(_ request: DecodeRequest, _ tail: UnsafeRawBufferPointer, _ descriptor: Int32) throws(Channel
        .Failure)
    {
        guard descriptor >= 0 else {
            guard request.inputCount == tail.count else { throw .invalid(reason: "another length") }
            bytes = tail
            isMapped = false
            return
        }
        guard tail.isEmpty, request.inputCount > 0, let memory = alcedo_map(descriptor, request.inputCount, 0)
        else { throw .invalid(reason: "no memory") }
        bytes = UnsafeRawBufferPointer(start: memory, count: request.inputCount)
        isMapped = true
    }

    deinit {
        guard isMapped, let memory = bytes.baseAddress else { return }
        munmap(UnsafeMutableRawPointer(mutating: memory), bytes.count)
    }
}
