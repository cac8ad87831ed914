import AlcedoWaiting
import Glibc

/// Messages from other threads to the server's thread: a queue, and a pipe to poll.
final class Mailbox: Sendable {
    enum Message: Sendable {
        /// A gate has admitted the reply on this connection.
        case resume(connection: Int)
        case stop
    }

    /// Readable if there is a message.
    let descriptor: Int32
    private let writeEnd: Int32
    private let messages = Monitor<[Message]>([])

    init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (descriptor, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writeEnd)
    }

    func post(_ message: Message) {
        let wasEmpty = messages.update { messages in
            messages.append(message)
            return messages.count == 1
        }
        guard wasEmpty else { return }
        var byte: UInt8 = 0
        write(writeEnd, &byte, 1)
    }

    func takeAll() -> [Message] {
        var bytes: UInt64 = 0
        read(descriptor, &bytes, 8)
        return messages.update { messages in
            defer { messages = [] }
            return messages
        }
    }
}
