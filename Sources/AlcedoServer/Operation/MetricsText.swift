/// Prometheus' text format.
struct MetricsText {
    private let prefix: String
    private(set) var text = ""

    init(namespace: String) { prefix = namespace.isEmpty ? "" : namespace + "_" }

    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "counter")
        text += "\(prefix)\(name) \(value)\n"
    }

    /// A metric that every program has: without the prefix, so that one rule is for all.
    mutating func process(_ name: String, _ help: String, _ type: String, _ value: Double) {
        let isWhole = value == value.rounded() && abs(value) < 1e15
        text += "# HELP process_\(name) \(help)\n# TYPE process_\(name) \(type)\n"
        text += "process_\(name) \(isWhole ? "\(Int(value))" : "\(value)")\n"
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        head(name, help, "gauge")
        text += "\(prefix)\(name) \(value)\n"
    }

    mutating func counters(_ name: String, _ help: String, _ label: String, _ values: [(String, Int)]) {
        counters(name, help, [label], values.map { ([$0.0], $0.1) })
    }

    /// Counters by the values of several labels.
    mutating func counters(
        _ name: String, _ help: String, _ labels: [String], _ values: [([String], Int)]
    ) {
        head(name, help, "counter")
        lines(name, labels, values)
    }

    mutating func gauges(
        _ name: String, _ help: String, _ labels: [String], _ values: [([String], Int)]
    ) {
        head(name, help, "gauge")
        lines(name, labels, values)
    }

    private mutating func lines(_ name: String, _ labels: [String], _ values: [([String], Int)]) {
        for (values, count) in values.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
            line(name, zip(labels, values).map { "\($0)=\"\(Self.escaped($1))\"" }, "\(count)")
        }
    }

    /// A label's value: names of hosts come from URLs.
    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\", "\"": text += "\\\(character)"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    mutating func histograms(
        _ name: String, _ help: String, _ label: String?, _ all: [(String, Histogram)]
    ) {
        head(name, help, "histogram")
        for (value, histogram) in all {
            let labels = label.map { "\($0)=\"\(value)\"" }
            var count = 0
            for (bound, more) in zip(Histogram.bounds, histogram.counts) {
                count += more
                line("\(name)_bucket", [labels, "le=\"\(bound)\""], "\(count)")
            }
            line("\(name)_bucket", [labels, "le=\"+Inf\""], "\(histogram.total)")
            line("\(name)_sum", [labels], "\(histogram.sum)")
            line("\(name)_count", [labels], "\(histogram.total)")
        }
    }

    private mutating func line(_ name: String, _ labels: [String?], _ value: String) {
        let labels = labels.compactMap(\.self)
        text += "\(prefix)\(name)\(labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") \(value)\n"
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(prefix)\(name) \(help)\n# TYPE \(prefix)\(name) \(type)\n"
    }
}
