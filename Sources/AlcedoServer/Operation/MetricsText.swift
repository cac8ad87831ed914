/// The values of all metrics, for Prometheus and for a collector of OpenTelemetry.
struct MetricsText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    enum Value {
        case whole(Int)
        case decimal(Double)
        case histogram(Histogram)
    }

    struct Point {
        let labels: [(name: String, value: String)]
        let value: Value
    }

    struct Family {
        let name: String
        let help: String
        let kind: Kind
        let points: [Point]
    }

    private let prefix: String
    private(set) var families: [Family] = []

    init(namespace: String) { prefix = namespace.isEmpty ? "" : namespace + "_" }

    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        add(name, help, .counter, [Point(labels: [], value: .whole(value))])
    }

    /// A metric that every program has: without the prefix, so that one rule is for all.
    mutating func process(_ name: String, _ help: String, _ kind: Kind, _ value: Double) {
        let isWhole = value == value.rounded() && abs(value) < 1e15
        let value = isWhole ? Value.whole(Int(value)) : .decimal(value)
        families.append(
            Family(
                name: "process_\(name)", help: help, kind: kind, points: [Point(labels: [], value: value)]))
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        add(name, help, .gauge, [Point(labels: [], value: .whole(value))])
    }

    mutating func counters(_ name: String, _ help: String, _ label: String, _ values: [(String, Int)]) {
        counters(name, help, [label], values.map { ([$0.0], $0.1) })
    }

    /// Counters by the values of several labels.
    mutating func counters(
        _ name: String, _ help: String, _ labels: [String], _ values: [([String], Int)]
    ) {
        add(name, help, .counter, Self.points(labels, values))
    }

    mutating func gauges(
        _ name: String, _ help: String, _ labels: [String], _ values: [([String], Int)]
    ) {
        add(name, help, .gauge, Self.points(labels, values))
    }

    mutating func histograms(
        _ name: String, _ help: String, _ label: String?, _ all: [(String, Histogram)]
    ) {
        add(
            name, help, .histogram,
            all.map { value, histogram in
                Point(labels: label.map { [($0, value)] } ?? [], value: .histogram(histogram))
            })
    }

    private mutating func add(_ name: String, _ help: String, _ kind: Kind, _ points: [Point]) {
        families.append(Family(name: prefix + name, help: help, kind: kind, points: points))
    }

    private static func points(_ labels: [String], _ values: [([String], Int)]) -> [Point] {
        values.sorted { $0.0.lexicographicallyPrecedes($1.0) }
            .map { values, count in
                Point(labels: zip(labels, values).map { ($0, $1) }, value: .whole(count))
            }
    }
}

extension MetricsText {
    /// Prometheus' text format.
    var text: String {
        var text = ""
        for family in families {
            text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            for point in family.points { Self.write(point, of: family.name, to: &text) }
        }
        return text
    }

    private static func write(_ point: Point, of name: String, to text: inout String) {
        let labels = point.labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
        func line(_ suffix: String, _ labels: [String], _ value: String) {
            text += "\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}") \(value)\n"
        }
        switch point.value {
        case .whole(let value): line("", labels, "\(value)")
        case .decimal(let value): line("", labels, "\(value)")
        case .histogram(let histogram):
            var count = 0
            for (bound, more) in zip(Histogram.bounds, histogram.counts) {
                count += more
                line("_bucket", labels + ["le=\"\(bound)\""], "\(count)")
            }
            line("_bucket", labels + ["le=\"+Inf\""], "\(histogram.total)")
            line("_sum", labels, "\(histogram.sum)")
            line("_count", labels, "\(histogram.total)")
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
}
