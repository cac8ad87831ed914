// What the samples use of packages that Alcedo does not depend on, under the packages' names.

/// Of swift-log.
struct Logger: Sendable {
    typealias Metadata = [String: String]

    let label: String

    func debug(_ message: String, metadata: Metadata) {}
    func warning(_ message: String, metadata: Metadata) {}
    func error(_ message: String, metadata: Metadata) {}
}

/// Of swift-metrics: the module.
enum Metrics {
    struct Counter {
        let label: String
        let dimensions: [(String, String)]

        func increment() {}
    }

    struct Timer {
        let label: String
        let dimensions: [(String, String)]

        func recordSeconds(_ duration: Double) {}
    }
}
