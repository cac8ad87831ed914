import Foundation

/// What a measurement is told on its command line: a name, then `key=value` pairs.
public struct Arguments: Sendable {
    /// Which measurement to make.
    public let work: String

    private let values: [String: String]

    /// Reads the process's own command line.
    public init() {
        let words = CommandLine.arguments.dropFirst()
        work = words.first ?? ""
        let pairs = words.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        values = Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
    }

    /// A value that has to be there; the process ends without it.
    public func callAsFunction(_ key: String) -> String {
        guard let value = values[key] else { fail("\(work) needs \(key)=…") }
        return value
    }

    /// A whole number, or what to take without it.
    public func number(_ key: String, default fallback: Int) -> Int {
        values[key].flatMap { Int($0) } ?? fallback
    }

    /// A value that may be absent.
    public func optional(_ key: String) -> String? { values[key] }
}

/// Says why there is no measurement, and ends the process.
public func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data((reason + "\n").utf8))
    exit(1)
}
