import AlcedoTestSupport
import Foundation

/// Replies that are made when they are first requested, off the server's thread.
///
/// A request for one that is not ready waits for it, and is then redirected to the same URL.
final class PreparedReplies: Sendable {
    private struct Entry {
        let gate = Gate()
        var reply: Reply?
    }

    private let entries = Monitor<[String: Entry]>([:])
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        return queue
    }()

    /// The reply for `target` by the name `key`, which `make` makes.
    func reply(
        for key: String, target: String, make: @escaping @Sendable () throws -> Reply
    ) -> Reply {
        let (entry, isNew) = entries.update { entries in
            if let entry = entries[key] { return (entry, false) }
            let entry = Entry()
            entries[key] = entry
            return (entry, true)
        }
        if let reply = entry.reply { return reply }
        if isNew {
            queue.addOperation { [entries] in
                let reply = (try? make()) ?? Reply.status(500)
                entries.update { $0[key]?.reply = reply }
                entry.gate.open()
            }
        }
        return Reply.redirect(to: target).hold(.head, until: entry.gate)
    }
}
