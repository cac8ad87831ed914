import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import AlcedoLocks

struct `The processors that a process may use` {
    let root: TemporaryDirectory
    var count = ProcessorCount()

    init() throws {
        root = try TemporaryDirectory()
        count.root = root.path
        count.online = 128
    }

    private func write(_ text: String, to path: String) throws {
        let file = root.file(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `a process may use the machine's processors where nothing says less`() throws {
        #expect((count.allowed, count.usable) == (128, 128))
        try write("Name:\tx\nCpus_allowed:\t?\n", to: "proc/self/status")
        try write("nonsense\n0::/\n4:cpu,cpuacct:/\n", to: "proc/self/cgroup")
        try write("max 100000\n", to: "sys/fs/cgroup/cpu.max")
        try write("-1\n", to: "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
        try write("100000\n", to: "sys/fs/cgroup/cpu/cpu.cfs_period_us")
        #expect((count.allowed, count.usable) == (128, 128))
    }

    @Test(arguments: [
        ("f", 4), ("00000000,00000000,00000000,80000001", 2), ("5,00000000", 2),
        ("ffffffff,ffffffff,ffffffff,ffffffff,ffffffff", 128), ("0", 128),
    ])
    func `a process may use the processors of its affinity`(mask: String, expected: Int) throws {
        try write(
            "Name:\tx\nCpus_allowed:\t\(mask)\nCpus_allowed_list:\t0-127\nMems_allowed:\t1\n",
            to: "proc/self/status")
        #expect((count.allowed, count.usable) == (expected, expected))
    }

    @Test(arguments: [
        ("200000 100000", 2), ("150000 100000", 2), ("1000 100000", 1), ("12900000 100000", 128),
        ("9223372036854775807 1", 128), ("0 100000", 128), ("100000 0", 128), ("100000", 128),
    ])
    func `a process may use its container's processor quota, rounded up`(quota: String, expected: Int) throws
    {
        try write("0::/\n", to: "proc/self/cgroup")
        try write(quota + "\n", to: "sys/fs/cgroup/cpu.max")
        #expect((count.allowed, count.usable) == (128, expected))
    }

    @Test(arguments: ["system.slice", "system.slice/a.service", ""])
    func `a process may use the smallest processor quota on the way to its group`(limited: String) throws {
        try write("0::/system.slice/a.service\n", to: "proc/self/cgroup")
        for path in ["system.slice", "system.slice/a.service"] {
            try write("700000 100000\n", to: "sys/fs/cgroup/\(path)/cpu.max")
        }
        try write("300000 100000\n", to: "sys/fs/cgroup/\(limited)/cpu.max")
        #expect(count.usable == 3)
    }

    @Test
    func `a processor quota of cgroup v1 is found though the container can't see its own folder`() throws {
        try write("9:cpuset:/a\n4:cpu,cpuacct:/docker/3f:a\n0::/x\n", to: "proc/self/cgroup")
        try write("400000\n", to: "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
        try write("100000\n", to: "sys/fs/cgroup/cpu/cpu.cfs_period_us")
        #expect(count.usable == 4)
        try write("50000\n", to: "sys/fs/cgroup/cpu/docker/3f:a/cpu.cfs_quota_us")
        try write("20000\n", to: "sys/fs/cgroup/cpu/docker/3f:a/cpu.cfs_period_us")
        #expect(count.usable == 3)
    }

    @Test func `a process may use the lesser of its affinity and its quota of processors`() throws {
        try write("Cpus_allowed:\t7\n", to: "proc/self/status")
        try write("0::/\n", to: "proc/self/cgroup")
        try write("200000 100000\n", to: "sys/fs/cgroup/cpu.max")
        #expect((count.allowed, count.usable) == (3, 2))
        try write("400000 100000\n", to: "sys/fs/cgroup/cpu.max")
        #expect((count.allowed, count.usable) == (3, 3))
    }

    @Test func `the worker pool has a thread for each usable processor, and one more`() {
        #expect(WorkerPool.shared.threadCount == ProcessorCount.usable + 1)
    }
}
