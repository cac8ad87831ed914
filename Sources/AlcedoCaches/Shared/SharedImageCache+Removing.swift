import AlcedoLocks
import Dispatch
import Foundation

/// When removals are tried again that the store has not confirmed.
struct SharedRetry {
    /// The longest pause, which is that of a circuit breaker.
    private static let longestPause = 30.0

    private var isScheduled = false
    private var pause = 2.0

    /// The seconds to wait; nil if a retry is scheduled.
    mutating func schedule() -> TimeInterval? {
        guard !isScheduled else { return nil }
        isScheduled = true
        defer { pause = min(pause * 2, Self.longestPause) }
        return jittered(pause, by: 0.25)
    }

    mutating func start() { isScheduled = false }

    mutating func reset() { pause = 2 }
}

extension SharedImageCache {
    /// How many removals may wait for the store; bounds the memory for them.
    package static let removalLimit = 65_536

    /// Stands for a new epoch in the queue; no digest is empty.
    private static let epochKey = ""

    /// Deletes values and their leases, so that no load that has begun before stores one; calls `then` once, with whether the
    /// store has confirmed that.
    ///
    /// Until it has, the removals are repeated, and this process takes the values for missing. If too many wait, all values are
    /// made unreachable instead, by a new epoch.
    package func remove(_ keys: [SharedKey], then: @escaping @Sendable (Bool) -> Void) {
        let isDelivered = Lock(true)
        // The program may block the thread.
        let ended = Countdown(from: keys.count) {
            DispatchQueue.global().async { then(isDelivered.withLock { $0 }) }
        }
        for key in keys {
            let step = state.withLock { state in
                state.removalCount += 1
                return state.removals.add(key) { isConfirmed in
                    if !isConfirmed { isDelivered.withLock { $0 = false } }
                    ended.step()
                }
            }
            switch step {
            case .delete: queueRemoval(of: key, replacesWrites: true)
            // The removals that wait in the queue find that they are done.
            case .raiseEpoch: queueEpoch()
            }
        }
    }

    /// Whether the store may still have one of these values that were removed.
    package func isRemoving(_ keys: [SharedKey]) -> Bool {
        state.withLock { state in keys.contains { state.removals.isRemoving($0) } }
    }

    /// Tries again to deliver what the store has not confirmed.
    ///
    /// A store that is left alone gets one removal, unless it `insists`.
    package func retryRemovals(insists: Bool = false) {
        let isSuspended = isSuspended
        let (keys, needsEpoch) = state.withLock { state in
            let failed = state.removals.failedKeys
            return (isSuspended && !insists ? Array(failed.prefix(1)) : failed, state.removals.needsEpoch)
        }
        if needsEpoch { queueEpoch() }
        // The writes that wait came later, with newer values.
        for key in keys { queueRemoval(of: key, replacesWrites: false) }
    }

    private func queueRemoval(of key: SharedKey, replacesWrites: Bool) {
        writes.appendRemoval(key.digest, replacesWrites: replacesWrites) { [self] in await deliver(key) }
    }

    private func queueEpoch() {
        writes.appendRemoval(Self.epochKey) { [self] in
            if (try? await bumpEpoch()) == nil { scheduleRetry() }
        }
    }

    private func deliver(_ key: SharedKey) async {
        guard let delivery = state.withLock({ $0.removals.start(key) }) else { return }
        let isDeleted = await delete(delivery)
        let (isDone, hasFailures) = state.withLock { state in
            if isDeleted { state.retry.reset() }
            let isDone = state.removals.end(delivery, isDelivered: isDeleted)
            return (isDone, state.removals.hasFailures)
        }
        guard let isDone else { return queueEpoch() }
        for waiter in delivery.waiters { waiter(isDone) }
        if hasFailures { scheduleRetry() }
    }

    /// Deletes the lease and the value from all nodes: one that does not respond may have a copy.
    ///
    /// Both are tried, because a failure of one node is no reason to leave the value to the others. A node that has confirmed an
    /// earlier attempt is left alone, as what it has now is newer than the removal, or is deleted once the lease is.
    private func delete(_ delivery: SharedRemovals.Delivery) async -> Bool {
        guard let prefix = await prefix(readAfter: delivery.calledAt) else { return false }
        let confirmations = delivery.confirmations
        let (lease, name) = (prefix.leaseName(of: delivery.key), prefix.name(of: delivery.key))
        let isUnleased = await delete(.lease(lease), confirmations)
        let isDeleted = await delete(isUnleased ? .valueAfterLease(name) : .value(name), confirmations)
        return isUnleased && isDeleted
    }

    /// Deletes from the nodes that have not confirmed it before; returns whether all have.
    private func delete(
        _ deletion: SharedConfirmations.Deletion, _ confirmations: SharedConfirmations
    ) async -> Bool {
        let nodes = store as? any SharedNodeStore
        let count = nodes?.nodeCount ?? 1
        let missing = confirmations.missing(deletion, of: count)
        guard !missing.isEmpty else { return true }
        await call(within: settings.writeTimeout.seconds) { store in
            if let nodes {
                try await nodes.deleteCopies(ofKey: deletion.name, from: missing) {
                    confirmations.add($0, deletion)
                }
            } else {
                try await store.delete(deletion.name)
                confirmations.add(0, deletion)
            }
        }
        return confirmations.missing(deletion, of: count).isEmpty
    }

    private func scheduleRetry() {
        guard let pause = state.withLock({ $0.retry.schedule() }) else { return }
        after(pause) { [weak self] in
            guard let self else { return }
            // A flush that tries before leaves the timer alone, so that there is one.
            state.withLock { $0.retry.start() }
            retryRemovals()
        }
    }
}
