/// What the other trials do with each call of the system that Alcedo makes.
enum SystemCalls {
    /// Calls that can wait in the kernel for a disk, a network or another process, and the name with which faults hang them.
    static let hung = [
        "accept4": "accept", "access": "access", "clone": "pthread_create", "clone3": "pthread_create",
        "close": "close", "connect": "connect", "execve": "posix_spawn", "faccessat2": "access",
        "fchmod": "fchmod", "fdatasync": "fsync", "fgetxattr": "fgetxattr", "flock": "flock",
        "fsetxattr": "fsetxattr", "fstat": "fstat", "fsync": "fsync", "ftruncate": "ftruncate",
        "getdents64": "readdir", "link": "link", "linkat": "link", "lstat": "lstat", "mkdir": "mkdir",
        "newfstatat": "fstatat", "open": "open", "openat": "open", "pread64": "pread", "pwrite64": "pwrite",
        "read": "read", "readlink": "readlink", "readlinkat": "readlink", "readv": "readv",
        "recvfrom": "recv", "recvmsg": "recv", "rename": "rename", "renameat2": "rename",
        "sendmsg": "send", "sendto": "send", "stat": "stat", "statx": "statx", "symlink": "symlink",
        "unlink": "unlink", "unlinkat": "unlink", "utimensat": "utimensat", "vfork": "posix_spawn",
        "write": "write", "writev": "writev",
    ]

    /// Why other calls hold nobody up.
    static let harmless: [(reason: String, calls: String)] = [
        (
            "only changes or tells what the process is, has or may; no file and no other process is asked",
            """
            arch_prctl capget close_range dup dup2 dup3 epoll_create1 epoll_ctl eventfd2 exit exit_group fcntl get_mempolicy
            getcwd getegid geteuid getgid getpeername getpgrp getpid getppid getrandom getrlimit getrusage getsockname getsockopt
            gettid getuid landlock_add_rule landlock_create_ruleset landlock_restrict_self listen lseek memfd_create personality
            pidfd_open pipe2 prctl prlimit64 rseq rt_sigaction rt_sigprocmask rt_sigreturn sched_getaffinity sched_getparam
            sched_getscheduler sched_setaffinity sched_yield seccomp set_mempolicy set_robust_list set_tid_address setpgid
            setpriority setsockopt shutdown sigaltstack signalfd4 socket socketpair sysinfo tgkill timer_create timer_settime
            timerfd_create timerfd_settime umask uname alarm restart_syscall ioctl bind kill pidfd_send_signal
            """
        ),
        (
            "takes or gives back memory; files that are mapped are the program's own and its libraries",
            "brk madvise membarrier mmap mprotect mremap munmap"
        ),
        (
            "has a time, or a descriptor or lock of this process that ends it: ARCHITECTURE, “What may hang”",
            """
            clock_nanosleep epoll_pwait epoll_wait futex nanosleep pause poll ppoll rt_sigsuspend rt_sigtimedwait select pselect6 wait4
            waitid
            """
        ),
        (
            "made by fontconfig in a worker process, which is killed at the image's limit; or by the system's libraries "
                + "for /sys and /selinux",
            "fadvise64 fstatfs statfs"
        ),
    ]

    /// Whether a call is known.
    static func isKnown(_ name: String) -> Bool {
        hung[name] != nil
            || harmless.contains { $0.calls.split(whereSeparator: \.isWhitespace).contains { $0 == name } }
    }
}
