import AlcedoLocks
import Dispatch
package import Foundation
import Glibc

/// Reports whether there is a network.
package protocol NetworkMonitoring: Sendable {
    var isConnected: Bool { get }

    /// Calls `then` once: with true when there is a network and it has changed since the caller checked, with false after
    /// `seconds`.
    @discardableResult
    func waitForConnection(
        wasConnected: Bool, atMost seconds: TimeInterval?, then: @escaping NetworkWait.Handler
    ) -> NetworkWait
}

/// One wait for the network; cancelling it releases its handler.
package final class NetworkWait: Sendable {
    package typealias Handler = @Sendable (_ wait: NetworkWait, _ isConnected: Bool) -> Void

    private let handler: Lock<Handler?>
    private let ending = Cancellation()

    package init(_ handler: @escaping Handler) { self.handler = Lock(handler) }

    package var isFinished: Bool { handler.withLock { $0 == nil } }

    package func cancel() { _ = take() }

    package func end(isConnected: Bool) { take()?(self, isConnected) }

    /// Calls `block` when the wait ends, before its handler; now if it has ended.
    func whenFinished(_ block: @escaping @Sendable () -> Void) { ending.whenCancelled(block) }

    private func take() -> Handler? {
        let handler = handler.withLock { $0.take() }
        ending.cancel()
        return handler
    }
}

/// Reports whether an interface other than loopback is up and has a routable address.
///
/// Changes come from a routing socket (rtnetlink(7)), which is open while there are waits. If the socket can't be opened,
/// the interfaces are polled every second.
package final class NetworkMonitor: NetworkMonitoring {
    package static let shared = NetworkMonitor()

    private struct State {
        var waits: [NetworkWait] = []
        var source: DispatchSourceHandle?

        /// False if the wait has ended.
        mutating func add(_ wait: NetworkWait) -> Bool {
            guard !wait.isFinished else { return false }
            waits.append(wait)
            return true
        }
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "alcedo.network")

    package var isConnected: Bool { Self.hasAddress() }
    package var waitCount: Int { state.withLock { $0.waits.count } }

    @discardableResult
    package func waitForConnection(
        wasConnected: Bool,
        atMost seconds: TimeInterval?,
        then: @escaping NetworkWait.Handler
    ) -> NetworkWait {
        let wait = NetworkWait(then)
        let timer = seconds.map { seconds in
            OneShotTimer(after: seconds, on: queue) { wait.end(isConnected: false) }
        }
        wait.whenFinished { [self, weak wait] in
            timer?.cancel()
            state.withLock { $0.waits.removeAll { $0 === wait } }
            queue.async { [self] in closeIfUnused() }
        }
        queue.async { [self] in
            guard state.withLock({ $0.add(wait) }) else { return }
            listen()
            // After `listen()`, for a network that has come since the caller checked.
            if !wasConnected { changed() }
        }
        return wait
    }

    // MARK: - On the queue

    private func listen() {
        guard state.withLock({ $0.source == nil }) else { return }
        let source = Self.changes(on: queue) ?? Self.everySecond(on: queue)
        source.setEventHandler { [self] in
            Self.drain(source)
            changed()
        }
        state.withLock { $0.source = DispatchSourceHandle(value: source) }
        source.activate()
    }

    private func changed() {
        guard isConnected else { return }
        for wait in state.withLock({ $0.waits.unshared }) { wait.end(isConnected: true) }
    }

    private func closeIfUnused() {
        let source = state.withLock { state -> DispatchSourceHandle? in
            guard state.waits.isEmpty else { return nil }
            defer { state.source = nil }
            return state.source
        }
        source?.value.cancel()
    }
}

// MARK: - The kernel

extension NetworkMonitor {
    private static func hasAddress() -> Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        // If the kernel does not report interfaces, a retry is the only test.
        guard getifaddrs(&list) == 0 else { return true }
        defer { freeifaddrs(list) }
        let needed = UInt32(IFF_UP | IFF_RUNNING)
        return sequence(first: list) { $0?.pointee.ifa_next }.prefix { $0 != nil }.contains { entry in
            guard let entry, let address = entry.pointee.ifa_addr else { return false }
            let flags = entry.pointee.ifa_flags
            guard flags & needed == needed, flags & UInt32(IFF_LOOPBACK) == 0 else { return false }
            return isRoutable(address)
        }
    }

    /// Whether an address is IPv4 or IPv6 and not link-local.
    private static func isRoutable(_ address: UnsafePointer<sockaddr>) -> Bool {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            // 169.254.0.0/16; the address is in network byte order.
            let bytes = UnsafeRawPointer(address).load(as: sockaddr_in.self).sin_addr.s_addr
            return bytes & UInt32(0xffff).littleEndian != UInt32(0xfea9).littleEndian
        case AF_INET6:
            // fe80::/10.
            let first = UnsafeRawPointer(address).load(as: sockaddr_in6.self).sin6_addr.__in6_u.__u6_addr8
            return !(first.0 == 0xfe && first.1 & 0xc0 == 0x80)
        default:
            return false
        }
    }

    /// Fires when links, addresses or routes change; nil if the socket can't be opened.
    private static func changes(on queue: DispatchQueue) -> (any DispatchSourceProtocol)? {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_NETLINK, kind, 0)
        guard descriptor >= 0 else { return nil }
        // A sockaddr_nl, which Swift's Glibc lacks: family, padding, port, and as groups RTMGRP_LINK, IPV4_IFADDR,
        // IPV4_ROUTE, IPV6_IFADDR and IPV6_ROUTE.
        var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, 0x551)
        let length = socklen_t(MemoryLayout.size(ofValue: address))
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        return source
    }

    /// Discards the kernel's messages, which would make the source fire again: that there are some says all.
    private static func drain(_ source: any DispatchSourceProtocol) {
        guard let source = source as? any DispatchSourceRead else { return }
        var buffer = [UInt8](repeating: 0, count: 8192)
        while recv(Int32(source.handle), &buffer, buffer.count, 0) > 0 {}
    }

    private static func everySecond(on queue: DispatchQueue) -> any DispatchSourceProtocol {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1)
        return timer
    }
}
