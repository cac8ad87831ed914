import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation
import FoundationNetworking

/// Keeps a configuration's cookie storage and the transport's jar in step.
///
/// The jar does the sending and receiving. What the program changes in the storage is carried over before a request,
/// and what servers set is carried back after a response. Both are done on a queue of the bridge's own, for what has
/// changed alone; where both sides have changed a cookie, the program's counts. Safe because the storage locks itself,
/// and the rest is behind locks.
final class CookieBridge: @unchecked Sendable {
    private struct Pending: Sendable {
        /// How many blocks are on the queue.
        var count = 0
        var hasServerChanges = false
        /// What waits for the next comparison.
        var actions: [@Sendable () -> Void] = []
    }

    let jar: CookieJar
    private let storage: HTTPCookieStorage
    private let queue = DispatchQueue(label: "alcedo.cookies")
    private let pending = Lock(Pending())

    /// Belongs to the queue, but for a look at what was last seen.
    private let comparison = Lock(CookieComparison())

    /// Keeps `jar` in step with a configuration's storage; nil where the configuration wants no cookies.
    init?(_ configuration: URLSessionConfiguration, jar: CookieJar = CookieJar(evictsAutomatically: false)) {
        guard configuration.httpShouldSetCookies, configuration.httpCookieAcceptPolicy != .never,
            let storage = configuration.httpCookieStorage
        else { return nil }
        self.storage = storage
        self.jar = jar
        let cookies = jar.cookies.compactMap(HTTPCookie.init)
        for cookie in cookies { storage.setCookie(cookie) }
        // Both have these: the program has changed none of them.
        if !cookies.isEmpty {
            comparison.withLock { _ = $0.carryOver(storage.cookies ?? [], to: jar) }
        }
    }

    /// Calls `action` once the jar has what the program has changed: at once if nothing has changed.
    func beforeRequest(_ action: @escaping @Sendable () -> Void) {
        let isBusy = pending.withLock { $0.count > 0 }
        if !isBusy {
            let stored = storage.cookies ?? []
            guard !comparison.withLock({ $0.hasSeen(stored) }) else { return action() }
        }
        compare(includingServerChanges: false, then: action)
    }

    /// Calls `action` once the storage has what a server has changed: at once if it has changed nothing.
    func afterResponse(_ response: TransportResponse, _ action: @escaping @Sendable () -> Void) {
        guard response.value(forHeader: "Set-Cookie") != nil else { return action() }
        compare(includingServerChanges: true, then: action)
    }

    /// Compares soon, for all who have asked for it until then.
    private func compare(includingServerChanges: Bool, then action: @escaping @Sendable () -> Void) {
        pending.withLock { pending in
            pending.count += 1
            pending.actions.append(action)
            if includingServerChanges { pending.hasServerChanges = true }
        }
        queue.async { [self] in
            let batch = pending.withLock { pending in
                defer { (pending.actions, pending.hasServerChanges) = ([], false) }
                return pending
            }
            if !batch.actions.isEmpty { compare(includingServerChanges: batch.hasServerChanges) }
            pending.withLock { $0.count -= 1 }
            for action in batch.actions { action() }
        }
    }

    private func compare(includingServerChanges: Bool) {
        var seen = comparison.withLock { $0 }
        if includingServerChanges {
            // The jar is read first, as that takes longer.
            let lines = jar.lines
            let own = seen.carryOver(storage.cookies ?? [], to: jar)
            seen.carryBack(lines, to: storage, except: own)
            seen.trim(jar, holding: lines.count, storage)
        }
        seen.carryOver(storage.cookies ?? [], to: jar)
        comparison.withLock { [seen] in $0 = seen }
    }
}
