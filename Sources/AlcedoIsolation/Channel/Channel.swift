import CIsolation
import Glibc

/// One end of a socket between a program and its worker, which keeps messages apart.
package struct Channel: Sendable {
    /// Why nothing was received.
    package enum Failure: Error, Equatable, Sendable {
        case closed

        /// The bytes are no message, or one that is invalid in this state.
        case invalid(reason: String)
    }

    /// Where a program's worker finds its end.
    package static let workerDescriptor: Int32 = 3

    /// The protocol version in a worker's first message; both programs must have the same.
    package static let version: UInt64 = 4

    /// The environment variable with a worker's sandbox level.
    package static let levelVariable = "ALCEDO_SANDBOX_LEVEL"

    /// The environment variable with a worker's memory limit in bytes.
    package static let memoryVariable = "ALCEDO_MEMORY_LIMIT"

    package let socket: Int32

    /// Whether it may send descriptors, which a worker does not need.
    private let sendsDescriptors: Bool

    /// A worker's end at `socket`, which sends no descriptors; SIGPIPE has to be ignored.
    package init(ofWorker socket: Int32) { (self.socket, sendsDescriptors) = (socket, false) }

    private init(socket: Int32) { (self.socket, sendsDescriptors) = (socket, true) }

    /// Both ends; nil where the system has none.
    package static func pair() -> (Channel, Channel)? {
        var ends: [Int32] = [-1, -1]
        guard alcedo_channel(&ends) == 0 else { return nil }
        return (Channel(socket: ends[0]), Channel(socket: ends[1]))
    }

    package func close() { _ = Glibc.close(socket) }

    /// Sends a message with the bytes and the descriptor that belong to it.
    ///
    /// - Throws: ``Failure/closed``, also where the system has no memory for the message, or a worker does not read.
    package func send(
        _ message: Message,
        tail: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        descriptor: Int32? = nil
    ) throws(Failure) {
        precondition(tail.count <= Message.longestTail)
        let head = message.encoded(tailCount: tail.count)
        precondition(sendsDescriptors || descriptor == nil)
        let result = head.withUnsafeBytes {
            sendsDescriptors
                ? alcedo_send(
                    socket, $0.baseAddress, $0.count, tail.baseAddress, tail.count, descriptor ?? -1)
                : alcedo_send_bytes(socket, $0.baseAddress, $0.count, tail.baseAddress, tail.count)
        }
        guard result == 0 else { throw .closed }
    }

    /// Sends a message with the bytes that belong to it.
    package func send(_ message: Message, tail: [UInt8]) throws(Failure) {
        let result = tail.withUnsafeBytes { tail in
            Result { () throws(Failure) in try send(message, tail: tail) }
        }
        try result.get()
    }

    /// Waits for a message, and leaves its tail in `buffer`.
    ///
    /// `descriptor` receives the descriptor of the message, or -1; it is nil if none is allowed.
    package func receive(
        into buffer: MessageBuffer, descriptor: UnsafeMutablePointer<Int32>? = nil
    ) throws(Failure) -> Received {
        let bytes = buffer.bytes
        let count = alcedo_receive(socket, bytes.baseAddress, bytes.count, descriptor)
        guard count >= 0 else {
            throw errno == EBADMSG ? .invalid(reason: "its length or its descriptors are wrong") : .closed
        }
        guard count > 0 else { throw .closed }
        let received = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        guard let message = Message(received) else {
            if let descriptor, descriptor.pointee >= 0 { _ = Glibc.close(descriptor.pointee) }
            throw .invalid(reason: "its head is wrong")
        }
        let tail = UnsafeRawBufferPointer(rebasing: received[Message.byteCount...])
        return Received(message: message, tail: tail)
    }

    /// Whether something can be received, or the other end has been closed, within so many milliseconds.
    package func isReadable(within milliseconds: Int32) -> Bool {
        alcedo_wait_readable(socket, milliseconds) > 0
    }

    /// A message and the bytes after it, which are valid until the buffer is used again.
    package struct Received {
        package let message: Message
        package let tail: UnsafeRawBufferPointer
    }
}

/// Room for the largest message, for one thread at a time.
package final class MessageBuffer: Sendable {
    private static let byteCount = Message.byteCount + Message.longestTail
    private let address: UInt

    package init() {
        address = UInt(bitPattern: UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 16))
    }

    deinit { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }

    var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(bitPattern: address), count: Self.byteCount)
    }
}
