import AlcedoLocks

/// Whether the desktop reports a constrained network, for downloaders without a setting of their own.
package enum DesktopNetwork {
    private static let state = Lock<(@Sendable () -> Bool)?>(nil)

    /// Returns whether the network is constrained; nil if no toolkit has set it.
    package static var isConstrained: (@Sendable () -> Bool)? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
