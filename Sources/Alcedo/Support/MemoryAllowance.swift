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
        groups.flatMap { group in (0...group.path.count).compactMap { limit(of: group.path[..<$0], group) } }
            .reduce(physical, min)
    }

    private struct Group {
        let mount: String
        let path: [Substring]
        let limitName: String
    }

    /// The process's groups: lines of `<number>:<controllers>:<path>`, in v2 `0::<path>`.
    private var groups: [Group] {
        text(of: "/proc/self/cgroup")?.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            let path = fields[2].split(separator: "/")
            if fields[1].isEmpty {
                return Group(mount: "/sys/fs/cgroup", path: path, limitName: "memory.max")
            }
            guard fields[1].split(separator: ",").contains("memory") else { return nil }
            return Group(mount: "/sys/fs/cgroup/memory", path: path, limitName: "memory.limit_in_bytes")
        } ?? []
    }

    /// Nil if there is no limit or no file: a container may not see its ancestors.
    private func limit(of path: ArraySlice<Substring>, _ group: Group) -> UInt64? {
        let folder = ([group.mount] + path.map(String.init)).joined(separator: "/")
        return text(of: folder + "/" + group.limitName)
            .flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    private func text(of path: String) -> String? {
        FileManager.default.contents(atPath: root + path).map { String(decoding: $0, as: UTF8.self) }
    }
}
