import AlcedoLocks
import Dispatch
import Glibc

/// Events of the process's control groups of version 2: one has reached its limit or a process in it was killed.
///
/// A group also reaches its limit by files that it reads, which the kernel drops first: `inactive_file` does not count.
enum ControlGroupEvents {
    /// Percent of a limit that are a warning, and that are critical.
    private static let warning = 85.0, critical = 95.0

    /// A source that is not resumed; nil without such groups.
    static func watch(
        _ allowance: MemoryAllowance, on queue: DispatchQueue,
        _ onPressure: @escaping @Sendable (MemoryPressureMonitor.Level) -> Void
    ) -> DispatchSourceHandle? {
        let notifications = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard notifications >= 0 else { return nil }
        let groups = allowance.unifiedGroups.filter {
            inotify_add_watch(notifications, $0 + "/memory.events", UInt32(IN_MODIFY)) >= 0
        }
        guard !groups.isEmpty else {
            close(notifications)
            return nil
        }
        let lastKills = Lock(groups.map(kills(in:)))
        let source = DispatchSource.makeReadSource(fileDescriptor: notifications, queue: queue)
        source.setEventHandler {
            drain(notifications)
            let new = groups.map(kills(in:))
            let old = lastKills.withLock { exchange(&$0, with: new) }
            let hasKilled = zip(new, old).contains { $0 > $1 }
            let highest = groups.map(usage(of:)).max() ?? 0
            if hasKilled || highest >= critical {
                onPressure(.critical)
            } else if highest >= warning {
                onPressure(.warning)
            }
        }
        source.setCancelHandler { close(notifications) }
        return DispatchSourceHandle(value: source)
    }

    /// Discards the notifications, which only say that a file has changed.
    private static func drain(_ notifications: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(notifications, buffer.baseAddress, buffer.count) > 0 {}
        }
    }

    /// How often the kernel has ended a process for lack of memory.
    private static func kills(in group: String) -> Int {
        MemoryAllowance.numbers(in: group + "/memory.events")["oom_kill"] ?? 0
    }

    /// The percent of its limit that a group uses; 0 without a limit.
    private static func usage(of group: String) -> Double {
        let limits = ["/memory.high", "/memory.max"].compactMap { ControlGroup.number(in: group + $0) }
        let current = ControlGroup.number(in: group + "/memory.current")
        guard let limit = limits.min(), limit > 0, let current else { return 0 }
        let files = MemoryAllowance.numbers(in: group + "/memory.stat")["inactive_file"] ?? 0
        return Double(current - files) / Double(limit) * 100
    }
}
