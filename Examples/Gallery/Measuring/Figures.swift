import Foundation

/// What a measurement says of many values.
extension [Double] {
    var median: Double { percentile(50) }

    func percentile(_ percent: Double) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Int((Double(count - 1) * percent / 100).rounded())]
    }

    /// Median, 99th percentile and worst.
    var summary: String {
        String(format: "median %.2f, 99 %% below %.2f, worst %.2f", median, percentile(99), self.max() ?? 0)
    }
}

/// What the process takes.
enum Usage {
    /// Megabytes of memory that are in use now.
    static var residentMegabytes: Double {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
            .split(separator: " ").dropFirst().first.flatMap { Double($0) }
        return (pages ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
    }

    /// Seconds of work so far, on all threads.
    static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
