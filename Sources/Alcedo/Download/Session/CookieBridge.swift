import AlcedoLocks
import AlcedoTransport
import Dispatch
import Foundation
import FoundationNetworking

/// Synchronizes a configuration's cookie storage with the transport's jar.
///
/// The transport uses the jar. The program's changes of the storage are copied to the jar before a request, and servers'
/// changes to the storage after a response, both on the bridge's queue. If both have changed a cookie, the program's
/// change is kept. Safe because the storage is thread-safe, and the rest is behind locks.
final class CookieBridge: @unchecked Sendable {
    private struct Pending: Sendable {
        /// Blocks on the queue.
        var count = 0
        var hasServerChanges = false
        /// Called after the next comparison.
        var actions: [@Sendable () -> Void] = []
    }

    let jar: CookieJar
    private let storage: HTTPCookieStorage
    private let queue = DispatchQueue(label: "alcedo.cookies")
    private let pending = Lock(Pending())

    /// Changed on the queue only; other threads read whether the storage is unchanged.
    private let comparison = Lock(CookieComparison())

    /// Synchronizes `jar` with a configuration's storage; nil if the configuration has none, or disables cookies.
    init?(_ configuration: URLSessionConfiguration, jar: CookieJar = CookieJar(evictsAutomatically: false)) {
        guard configuration.httpShouldSetCookies, configuration.httpCookieAcceptPolicy != .never,
            let storage = configuration.httpCookieStorage
        else { return nil }
        self.storage = storage
        self.jar = jar
        let cookies = jar.cookies.compactMap(HTTPCookie.init)
        for cookie in cookies { storage.setCookie(cookie) }
        // Both have these cookies, so they are no changes of the program's.
        if !cookies.isEmpty {
            comparison.withLock { _ = $0.copyChanges(storage.cookies ?? [], to: jar) }
        }
    }

    /// Calls `action` once the jar has the program's changes: at once if there are none.
    func beforeRequest(_ action: @escaping @Sendable () -> Void) {
        let isBusy = pending.withLock { $0.count > 0 }
        if !isBusy {
            let stored = storage.cookies ?? []
            guard !comparison.withLock({ $0.hasSeen(stored) }) else { return action() }
        }
        compare(includingServerChanges: false, then: action)
    }

    /// Calls `action` once the storage has the response's changes: at once if there are none.
    func afterResponse(_ response: TransportResponse, _ action: @escaping @Sendable () -> Void) {
        guard response.value(forHeader: "Set-Cookie") != nil else { return action() }
        compare(includingServerChanges: true, then: action)
    }

    /// Schedules a comparison; all actions until it runs share it.
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
            // The jar is read first, because that takes longer.
            let lines = jar.lines
            let own = seen.copyChanges(storage.cookies ?? [], to: jar)
            seen.copyServerChanges(lines, to: storage, except: own)
            seen.evictExcess(jar, holding: lines.count, storage)
        }
        seen.copyChanges(storage.cookies ?? [], to: jar)
        comparison.withLock { [seen] in $0 = seen }
    }
}
