import AlcedoLocks
import Foundation

/// The mounted file systems: files of one hang together.
package struct MountTable {
    private struct Mount {
        let path: String

        /// The device's number, which all mounts of a file system have in common.
        let device: String

        /// Whether its files hang together: it waits for a server, another program or a disk of its own.
        let hangsAsWhole: Bool

        func contains(_ file: String) -> Bool {
            path == "/"
                || file.utf8.starts(with: path.utf8)
                    && file.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
        }
    }

    private let mounts: [Mount]

    /// Reads the text of `/proc/self/mountinfo`.
    package init(_ text: String) {
        let mounts = text.split(separator: "\n").compactMap { line -> Mount? in
            let fields = line.split(separator: " ")
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else {
                return nil
            }
            let (path, type) = (Self.unescaped(fields[4]), String(fields[dash + 1]))
            return Mount(
                path: path, device: String(fields[2]),
                hangsAsWhole: Self.isRemote(type) || path != "/" && !Self.isInMemory(type))
        }
        // Many machines have none, and then no path needs a look at the others.
        self.mounts = mounts.contains(where: \.hangsAsWhole) ? mounts : []
    }

    /// What hangs with the file at `path`: its file system if that is remote or not the root's; otherwise its folder.
    ///
    /// The path is not resolved, because that may hang. So files behind a link count as those of the link's folder.
    package func volume(of path: String) -> String {
        var nearest: Mount?
        for mount in mounts
        where mount.contains(path) && mount.path.utf8.count >= nearest?.path.utf8.count ?? 0 {
            nearest = mount
        }
        if let nearest, nearest.hangsAsWhole { return nearest.device }
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private static func isRemote(_ type: String) -> Bool {
        let types: Set = [
            "9p", "afs", "autofs", "beegfs", "ceph", "cifs", "fuse", "fuseblk", "gfs2", "gpfs", "lustre",
            "nfs",
            "nfs4", "ocfs2", "prl_fs", "smb3", "vboxsf", "virtiofs", "vmhgfs",
        ]
        return types.contains(type) || type.hasPrefix("fuse.")
    }

    /// Whether it has no disk that may hang.
    private static func isInMemory(_ type: String) -> Bool {
        [
            "bpf", "cgroup", "cgroup2", "debugfs", "devpts", "devtmpfs", "hugetlbfs", "mqueue", "proc",
            "ramfs",
            "securityfs", "sysfs", "tmpfs", "tracefs",
        ].contains(type)
    }

    /// A field with its octal escapes replaced, as `\040` for a space.
    private static func unescaped(_ field: Substring) -> String {
        var (bytes, rest) = ([UInt8](), field.utf8[...])
        while let byte = rest.popFirst() {
            let code = byte == UInt8(ascii: "\\") ? UInt8(String(rest.prefix(3)) ?? "", radix: 8) : nil
            if code != nil { rest = rest.dropFirst(3) }
            bytes.append(code ?? byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - The table of this process

extension MountTable {
    private struct Kept {
        var table = MountTable("")

        /// The open `/proc/self/mountinfo`; negative before.
        var descriptor: Int32 = -1

        /// The device and the inode of the open file.
        var identity: Identity?
    }

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

        /// Nil if the descriptor is closed.
        init?(of descriptor: Int32) {
            var attributes = stat()
            guard fstat(descriptor, &attributes) == 0 else { return nil }
            (device, inode) = (attributes.st_dev, attributes.st_ino)
        }
    }

    private static let kept = Lock(Kept())

    /// The present table, read again only after changes; that waits for no file system.
    static var current: MountTable {
        kept.withLock { kept in
            // A program that closes all descriptors, as some do after `fork`, may have another file in its place.
            if kept.identity == nil || kept.identity != Identity(of: kept.descriptor) {
                // The former number is not closed: it may be that file's.
                kept.descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
                kept.identity = Identity(of: kept.descriptor)
            } else {
                // The kernel signals a change of the mounts as a priority event (proc(5)).
                var changes = pollfd(fd: kept.descriptor, events: Int16(POLLPRI), revents: 0)
                guard poll(&changes, 1, 0) != 0 else { return kept.table }
            }
            kept.table = MountTable(text(of: kept.descriptor))
            return kept.table
        }
    }

    private static func text(of descriptor: Int32) -> String {
        lseek(descriptor, 0, SEEK_SET)
        var (text, part) = ([UInt8](), [UInt8](repeating: 0, count: 16 << 10))
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += part[..<count]
        }
    }
}
