import AlcedoPixels
import CIsolation
import Testing

@testable import AlcedoIsolation

/// What a worker that was taken over may ask the kernel for; each call with one of the arguments that make it
/// dangerous.
///
/// Under a sanitizer workers are not restricted.
@Suite(.enabled(if: alcedo_is_sanitized() == 0), .timeLimit(.minutes(10)))
struct `The system calls of a worker` {
    /// Calls that end a worker.
    private static let fatal = [
        // Signals to another process: by a descriptor that becomes readable, or directly.
        "fcntl 3 8 parent", "fcntl 3 10 9", "fcntl 3 15 page", "kill parent 0", "kill -1 0", "kill self 0",
        "tkill parent 0", "tgkill parent parent 0", "rt_sigqueueinfo parent 0 page",
        "rt_tgsigqueueinfo parent parent 0 page", "pidfd_open parent 0", "pidfd_send_signal 3 0 0 0",
        "timer_create 0 page page", "setitimer 0 page 0", "mq_notify 3 page",
        // Locks, leases, notifications and seals on what it shares with the program.
        "fcntl 3 1024 1", "fcntl 3 1026 1", "fcntl 3 1031 4096", "fcntl 3 1033 1", "fcntl 3 37 page",
        "fcntl 3 1036 page", "flock 3 2",
        // Descriptors sent to the program, and an end of the channel that the program does not expect.
        "sendmsg 3 page 0", "sendmmsg 3 page 1 0", "sendto 3 page 1 0 0 0", "shutdown 3 2",
        "setsockopt 3 1 1 page 4",
        "recvfrom 3 page 1 0 0 0", "dup 3", "dup3 3 9 0", "pidfd_getfd 3 0 0",
        // Other processes and namespaces.
        "clone 0x11", "clone 0x10000011 0", "clone 0x103d0f00 0", "clone 0x203d0f00 0", "clone 0x3d8f00 0",
        "clone 0x3d1f00 0", "vfork", "execve page 0 0", "execveat 3 page 0 0 0x1000", "unshare 0x10000000",
        "setns 3 0", "ptrace 16 parent 0 0", "process_vm_readv parent page 1 page 1 0",
        "process_vm_writev parent page 1 page 1 0", "process_madvise 3 page 1 4 0", "kcmp parent self 0 0 0",
        "setpgid 0 0", "setsid", "wait4 -1 0 0 0",
        // Settings of the process.
        "prctl 1 9", "prctl 4 1", "prctl 22 2 page", "prctl 35 1 page", "prctl 36 1", "prctl 38 1",
        "prctl 55 0",
        "seccomp 1 0 page", "personality 0x400000", "setuid 0", "setresuid 0 0 0", "capset page page",
        "arch_prctl 0x1012", "set_tid_address page",
        // Memory that is code, and calls that find the kernel's mistakes.
        "pkey_mprotect page 4096 5 -1", "mremap page 4096 4096 5", "remap_file_pages page 4096 0 0 0",
        "userfaultfd 0", "io_uring_setup 1 page", "bpf 0 page 8", "perf_event_open page 0 -1 -1 0",
        "futex page 2 0 0 0 0", "futex page 11 0 0 page 0", "futex page 12 0 0 page 0",
        "futex page 140 0 0 page 0",
        "add_key page page page 1 -1", "keyctl 0 0 0", "memfd_secret 0", "mlock page 4096", "mlockall 1",
        "move_pages parent 0 0 0 0 0", "migrate_pages parent 0 0 0", "vmsplice 3 page 1 0",
        "splice 3 0 3 0 1 0",
        "tee 3 3 1 0", "sendfile 3 3 0 1", "copy_file_range 3 0 3 0 1 0", "fallocate 3 3 0 1",
        "shmget 0 4096 0x3ff",
        "socketpair 1 1 0 page", "epoll_create1 0", "signalfd4 -1 page 8 0", "inotify_init1 0",
        "fanotify_init 0 0",
        "clock_gettime 16 page", "clock_settime 0 page", "adjtimex page", "reboot 0 0 0 0", "mount 0 0 0 0 0",
        "open_by_handle_at -1 page 0", "openat2 -100 page page 24", "landlock_create_ruleset 0 0 1",
    ]

