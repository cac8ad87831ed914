import AlcedoLocks
import CEpoll
import Dispatch
import Glibc

/// The kernel's pressure stall information: a file that is urgent to read once tasks have waited too long for memory.
enum PressureStalls {
    /// Microseconds of stall within 2 s, the shortest window that a process without privileges may use.
    ///
    /// It may since Linux 6.5; earlier kernels reject the write, and stalls are then not watched.
    private static let triggers: [(text: String, level: MemoryPressureMonitor.Level)] = [
        ("some 200000 2000000", .warning), ("full 100000 2000000", .critical),
    ]

    /// Watches the process's own group or, if that is not permitted, the machine; none if neither is.
    static func watch(
        _ allowance: MemoryAllowance, on queue: DispatchQueue,
        _ onPressure: @escaping @Sendable (MemoryPressureMonitor.Level) -> Void
    ) -> [DispatchSourceHandle] {
        let own = allowance.unifiedGroups.prefix(1).map { $0 + "/memory.pressure" }
        let files = own + [allowance.root + "/proc/pressure/memory"]
        return triggers.compactMap { trigger in
            for file in files {
                let source = source(of: file, trigger.text, on: queue) { onPressure(trigger.level) }
                if let source { return source }
            }
            return nil
        }
    }

    /// A source of a trigger's events; nil if the kernel does not offer or permit it.
    private static func source(
        of path: String, _ trigger: String, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void
    ) -> DispatchSourceHandle? {
        let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        // Dispatch waits for ordinary input only. A set with the file in it has that when the file is urgent.
        let set = epoll_create1(O_CLOEXEC)
        var event = epoll_event(events: EPOLLPRI.rawValue, data: epoll_data_t(fd: file))
        // With its terminating zero, because the kernel overwrites the last byte with one.
        guard write(file, trigger, trigger.utf8.count + 1) >= 0, set >= 0,
            epoll_ctl(set, EPOLL_CTL_ADD, file, &event) == 0
        else {
            close(file)
            if set >= 0 { close(set) }
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: set, queue: queue)
        let handle = DispatchSourceHandle(value: source)
        source.setEventHandler {
            // The kernel clears the event when Dispatch looks at the set; only an error remains, of a removed group.
            var rest = epoll_event()
            let hasFailed = epoll_wait(set, &rest, 1, 0) > 0 && rest.events & EPOLLERR.rawValue != 0
            if hasFailed { handle.value.cancel() } else { action() }
        }
        source.setCancelHandler {
            close(set)
            close(file)
        }
        return handle
    }
}
