import AlcedoLocks
package import AlcedoTransport
package import Foundation

/// What a lookup in a shared cache has found.
package enum SharedLookup: Sendable {
    case found(SharedValue, SharedKey)

    /// The source has failed a moment ago.
    case failedBefore(RememberedFailure)

    /// Nothing; with the right to store, unless the load asked for none.
    case missed(SharedFetch?)
}

/// What a machine does about a value that is out of date.
enum SharedReplacing: Sendable {
    /// Another machine has replaced it.
    case found(SharedValue)

    /// The source has failed a moment ago.
    case failedBefore(RememberedFailure)

    /// It loads a new one.
    case leads(SharedFetch)

    /// Nothing: another machine does it.
    case left
}

extension SharedImageCache {
    /// What a lookup is for.
    package struct Request: Sendable {
        /// The keys, of which the first that has a value counts.
        let keys: [SharedKey]

        /// Whether the load will store what it gets, so that it may lead the fleet or wait for another.
        let mayFetch: Bool

        /// The longest wait for another machine, in seconds.
        let wait: TimeInterval

        package init(keys: [SharedKey], mayFetch: Bool, wait: TimeInterval) {
            (self.keys, self.mayFetch, self.wait) = (keys, mayFetch, wait)
        }
    }

    private enum Reading {
        case value(SharedValue, SharedKey)
        case failure(RememberedFailure)
        case nothing(isLeased: Bool)
        case noResponse
    }

    /// Looks up values, and on a miss waits for the machine that loads them; calls `then` once, on a worker thread.
    ///
    /// Lookups of the same keys at the same time are one.
    package func find(_ request: Request, then: @escaping @Sendable (SharedLookup) -> Void) {
        let keys = (request.mayFetch ? "fetch " : "read ") + request.keys.map(\.digest).joined(separator: " ")
        let first = state.withLock { state -> String? in
            // One that began before a removal may have read what was removed.
            let lookup = "\(state.removalCount) \(keys)"
            state.lookups[lookup, default: []].append(then)
            return state.lookups[lookup]?.count == 1 ? lookup : nil
        }
        guard let lookup = first else { return }
        Task { [self] in
            let result = await look(request)
            let waiting = state.withLock { $0.lookups.removeValue(forKey: lookup) ?? [] }
            for then in waiting { WorkerPool.shared.submit { then(result) } }
        }
    }

    /// Reads a value that machines exchange among themselves: without a lease, and not counted as a lookup of an image.
    func note(forKey key: SharedKey) async -> SharedValue? {
        guard !isRemoving([key]), let prefix = await prefix(),
            case .value(let value, _) = await read([key], prefix, within: settings.lookupTimeout.seconds)
        else { return nil }
        return value
    }

    /// Gets the lease for loading values again that expire soon; calls `then` if no other machine has it.
    package func renew(_ keys: [SharedKey], then: @escaping @Sendable (SharedFetch) -> Void) {
        guard settings.leaseTime > .zero, fetch(of: keys) == nil else { return }
        Task { [self] in
            guard let prefix = await prefix() else { return }
            let token = Self.token()
            guard await lease(keys, prefix, token, within: settings.lookupTimeout.seconds) == true else {
                return
            }
            let fetch = SharedFetch(
                of: keys, in: self, prefix: prefix, right: .lease(token), isRenewal: true)
            // Another machine may have renewed them since this one's lookup.
            if case .value(let value, _) = await read(keys, prefix, within: settings.lookupTimeout.seconds),
                value.softExpiry > now()
            {
                return
            }
            count { $0.renewals += 1 }
            WorkerPool.shared.submit { then(fetch) }
        }
    }