    /// Calls that fail, with the number of the error.
    private static let failing = [
        // Libraries try these.
        ("ioctl 3 0x5452 page", 25), ("ioctl 3 0x8901 page", 25), ("ioctl 3 0x5412 page", 25),
        ("fcntl 3 4 0x2000", 1),
        ("fcntl 3 6 page", 1), ("fcntl 3 7 page", 1), ("memfd_create page 0", 1), ("ftruncate 3 0", 1),
        ("prlimit64 parent 7 page 0", 1), ("prlimit64 0 7 page 0", 1), ("setrlimit 7 page", 1),
        ("clone3 page 88", 38), ("membarrier 1 0", 38), ("futex_waitv page 1 0 0 0", 38),
        // Of other processes.
        ("sched_getaffinity parent 8 page", 1), ("sched_setaffinity parent 8 page", 1),
        ("sched_setscheduler parent 0 page", 1), ("sched_getscheduler parent", 1),
        ("setpriority 0 parent 19", 1),
        ("clock_gettime -2 page", 22), ("clock_getres -2 page", 22),
        // Memory that is code, can't be moved to the disk, or is taken from all processes.
        ("mmap 0 4096 5 0x22 -1 0", 1), ("mmap 0 4096 4 0x22 -1 0", 1), ("mmap 0 4096 7 0x2022 -1 0", 1),
        ("mmap 0 4096 3 0x2022 -1 0", 1), ("mmap 0 2097152 3 0x40022 -1 0", 1), ("mprotect page 4096 5", 1),
        ("mprotect page 4096 4", 1), ("madvise page 4096 100", 1), ("madvise page 4096 101", 1),
        ("madvise page 4096 9", 1), ("madvise page 4096 12", 1),
        // Memory that the program does not count.
        ("mmap 0 4096 3 0x21 -1 0", 1), ("mmap 0 4096 3 0x23 -1 0", 1), ("madvise page 4096 20", 1),
        ("madvise page 4096 21", 1),
        // Files.
        ("open page 0", 1), ("openat -100 page 0", 1), ("stat page page", 1), ("readlink page page 1", 1),
        ("statx -100 page 0 0 page", 38),
    ]

    private let codec = IsolatedCodec(HostileFormat(), in: .hostile)

    @Test(arguments: fatal)
    func `system calls that may harm others end a worker`(_ call: String) {
        let outcome = outcome(of: call)
        #expect(isUnknown(outcome) || outcome?.contains("ended by SIGSYS") == true, "\(outcome ?? "")")
    }

    @Test(arguments: failing)
    func `system calls that libraries try fail in a worker`(_ call: String, _ error: Int) {
        let outcome = outcome(of: call)
        #expect(isUnknown(outcome) || outcome?.contains(": \(error))") == true, "\(outcome ?? "")")
    }

    @Test(arguments: [
        "getpid", "fcntl 3 1", "fcntl 3 3", "mmap 0 4096 3 0x22 -1 0", "madvise page 4096 4",
        "clock_gettime 1 page", "futex page 1 1", "futex page 129 1", "sched_getaffinity 0 128 page",
    ])
    func `system calls that a decoder needs work in a worker`(_ call: String) {
        #expect(outcome(of: call)?.contains("worked") == true)
    }

    /// Whether the call is none: other architectures lack some old ones.
    private func isUnknown(_ outcome: String?) -> Bool {
        #if arch(x86_64)
            false
        #else
            outcome?.contains("no system call here") == true
        #endif
    }

    /// How the call ended; nil if it decoded.
    private func outcome(of call: String) -> String? {
        let options = DecodeOptions {
            $0.limits.seconds = 300
            $0.sandbox = .preferred
        }
        do throws(CodecError) {
            _ = try codec.decode(Array("hostile call \(call)".utf8).span.bytes, options: options)
            return nil
        } catch {
            return error.description
        }
    }
}
