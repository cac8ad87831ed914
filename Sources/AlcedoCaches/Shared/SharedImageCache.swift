import AlcedoLocks
import AlcedoPixels
import AlcedoTransport
import Dispatch
public import Foundation
import Synchronization

/// A cache that several machines share: the tier between the disk caches of each and the sources.
///
/// Set as ``ImageCache/sharedCache``. A load looks it up after memory and disk; a hit fills both. What a load gets from its
/// source is stored in the background. Of all machines that miss the same image, one loads it and the others wait for it
/// a moment. A store that fails or hangs delays a load by at most ``SharedCacheSettings/lookupTimeout``, is left alone after
/// repeated failures, and fails no load. Thread-safe.
public final class SharedImageCache: Sendable {
    struct State {
        var breaker = CircuitBreaker(
            CircuitBreaker.Limits {
                // For the store as a whole: failures don't count while a node of a SharedNodeStore is usable.
                ($0.consecutiveFailures, $0.window, $0.failuresInWindow) = (10, 40, 20)
            })
        var counts = SharedCacheCounts()

        /// Calls of the store that have not returned, timed-out ones included.
        var calls = 0

        var removalCount = 0

        /// Those that the store has not confirmed.
        var removals: SharedRemovals
        var retry = SharedRetry()

        /// What lookups that run will call, by the keys that they look for and the removals before them.
        var lookups: [String: [@Sendable (SharedLookup) -> Void]] = [:]

        /// Loads of this process that others may join, by digest.
        var fetches: [String: WeakFetch] = [:]
    }

    public let store: any SharedImageStore

    public let settings: SharedCacheSettings

    let state: Lock<State>
    let writes: SharedWriteQueue
    let epochs: SharedEpoch
    package let now: @Sendable () -> Date
    private let isReported = Atomic(false)

    /// The breaker's time: since any fixed moment, unaffected by changes of the system's clock.
    private let uptime: @Sendable () -> Duration

    /// Makes a shared cache over a store.
    public convenience init(
        _ store: any SharedImageStore, settings: SharedCacheSettings = SharedCacheSettings()
    ) {
        self.init(store, settings: settings, now: { Date() })
    }

    package init(
        _ store: any SharedImageStore, settings: SharedCacheSettings, now: @escaping @Sendable () -> Date,
        uptime: (@Sendable () -> Duration)? = nil, removalLimit: Int = SharedImageCache.removalLimit
    ) {
        state = Lock(State(removals: SharedRemovals(limit: removalLimit)))
        (self.store, self.settings, self.now) = (store, settings, now)
        self.uptime = uptime ?? { [start = ContinuousClock.now] in ContinuousClock.now - start }
        writes = SharedWriteQueue(countLimit: settings.queuedWriteLimit, byteLimit: settings.queuedByteLimit)
        epochs = SharedEpoch(settings.epoch)
    }

    /// What it has done so far.
    public var counts: SharedCacheCounts { state.withLock { $0.counts } }

    /// Whether the store is left alone for the moment, because it has failed often.
    ///
    /// Failures of a `MemcachedStore` with several servers count only while it uses none of them.
    public var isSuspended: Bool { state.withLock { $0.breaker.state != .closed } }

    /// Makes all values that the fleet has stored so far unreachable, on each machine within 5 s; returns the new epoch.
    ///
    /// Memory and disk caches keep their images. Removals that the store has not confirmed are done by this.
    ///
    /// - Throws: ``SharedCacheError``.
    @discardableResult
    public func bumpEpoch() async throws(SharedCacheError) -> Int {
        let raise = state.withLock { $0.removals.startRaise() }
        let result: Result<Int, SharedCacheError>
        do throws(SharedCacheError) { result = .success(try await raiseEpoch()) } catch {
            result = .failure(error)
        }
        let isRaised = (try? result.get()) != nil
        for waiter in state.withLock({ $0.removals.end(raise, isRaised: isRaised) }) { waiter(isRaised) }
        return try result.get()
    }

    private func raiseEpoch() async throws(SharedCacheError) -> Int {
        guard settings.epoch == .stored else { throw .epochIsFixed }
        let start = ContinuousClock.now
        let name = SharedPrefix.epochName(namespace: settings.namespace)
        let seconds = settings.writeTimeout.seconds
        guard let copies = await call(within: seconds, { try await $0.copies(ofKey: name) })
        else { throw .noResponse }
        // The node with the highest may be away.
        let next = max(SharedEpoch.highest(of: copies) ?? 0, await epochs.highestSeen) + 1
        let isSet: Void? = await call(within: seconds) {
            try await $0.setCopies(Data("\(next)".utf8), forKey: name)
        }
        guard isSet != nil else { throw .noResponse }
        await epochs.raise(to: next, calledAt: start)
        return next
    }

    /// Waits until the writes and removals of earlier calls and loads have ended, successfully or not, and the leases of loads
    /// that have ended are given back.
    ///
    /// Removals that the store has not confirmed are tried again.
    ///
    /// - Parameter time: the longest time to wait.
    /// - Throws: the number of removals that the store has not confirmed.
    public func flush(within time: Duration = .seconds(10)) async throws(CacheFlushError) {
        let result = OneShot<Void, CacheFlushError>()
        flush(within: time) { undelivered in
            let error = CacheFlushError(pendingCount: undelivered, pendingBytes: 0)
            result.finish(undelivered > 0 ? .failure(error) : .success(()))
        }
        try await result.value()
    }