    /// Gets the lease for replacing a value that is out of date, or the value that another machine has put in its place.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - wait: seconds to wait for a machine that has the lease; then the load goes on by itself. Nil leaves it to that machine.
    ///   - isCurrent: whether a value may be used.
    /// - Returns: what this machine does.
    func replacing(
        _ key: SharedKey, wait: TimeInterval?, unless isCurrent: @Sendable (SharedValue) async -> Bool
    ) async -> SharedReplacing {
        let keys = [key]
        // Without a lease: the value that is there must not prevent a new one.
        let unleased = SharedFetch(of: keys, in: self, right: .set)
        guard settings.leaseTime > .zero, !isRemoving(keys), let prefix = await prefix() else {
            return .leads(unleased)
        }
        if let own = fetch(of: keys) { return .leads(own) }
        let end = ContinuousClock.now + .seconds(wait ?? 0)
        var (pause, hasLost) = (0.025, false)
        while true {
            let token = Self.token()
            let isLeased = await lease(keys, prefix, token, within: settings.lookupTimeout.seconds)
            let fetch =
                isLeased == true
                ? SharedFetch(of: keys, in: self, prefix: prefix, right: .lease(token)) : unleased
            // Another machine may have replaced it since this one's lookup.
            switch await read(keys, prefix, within: settings.lookupTimeout.seconds) {
            case .value(let value, _): if await isCurrent(value) { return .found(value) }
            case .failure(let failure): return .failedBefore(failure)
            case .nothing, .noResponse: break
            }
            if isLeased == true {
                count { $0.leasesWon += 1 }
                return .leads(join(fetch))
            }
            guard isLeased == false else { return .leads(unleased) }
            if !hasLost { count { $0.leasesLost += 1 } }
            hasLost = true
            guard wait != nil else { return .left }
            // A cancelled task does not sleep, and would ask the store without a pause.
            guard end.secondsLeft > 0, !Task.isCancelled else {
                count { $0.leasesTimedOut += 1 }
                return .leads(unleased)
            }
            // A machine that fails gives its lease to the next one.
            try? await Task.sleep(for: .seconds(min(jittered(pause, by: 0.5), end.secondsLeft)))
            pause = min(pause * 1.5, 0.2)
        }
    }

    private func look(_ request: Request) async -> SharedLookup {
        let keys = request.keys
        // What the store may still have is removed, so it is neither read nor in the way of a new value.
        guard !isRemoving(keys) else {
            count { $0.misses += 1 }
            return .missed(request.mayFetch ? join(SharedFetch(of: keys, in: self, right: .set)) : nil)
        }
        let deadline = ContinuousClock.now + settings.lookupTimeout
        guard let prefix = await prefix() else {
            count { $0.misses += 1 }
            return missed(request, nil)
        }
        switch await read(keys, prefix, within: deadline.secondsLeft) {
        case .value(let value, let key): return found(value, key)
        case .failure(let failure): return found(failure)
        case .noResponse:
            count { $0.misses += 1 }
            return missed(request, prefix)
        case .nothing: count { $0.misses += 1 }
        }
        guard request.mayFetch else { return .missed(nil) }
        if let own = fetch(of: keys) { return .missed(own) }
        guard settings.leaseTime > .zero else { return missed(request, prefix) }
        let token = Self.token()
        switch await lease(keys, prefix, token, within: deadline.secondsLeft) {
        case true?:
            let fetch = SharedFetch(of: keys, in: self, prefix: prefix, right: .lease(token))
            // The one before may have stored its value and given its lease back since the first look.
            switch await read(keys, prefix, within: deadline.secondsLeft) {
            case .value(let value, let key): return found(value, key)
            case .failure(let failure): return found(failure)
            case .nothing, .noResponse: break
            }
            count { $0.leasesWon += 1 }
            return .missed(join(fetch))
        case false?:
            count { $0.leasesLost += 1 }
            return await wait(for: request, prefix)
        case nil: return missed(request, prefix)
        }
    }

    /// Waits until another machine has stored a value, has given up, or the time is over.
    private func wait(for request: Request, _ prefix: SharedPrefix) async -> SharedLookup {
        let end = ContinuousClock.now + .seconds(request.wait)
        var pause = 0.025
        var hasEnded = false
        while !hasEnded, end.secondsLeft > 0 {
            try? await Task.sleep(for: .seconds(min(jittered(pause, by: 0.5), end.secondsLeft)))
            pause = min(pause * 1.5, 0.2)
            switch await read(request.keys, prefix, lease: true, within: settings.lookupTimeout.seconds) {
            case .value(let value, let key): return found(value, key)
            case .failure(let failure): return found(failure)
            case .nothing(isLeased: true): break
            case .nothing(isLeased: false), .noResponse: hasEnded = true
            }
        }
        // The value may have been stored between the two reads of the last look.
        switch await read(request.keys, prefix, within: hasEnded ? settings.lookupTimeout.seconds : 0) {
        case .value(let value, let key): return found(value, key)
        case .failure(let failure): return found(failure)
        case .nothing, .noResponse: break
        }
        count { $0.leasesTimedOut += 1 }
        return missed(request, prefix)
    }

