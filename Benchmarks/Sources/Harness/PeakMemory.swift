import Foundation

/// The most memory that this process has had resident, in bytes; 0 where the system does not tell.
public func peakMemory() -> Int { memory("VmHWM:") }

/// The memory that this process has resident now, in bytes; 0 where the system does not tell.
public func residentMemory() -> Int { memory("VmRSS:") }

private func memory(_ name: String) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
        let kilobytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    else { return 0 }
    return (Int(kilobytes) ?? 0) << 10
}