    /// `then` gets how many of the removals before are not confirmed.
    func flush(within time: Duration, then: @escaping @Sendable (Int) -> Void) {
        retryRemovals(insists: true)
        waitForQueue(within: time.seconds, then: then)
    }

    /// As ``flush(within:then:)``, without trying removals again.
    package func waitForQueue(within seconds: TimeInterval, then: @escaping @Sendable (Int) -> Void) {
        let last = state.withLock { $0.removals.last }
        let end = OnceCallback<Void> { [self] _ in
            then(state.withLock { $0.removals.undelivered(upTo: last) })
        }
        writes.whenDone { end.call(()) }
        after(seconds) { end.call(()) }
    }
}

/// Why a call for a ``SharedImageCache`` has failed.
@nonexhaustive
public enum SharedCacheError: Error, Equatable {
    /// The settings have a fixed epoch.
    case epochIsFixed

    /// The store failed, or did not respond in time.
    case noResponse

    /// The store, or one of its servers, has not confirmed a removal; it is tried again.
    case removalPending
}

extension SharedCacheError: LocalizedError, CustomStringConvertible {
    public var description: String {
        switch self {
        case .epochIsFixed: "Could not raise the epoch of the shared cache: its settings have a fixed one."
        case .noResponse:
            "Could not raise the epoch of the shared cache: the store failed or did not respond in time."
        case .removalPending:
            "Could not remove an image from the shared cache: a server failed or did not respond in time. It is tried again."
        }
    }

    public var errorDescription: String? { description }
}

// MARK: - Calls

/// A call of a store took too long.
private struct SharedStoreTimeout: Error, CustomStringConvertible {
    let seconds: TimeInterval
    var description: String { "no response within \((seconds * 1000).rounded() / 1000) s" }
}

extension SharedImageCache {
    /// Calls the store; nil if that fails, takes too long, or is left out.
    func call<Value: Sendable>(
        within seconds: TimeInterval,
        _ body: @escaping @Sendable (any SharedImageStore) async throws -> Value
    ) async -> Value? {
        guard seconds > 0, mayCall() else { return nil }
        let result = OneShot<Value, any Error>()
        // One of several nodes is the library's, and has threads of its own.
        let threads = store is any SharedNodeStore ? nil : ProgramThreads.stores
        let task = Task(executorPreference: threads) { [self] in
            do { result.finish(.success(try await body(store))) } catch { result.finish(.failure(error)) }
            state.withLock { $0.calls -= 1 }
        }
        // Of several nodes, some may have responded.
        if store is any SharedNodeStore { after(seconds * 0.9) { task.cancel() } }
        after(seconds) {
            result.finish(.failure(SharedStoreTimeout(seconds: seconds)))
            task.cancel()
        }
        do {
            let value = try await result.value()
            state.withLock { $0.breaker.succeed() }
            return value
        } catch {
            report(error)
            return nil
        }
    }

    private func mayCall() -> Bool {
        let now = uptime()
        return state.withLock { state in
            guard state.calls < settings.callLimit, state.breaker.request(at: now) != .denied else {
                state.counts.skipped += 1
                return false
            }
            state.calls += 1
            return true
        }
    }

    private func report(_ error: any Error) {
        let now = uptime()
        let isOfNode = (store as? any SharedNodeStore)?.hasUsableNode == true
        let isSkipped = (error as? any SharedStoreError)?.isSkipped == true
        state.withLock { state in
            if isOfNode { state.breaker.ignore(at: now) } else { state.breaker.fail(at: now) }
            if isSkipped { state.counts.skipped += 1 } else { state.counts.failures += 1 }
        }
        guard !isReported.exchange(true, ordering: .relaxed) else { return }
        var reason = "\(error)"
        if reason.hasSuffix(".") { reason.removeLast() }
        Diagnostic.sharedCacheFailed(reason: reason).send()
    }

    func count(_ change: (inout SharedCacheCounts) -> Void) { state.withLock { change(&$0.counts) } }

    /// What names start with; nil if the epoch is unknown, or is to be raised.
    ///
    /// With a moment, the epoch is one that was read after it.
    func prefix(readAfter moment: ContinuousClock.Instant? = nil) async -> SharedPrefix? {
        let name = SharedPrefix.epochName(namespace: settings.namespace)
        guard state.withLock({ !$0.removals.needsEpoch }) else { return nil }
        let epoch = await epochs.value(readAfter: moment) { [self] in
            let copies = await call(within: settings.lookupTimeout.seconds) {
                try await $0.copies(ofKey: name)
            }
            guard let copies else { return nil }
            let highest = SharedEpoch.highest(of: copies) ?? 0
            if highest > 0, copies.contains(where: { SharedEpoch.highest(of: [$0]) != highest }) {
                // A node has lost it, or was away when it was raised.
                Task { [self] in
                    await call(within: settings.writeTimeout.seconds) {
                        try await $0.setCopies(Data("\(highest)".utf8), forKey: name)
                    }
                }
            }
            return highest
        }
        return epoch.map { SharedPrefix(namespace: settings.namespace, epoch: $0) }
    }
}
