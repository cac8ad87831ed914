import AlcedoLocks

/// Sends a ``Diagnostic`` for each setting of Foundation's types that has no effect, once in a process.
package enum IgnoredSettings {
    private static let sent = Lock<Set<String>>([])

    package static func report(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics where sent.withLock({ $0.insert(diagnostic.description).inserted }) {
            diagnostic.send()
        }
    }
}
