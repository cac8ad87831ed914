import Foundation

/// Statistics of measured values.
extension [Double] {
    var median: Double { percentile(50) }

    func percentile(_ percent: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Int((Double(count - 1) * percent / 100).rounded())]
    }

    /// Median, 99th percentile and maximum.
    var summary: String {
        String(format: "median %.2f, 99 %% below %.2f, worst %.2f", median, percentile(99), self.max() ?? 0)
    }
}

/// The resource usage of the process.
enum Usage {
    /// The present resident memory in megabytes.
    static var residentMegabytes: Double {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
            .split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return (pages ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
    }

    /// The processor time of all threads in seconds.
    static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
