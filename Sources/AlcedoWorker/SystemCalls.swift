import CSeccomp
import Glibc

/// The system calls that a worker may make, enforced by the kernel for all its threads; any other one kills it.
///
/// Names that an architecture does not have are left out for it. The list was tried on x86-64; for aarch64 it follows the
/// documentation and is untested.
struct SystemCalls {
    /// Whether files may be opened for reading.
    let readsFiles: Bool

    /// Memory, threads, time, and reading and writing open descriptors.
    private static let allowed = [
        "munmap", "madvise", "brk", "mremap", "membarrier", "futex", "futex_waitv", "set_robust_list", "rseq",
        "rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "sigaltstack", "gettid", "getpid", "getrandom",
        "sched_getaffinity", "sched_yield", "sysinfo", "uname", "read", "write", "readv", "writev", "pread64",
        "recvmsg", "sendmsg", "poll", "ppoll", "close", "fcntl", "fstat", "lseek", "clock_gettime",
        "clock_getres", "gettimeofday", "time", "clock_nanosleep", "nanosleep", "restart_syscall",
        "getrusage",
        "getuid", "geteuid", "getgid", "getegid", "exit", "exit_group",
    ]

    /// Calls that libraries try and can do without; they fail with an error.
    private static let denied: [(error: Int32, names: [String])] = [
        (ENOSYS, ["clone3", "statx", "faccessat2"]),
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
        guard seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, 0x8000_0000) == 0,
            seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0,
            addRules(to: filter)
        else { return false }
        return seccomp_load(filter) == 0
    }

    private func addRules(to filter: Filter) -> Bool {
        var rules = Self.allowed.map { Rule($0) }
        for (error, names) in Self.denied { rules += names.map { Rule($0, failsWith: error) } }
        rules += [
            // Memory is never code.
            Rule("mmap", if: [.bits(2, UInt64(PROT_EXEC), are: 0)]),
            Rule("mmap", failsWith: EPERM, if: [.bits(2, UInt64(PROT_EXEC), are: UInt64(PROT_EXEC))]),
            Rule("mprotect", if: [.bits(2, UInt64(PROT_EXEC), are: 0)]),
            Rule("mprotect", failsWith: EPERM, if: [.bits(2, UInt64(PROT_EXEC), are: UInt64(PROT_EXEC))]),
            // A new thread, never a new process.
            Rule("clone", if: [.bits(0, 0x10000, are: 0x10000)]),
            // PR_SET_NAME and PR_GET_NAME.
            Rule("prctl", if: [.equal(0, 15)]),
            Rule("prctl", if: [.equal(0, 16)]),
            // Signals to its own threads, as when it aborts.
            Rule("tgkill", if: [.equal(0, UInt64(getpid()))]),
        ]
        if readsFiles {
            let writing = UInt64(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)
            rules.append(Rule("open", if: [.bits(1, writing, are: 0)]))
            rules.append(Rule("openat", if: [.bits(2, writing, are: 0)]))
            for bit in [UInt64(O_WRONLY), UInt64(O_RDWR), UInt64(O_CREAT), UInt64(O_TRUNC), UInt64(O_APPEND)]
            {
                rules.append(Rule("open", failsWith: EPERM, if: [.bits(1, bit, are: bit)]))
                rules.append(Rule("openat", failsWith: EPERM, if: [.bits(2, bit, are: bit)]))
            }
            rules += Self.lookups.map { Rule($0) }
        } else {
            rules += (Self.openings + Self.lookups).map { Rule($0, failsWith: EPERM) }
        }
        return rules.allSatisfy { $0.add(to: filter) }
    }

    /// The rule for one call.
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
            return seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions) == 0
        }
    }
}

extension scmp_arg_cmp {
    /// That some bits of an argument have these values.
    fileprivate static func bits(_ argument: UInt32, _ mask: UInt64, are value: UInt64) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
    }

    /// That an argument has this value.
    fileprivate static func equal(_ argument: UInt32, _ value: UInt64) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }
}
