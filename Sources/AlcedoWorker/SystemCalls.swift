import CSeccomp
import Glibc

/// The system calls that a worker may make, with which arguments, enforced by the kernel for all its threads; any
/// other kills it.
///
/// Names that an architecture does not have are left out for it. The list was tried on x86-64; for aarch64 it follows the
/// documentation and is untested.
struct SystemCalls {
    let readsFiles: Bool

    /// Memory, threads, time, and reading and writing open descriptors; with any arguments.
    ///
    /// None sends a descriptor, so the program gets none: `sendmsg` is missing.
    private static let allowed = [
        "munmap", "brk", "set_robust_list", "rseq", "rt_sigprocmask", "rt_sigaction", "rt_sigreturn",
        "sigaltstack", "gettid", "getpid", "getrandom", "sched_yield", "sysinfo", "uname", "read",
        "write",
        "readv", "writev", "pread64", "recvmsg", "poll", "ppoll", "close", "fstat", "lseek",
        "gettimeofday",
        "time", "nanosleep", "restart_syscall", "getrusage", "getuid", "geteuid", "getgid", "getegid",
        "exit",
        "exit_group",
    ]

    /// Calls that libraries try and can do without; they fail with an error.
    private static let denied: [(error: Int32, names: [String])] = [
        // The flags of clone3 are in memory, which a filter can't read; without it the C library calls clone.
        (ENOSYS, ["clone3", "statx", "faccessat2", "membarrier", "futex_waitv"]),
        (ENOTTY, ["ioctl"]),
        (
            EPERM,
            [
                "setpriority", "set_mempolicy", "get_mempolicy", "mbind", "sched_setscheduler",
                "sched_setaffinity", "sched_getparam", "sched_getscheduler", "memfd_create", "ftruncate",
                "truncate", "prlimit64", "getrlimit", "setrlimit", "pipe2", "eventfd2",
            ]
        ),
    ]

    private static let openings = ["open", "openat"]
    private static let lookups = [
        "access", "faccessat", "stat", "lstat", "newfstatat", "readlink", "readlinkat", "getdents64",
        "statfs",
        "fstatfs", "fadvise64", "getcwd",
    ]

    private typealias Filter = scmp_filter_ctx