    /// A miss without a lease.
    private func missed(_ request: Request, _ prefix: SharedPrefix?) -> SharedLookup {
        guard request.mayFetch else { return .missed(nil) }
        return .missed(join(SharedFetch(of: request.keys, in: self, prefix: prefix, right: .add)))
    }

    private func found(_ value: SharedValue, _ key: SharedKey) -> SharedLookup {
        count { $0.hits += 1 }
        return .found(value, key)
    }

    private func found(_ failure: RememberedFailure) -> SharedLookup {
        count { $0.negativeHits += 1 }
        return .failedBefore(failure)
    }

    private func lease(
        _ keys: [SharedKey], _ prefix: SharedPrefix, _ token: Data, within seconds: TimeInterval
    ) async -> Bool? {
        let (name, expiry) = (prefix.leaseName(of: keys[0]), settings.leaseTime.seconds.wholeSeconds)
        return await call(within: seconds) { try await $0.add(token, forKey: name, expiringAfter: expiry) }
    }

    static func token() -> Data { Data((0..<16).map { _ in UInt8.random(in: .min ... .max) }) }

    // MARK: - Read

    private func read(
        _ keys: [SharedKey], _ prefix: SharedPrefix, lease: Bool = false, within seconds: TimeInterval
    ) async -> Reading {
        let leaseName = prefix.leaseName(of: keys[0])
        let names = keys.map(prefix.name(of:)) + (lease ? [leaseName] : [])
        let values = await call(within: seconds) { store in
            names.count == 1
                ? try await store.value(forKey: names[0]).map { [names[0]: $0] } ?? [:]
                : try await store.values(forKeys: names)
        }
        guard let values else { return .noResponse }
        let isLeased = values[leaseName] != nil
        guard keys.contains(where: { values[prefix.name(of: $0)] != nil }) else {
            return .nothing(isLeased: isLeased)
        }
        // Authentication takes up to 2 ms a megabyte.
        let reading = OneShot<Reading?, Never>()
        WorkerPool.shared.submit(priority: 1) { [self] in
            for key in keys {
                let name = prefix.name(of: key)
                guard let bytes = values[name], let value = open(bytes, key, name: name) else { continue }
                let result: Reading = value.failure.map { .failure($0) } ?? .value(value, key)
                return reading.finish(.success(result))
            }
            reading.finish(.success(nil))
        }
        return await reading.value() ?? .nothing(isLeased: isLeased)
    }

    /// The value in `bytes`; nil if it has expired, or is wrong and therefore deleted.
    private func open(_ bytes: Data, _ key: SharedKey, name: String) -> SharedValue? {
        count { $0.receivedBytes += bytes.count }
        guard
            let value = try? SharedValue(
                bytes, name: name, secrets: settings.secrets.isEmpty ? [Data()] : settings.secrets),
            value.kind == .failure || value.kind == key.kind.value
        else {
            count { $0.wrongValues += 1 }
            discard(key, name: name)
            return nil
        }
        return value.expiry > now() ? value : nil
    }
}

extension SharedKey.Kind {
    fileprivate var value: SharedValue.Kind {
        switch self {
        case .original: .original
        case .image: .image
        }
    }
}

extension TimeInterval {
    /// For a store: rounded up, at least 1, and 68 years for more.
    var wholeSeconds: Int { Int(Swift.min(Swift.max(1, rounded(.up)), Double(Int32.max))) }
}

extension ContinuousClock.Instant {
    /// Seconds until then; negative afterwards.
    fileprivate var secondsLeft: TimeInterval { (self - .now) / .seconds(1) }
}
