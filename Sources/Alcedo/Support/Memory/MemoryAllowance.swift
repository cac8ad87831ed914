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

    /// The folders of the process's control groups of version 2, its own first, up to the root.
    var unifiedGroups: [String] {
        guard let group = groups.first(where: { $0.limitName == "memory.max" }) else { return [] }
        return (0...group.path.count).reversed().map { root + folder(of: group.path[..<$0], group) }
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
        text(of: folder(of: path, group) + "/" + group.limitName)
            .flatMap { UInt64($0.prefix { !$0.isWhitespace }) }
    }

    private func folder(of path: ArraySlice<Substring>, _ group: Group) -> String {
        ([group.mount] + path.map(String.init)).joined(separator: "/")
    }

    private func text(of path: String) -> String? { Self.text(in: root + path) }
}

// MARK: - Files of the kernel

extension MemoryAllowance {
    private static func text(in file: String) -> String? {
        FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number in a file; nil if there is none, as in "max".
    static func number(in file: String) -> Int? {
        text(in: file).flatMap { Int($0.prefix { !$0.isWhitespace }) }
    }

    /// The numbers in a file with a name and a number on each line.
    static func numbers(in file: String) -> [String: Int] {
        let fields = (text(in: file) ?? "").split(separator: "\n").map { $0.split(separator: " ") }
        return fields.reduce(into: [:]) { numbers, line in
            if line.count == 2, let number = Int(line[1]) { numbers[String(line[0])] = number }
        }
    }
}