    /// Installs the filter; false if the kernel does not support it.
    func restrict() -> Bool {
        // SCMP_ACT_KILL_PROCESS
        guard let filter = seccomp_init(0x8000_0000) else { return false }
        defer { seccomp_release(filter) }
        // The list is for this architecture's numbers. TSYNC: for the thread, too, that waits for the channel's end.
        guard seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, 0x8000_0000) == 0,
            seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0,
            addRules(to: filter)
        else { return false }
        return seccomp_load(filter) == 0
    }

    private func addRules(to filter: Filter) -> Bool {
        var rules = Self.allowed.map { Rule($0) }
        for (error, names) in Self.denied { rules += names.map { Rule($0, failsWith: error) } }
        rules += Self.memory + Self.threads + Self.clocks + Self.descriptors + files
        return rules.allSatisfy { $0.add(to: filter) }
    }

    // MARK: - Arguments

    private static var memory: [Rule] {
        let executable = UInt64(PROT_EXEC)
        // Memory that stays in memory, or is taken from a pool of the system's: MAP_LOCKED, MAP_HUGETLB.
        let (locked, huge): (UInt64, UInt64) = (0x2000, 0x40000)
        // The program counts what is resident. Of shared memory without a file, pages stay when they are not resident
        // any more.
        let (shared, anonymous) = (UInt64(MAP_SHARED), UInt64(MAP_ANONYMOUS))
        // Memory is never code.
        let rules = [
            Rule("mmap", if: [.bits(2, executable, are: 0), .bits(3, locked | huge | shared, are: 0)]),
            Rule("mmap", if: [.bits(2, executable, are: 0), .bits(3, locked | huge | anonymous, are: 0)]),
            Rule("mmap", failsWith: EPERM, if: [.bits(3, shared | anonymous, are: shared | anonymous)]),
            Rule("mmap", failsWith: EPERM, if: [.bits(2, executable, are: executable)]),
            Rule("mmap", failsWith: EPERM, if: [.bits(3, locked, are: locked)]),
            Rule("mmap", failsWith: EPERM, if: [.bits(3, huge, are: huge)]),
            Rule("mprotect", if: [.bits(2, executable, are: 0)]),
            Rule("mprotect", failsWith: EPERM, if: [.bits(2, executable, are: executable)]),
            // MREMAP_MAYMOVE and MREMAP_FIXED.
            Rule("mremap", if: [.bits(3, ~3, are: 0)]),
        ]
        // What says how memory will be used or frees it, for this process only.
        let advice = [0, 1, 2, 3, 4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 22, 23, 102, 103]
        // MADV_REMOVE also empties what the program shares, MADV_MERGEABLE compares pages of processes; MADV_HWPOISON
        // and MADV_SOFT_OFFLINE take pages from the system. MADV_COLD and MADV_PAGEOUT have them swapped, where the
        // program does not count them.
        let harmful = [9, 12, 13, 20, 21, 100, 101]
        return rules + advice.map { Rule("madvise", if: [.number(2, $0)]) }
            + harmful.map { Rule("madvise", failsWith: EPERM, if: [.number(2, $0)]) }
    }

    private static var threads: [Rule] {
        // What the C library's threads have: CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID,
        // CHILD_CLEARTID, and DETACHED, which has no meaning any more. CLONE_THREAD makes it no process.
        let (thread, flags): (UInt64, UInt64) = (0x10000, 0x7d_0f00)
        let rules = [
            Rule("clone", if: [.bits(0, ~flags | thread, are: thread)]),
            // PR_SET_NAME and PR_GET_NAME.
            Rule("prctl", if: [.number(0, 15)]),
            Rule("prctl", if: [.number(0, 16)]),
            // Signals to its own threads, as when it aborts.
            Rule("tgkill", if: [.number(0, Int(getpid()))]),
            // Only of the calling thread.
            Rule("sched_getaffinity", if: [.number(0, 0)]),
            Rule("sched_getaffinity", failsWith: EPERM, if: [.isNot(0, 0)]),
        ]
        // Waiting, waking and locks, private or not, by any clock; Swift's locks have the PI variants (6, 7, 8, 13).
        // Not FUTEX_FD, and not those that move waiters to a PI lock, with their history of holes.
        let operations = [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 13]
        let modifiers: UInt64 = 128 | 256
        return rules
            + operations.map { Rule("futex", if: [.bits(1, 0xFFFF_FFFF & ~modifiers, are: UInt64($0))]) }
    }

    private static var clocks: [Rule] {
        ["clock_gettime", "clock_getres", "clock_nanosleep"].flatMap { name in
            [
                // The system's clocks and those of this process and thread; a clock of another process has a negative
                // number.
                Rule(name, if: [.bits(0, 0xFFFF_FFF0, are: 0)]),
                Rule(name, failsWith: EINVAL, if: [.bits(0, 0x8000_0000, are: 0x8000_0000)]),
            ]
        }
    }

    private static var descriptors: [Rule] {
        // F_DUPFD, F_GETFD, F_SETFD, F_GETFL and F_DUPFD_CLOEXEC. Not F_SETOWN and F_SETSIG, with which the kernel
        // would send any signal to any process of the user; nor seals, leases and locks on what the program and other
        // programs have open.
        let commands = [0, 1, 2, 3, 1030]
        // F_SETFL and POSIX locks, which libraries may try.
        let rejected = [4, 5, 6, 7]
        return commands.map { Rule("fcntl", if: [.number(1, $0)]) }
            + rejected.map { Rule("fcntl", failsWith: EPERM, if: [.number(1, $0)]) }
    }

    private var files: [Rule] {
        guard readsFiles else {
            return (Self.openings + Self.lookups).map { Rule($0, failsWith: EPERM) }
        }
        let writing = UInt64(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)
        var rules = [
            Rule("open", if: [.bits(1, writing, are: 0)]),
            Rule("openat", if: [.bits(2, writing, are: 0)]),
        ]
        for bit in [O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND].map({ UInt64($0) }) {
            rules.append(Rule("open", failsWith: EPERM, if: [.bits(1, bit, are: bit)]))
            rules.append(Rule("openat", failsWith: EPERM, if: [.bits(2, bit, are: bit)]))
        }
        return rules + Self.lookups.map { Rule($0) }
    }

    private struct Rule {
        private let name: String
        private let action: UInt32
        private let conditions: [scmp_arg_cmp]

        init(_ name: String, failsWith error: Int32? = nil, if conditions: [scmp_arg_cmp] = []) {
            self.name = name
            // SCMP_ACT_ERRNO, or SCMP_ACT_ALLOW.
            action = error.map { 0x0005_0000 | UInt32($0) } ?? 0x7FFF_0000
            self.conditions = conditions
        }

        func add(to filter: Filter) -> Bool {
            let number = seccomp_syscall_resolve_name(name)
            // Another architecture's, or newer than the library.
            guard number >= 0 else { return true }
            return seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions)
                == 0
        }
    }
}

extension scmp_arg_cmp {
    /// That some bits of an argument have these values.
    fileprivate static func bits(_ argument: UInt32, _ mask: UInt64, are value: UInt64)
        -> scmp_arg_cmp
    {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
    }

    /// That an argument of 32 bits, all that the kernel reads of it, is this number.
    fileprivate static func number(_ argument: UInt32, _ value: Int) -> scmp_arg_cmp {
        bits(argument, 0xFFFF_FFFF, are: UInt64(value))
    }

    /// That an argument is another number.
    fileprivate static func isNot(_ argument: UInt32, _ value: UInt64) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_NE, datum_a: value, datum_b: 0)
    }
}
