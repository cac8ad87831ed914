import Foundation

/// The number of processors that this process may use: fewer than the machine has where its affinity (`taskset`, a cpuset)
/// or a control group's quota says so.
package struct ProcessorCount: Sendable {
    /// How many threads keep those processors busy; read once.
    package static let usable = ProcessorCount().usable

    /// How many threads Swift's cooperative pool has, for which quotas don't count.
    package static let ofSwift = ProcessorCount().allowed

    /// The root of the file system; tests use another.
    var root = ""

    /// The machine's processors.
    var online = ProcessInfo.processInfo.activeProcessorCount

    /// The processors that the scheduler may give the process, at least 1.
    var allowed: Int {
        // Masks of 32 processors in hexadecimal, with commas between them.
        let status = ControlGroup.text(in: root + "/proc/self/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") } ?? ""
        let count = line.drop { $0 != ":" }.reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        return max(1, count > 0 ? min(count, online) : online)
    }

    /// The processors whose time the process may use, rounded up, at least 1.
    var usable: Int {
        let groups = ControlGroup.all(of: "cpu", root: root)
        let quotas = groups.flatMap { group in
            group.folders.compactMap { group.isUnified ? Self.quota(in: $0) : Self.formerQuota(in: $0) }
        }
        // More than the machine has fits no number of threads, and perhaps no `Int`.
        let shares = quotas.map { Int(min($0.rounded(.up), Double(online))) }
        return max(1, shares.reduce(allowed, min))
    }

    /// Version 2: microseconds in each period, or `max`, and the period.
    private static func quota(in folder: String) -> Double? {
        let fields = ControlGroup.text(in: folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace)
        guard let fields, fields.count == 2 else { return nil }
        return quota(Int(fields[0]), Int(fields[1]))
    }

    /// Version 1: two files, with -1 for no limit.
    private static func formerQuota(in folder: String) -> Double? {
        quota(
            ControlGroup.number(in: folder + "/cpu.cfs_quota_us"),
            ControlGroup.number(in: folder + "/cpu.cfs_period_us"))
    }

    private static func quota(_ time: Int?, _ period: Int?) -> Double? {
        guard let time, let period, time > 0, period > 0 else { return nil }
        return Double(time) / Double(period)
    }
}
