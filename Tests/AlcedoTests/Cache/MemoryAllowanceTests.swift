import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

struct `The memory that a process may use` {
    let root: TemporaryDirectory
    let allowance: MemoryAllowance

    init() throws {
        root = try TemporaryDirectory()
        allowance = MemoryAllowance(root: root.path, physical: 8000)
    }

    private func write(_ text: String, to path: String) throws {
        let file = root.file(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `a process may use the machine's memory where no control group has a limit`() throws {
        #expect(allowance.bytes == 8000)
        try write("nonsense\n:\n0::/\n4:memory:/\n", to: "proc/self/cgroup")
        try write("max\n", to: "sys/fs/cgroup/memory.max")
        try write("9223372036854771712\n", to: "sys/fs/cgroup/memory/memory.limit_in_bytes")
        #expect(allowance.bytes == 8000)
    }

    @Test func `a process may use the memory of its container's limit`() throws {
        try write("0::/\n", to: "proc/self/cgroup")
        try write("3000\n", to: "sys/fs/cgroup/memory.max")
        #expect(allowance.bytes == 3000)
    }

    @Test(arguments: ["system.slice", "system.slice/a.service", ""])
    func `a process may use the smallest memory limit on the way to its group`(limited: String) throws {
        try write("0::/system.slice/a.service\n", to: "proc/self/cgroup")
        for path in ["system.slice", "system.slice/a.service"] {
            try write("max\n", to: "sys/fs/cgroup/\(path)/memory.max")
        }
        try write("7000\n", to: "sys/fs/cgroup/system.slice/memory.max")
        try write("2000\n", to: "sys/fs/cgroup/\(limited)/memory.max")
        #expect(allowance.bytes == 2000)
    }

    @Test func `a memory limit of cgroup v1 is found though the container can't see its own folder`() throws {
        try write("9:cpu,cpuacct:/other\n4:memory,hugetlb:/docker/3f:a\n0::/x\n", to: "proc/self/cgroup")
        try write("1\n", to: "sys/fs/cgroup/memory/other/memory.limit_in_bytes")
        try write("4096\n", to: "sys/fs/cgroup/memory/memory.limit_in_bytes")
        #expect(allowance.bytes == 4096)
        try write("4095\n", to: "sys/fs/cgroup/memory/docker/3f:a/memory.limit_in_bytes")
        #expect(allowance.bytes == 4095)
    }

    @Test func `a new memory cache may hold a quarter of the machine's memory at most`() {
        #expect(FileManager.default.contents(atPath: "/proc/self/cgroup")?.isEmpty == false)
        let limit = MemoryStorage.Config.quarterOfMemory.totalCostLimit
        #expect(limit > 0 && UInt64(limit) <= MemoryAllowance().physical / 4)
    }
}
