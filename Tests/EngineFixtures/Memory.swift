import Foundation
import Testing

/// The most memory that this process has had resident, which no test can share with others.
enum Memory {
    static func growth(_ body: () -> Void) -> Int {
        // Forgets what loading the tests took; where the system refuses, as much more growth passes.
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = peak
        body()
        return peak - before
    }

    static func check(_ bytes: Int, below limit: Int) {
        if bytes >= limit * shadow { fail("\(bytes) bytes, allowed are \(limit)") }
    }

    static func fail(_ reason: String) -> Never {
        Issue.record("\(reason)")
        exit(EXIT_FAILURE)
    }

    /// A sanitizer's notes on each byte are resident too: two to three bytes for one.
    private static let shadow = dlsym(nil, "__tsan_init") ?? dlsym(nil, "__asan_init") == nil ? 1 : 4

    /// VmHWM of proc_pid_status(5).
    private static var peak: Int {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let kilobytes = status?.firstMatch(of: /VmHWM:\s*(\d+) kB/)?.1 else {
            fail("no VmHWM")
        }
        return (Int(kilobytes) ?? 0) << 10
    }
}
