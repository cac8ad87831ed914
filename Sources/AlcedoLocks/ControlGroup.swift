import Foundation

/// A control group of this process, such as a container's or a systemd service's, that limits a resource.
package struct ControlGroup: Sendable {
    /// Whether it is one of version 2, which has one tree for all resources.
    package let isUnified: Bool

    /// Its folder and those of its ancestors, whose limits apply as well, up to the root; its own first.
    ///
    /// A container may not see all of them.
    package let folders: [String]

    /// Finds the groups that may limit a resource.
    ///
    /// - Parameters:
    ///   - controller: the resource in version 1: `cpu` or `memory`.
    ///   - root: the root of the file system; tests use another.
    /// - Returns: one of each version at most.
    package static func all(of controller: String, root: String = "") -> [ControlGroup] {
        // Lines of `<number>:<controllers>:<path>`, in version 2 `0::<path>`.
        let lines = text(in: root + "/proc/self/cgroup")?.split(separator: "\n") ?? []
        return lines.compactMap { line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            let isUnified = fields[1].isEmpty
            guard isUnified || fields[1].split(separator: ",").contains(Substring(controller)) else {
                return nil
            }
            let mount = "\(root)/sys/fs/cgroup" + (isUnified ? "" : "/\(controller)")
            let path = fields[2].split(separator: "/").map(String.init)
            let folders = (0...path.count).reversed().map {
                ([mount] + path[..<$0]).joined(separator: "/")
            }
            return ControlGroup(isUnified: isUnified, folders: folders)
        }
    }

    /// The text of a file of the kernel; nil if it can't be read.
    package static func text(in file: String) -> String? {
        FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number that a file starts with; nil if there is none, as in "max".
    package static func number(in file: String) -> Int? {
        text(in: file).flatMap { Int($0.prefix { !$0.isWhitespace }) }
    }
}
