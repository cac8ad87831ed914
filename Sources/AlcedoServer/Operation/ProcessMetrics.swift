import Foundation
import Glibc

/// What the system knows about this process, under the names that Prometheus' own clients use.
struct ProcessMetrics: Sendable, Equatable {
    /// User and system time in seconds.
    var processorSeconds = 0.0
    var residentBytes = 0
    var virtualBytes = 0
    /// Unix time.
    var startSeconds = 0.0
    var openDescriptors = 0
    var mostDescriptors = 0

    /// This process now.
    init() {
        let stat = (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? ""
        // Not by /proc/stat, which ProcSubset=pid hides.
        read(stat: stat, booted: Self.seconds(CLOCK_REALTIME) - Self.seconds(CLOCK_BOOTTIME))
        // One of them is that of the folder itself.
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        openDescriptors = max(0, (names?.count ?? 0) - 1)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        mostDescriptors = Int(clamping: limit.rlim_cur)
    }

    /// A process by the text of `/proc/PID/stat` (proc(5)), and the system's start in Unix time.
    init(stat: String, booted: Double) { read(stat: stat, booted: booted) }

    private mutating func read(stat: String, booted: Double) {
        // The second field is the program's name, which may have spaces and parentheses.
        guard let name = stat.lastIndex(of: ")") else { return }
        let fields = stat[name...].split(separator: " ").dropFirst().map { Int($0) ?? 0 }
        guard fields.count > 21 else { return }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        // By the numbers of proc(5), of which the list here starts with 3.
        func field(_ number: Int) -> Int { fields[number - 3] }
        processorSeconds = Double(field(14) + field(15)) / ticks
        virtualBytes = field(23)
        residentBytes = field(24) * sysconf(Int32(_SC_PAGESIZE))
        startSeconds = booted + Double(field(22)) / ticks
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Adds the metrics.
    func write(to text: inout MetricsText) {
        text.process("cpu_seconds_total", "Processor time in seconds.", .counter, processorSeconds)
        text.process("resident_memory_bytes", "Resident memory.", .gauge, Double(residentBytes))
        text.process("virtual_memory_bytes", "Virtual memory.", .gauge, Double(virtualBytes))
        text.process("start_time_seconds", "Unix time of the start.", .gauge, startSeconds)
        text.process("open_fds", "Open descriptors.", .gauge, Double(openDescriptors))
        text.process("max_fds", "Descriptors that may be open.", .gauge, Double(mostDescriptors))
    }
}
