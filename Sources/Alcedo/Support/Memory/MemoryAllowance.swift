import AlcedoLocks
import Foundation

/// The memory that this process may use: the machine's, or the limit of a cgroup (a container, a systemd service).
///
/// A limit applies to all groups below it, so all ancestors are read, in cgroup v2 and v1.
struct MemoryAllowance {
    /// The root of the file system; tests use another.
    var root = ""

    /// The machine's memory in bytes.
    var physical = ProcessInfo.processInfo.physicalMemory

    /// The smaller of the machine's memory and all limits.
    var bytes: UInt64 {
        groups.flatMap { group in
            let name = group.isUnified ? "/memory.max" : "/memory.limit_in_bytes"
            return group.folders.compactMap {
                ControlGroup.number(in: $0 + name).flatMap(UInt64.init(exactly:))
            }
        }
        // Version 1 reports a huge number for no limit.
        .reduce(physical, min)
    }

    /// The folders of the process's control groups of version 2, its own first, up to the root.
    var unifiedGroups: [String] { groups.first(where: \.isUnified)?.folders ?? [] }

    private var groups: [ControlGroup] { ControlGroup.all(of: "memory", root: root) }

    /// The numbers in a file with a name and a number on each line.
    static func numbers(in file: String) -> [String: Int] {
        let fields = (ControlGroup.text(in: file) ?? "").split(separator: "\n").map {
            $0.split(separator: " ")
        }
        return fields.reduce(into: [:]) { numbers, line in
            if line.count == 2, let number = Int(line[1]) { numbers[String(line[0])] = number }
        }
    }
}
