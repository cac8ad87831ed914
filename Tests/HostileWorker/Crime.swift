import AlcedoPixels
import Glibc
import Synchronization

/// What a worker may try to do to the system.
enum Crime {
    /// Never.
    private static let isOver = Atomic(false)

    /// Does it; true if it is done and nothing has stopped it, false if `deed` is none of these.
    static func commit(_ deed: String) throws(CodecError) -> Bool {
        // Without a sanitizer's report, which takes more memory than the worker may have.
        signal(SIGSEGV, SIG_DFL)
        switch deed {
        case "segfault": UnsafeMutableRawPointer(bitPattern: 8)?.storeBytes(of: 1, as: Int.self)
        case "abort": abort()
        case "overflow the stack": print(depth(1))
        case "loop": while !Self.isOver.load(ordering: .relaxed) {}
        case "stop": raise(SIGSTOP)
        case "be killed": raise(SIGKILL)
        case "exit": _exit(7)
        case "close the channel":
            close(3)
            while true { poll(nil, 0, -1) }
        case "allocate": allocate()
        case "write beyond the end": try writeBeyondTheEnd()
        case "open a file": try report(open("/etc/passwd", O_RDONLY), "open")
        case "make a file": try report(open("/tmp/hostile", O_WRONLY | O_CREAT, 0o600), "create")
        case "make a socket": try report(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), "socket")
        case "fork": try report(fork(), "fork")
        case "execute": try report(execv("/bin/true", [nil]), "exec")
        case "signal the parent": try report(kill(SystemCall.parent, SIGTERM), "kill")
        case "make code":
            let code = mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            try report(code == MAP_FAILED ? -1 : 0, "mmap")
        default:
            guard deed.hasPrefix("call ") else { return false }
            guard let call = SystemCall(deed) else {
                throw .corrupt(EncodedFormat(rawValue: "hostile"), reason: "no system call here")
            }
            try report(call.perform(), call.name)
        }
        return true
    }

    /// Says by an error how a call ended that was let return.
    private static func report(_ result: Int32, _ call: String) throws(CodecError) {
        let reason = result >= 0 ? "\(call) worked" : "\(call): \(errno)"
        throw .corrupt(EncodedFormat(rawValue: "hostile"), reason: reason)
    }

    /// Takes 1 KiB of stack a level: with less, the thread sanitizer's list of callers is full first, and it may hang then.
    @inline(never)
    private static func depth(_ level: Int) -> Int {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 128) { frame in
            frame[level & 127] = level
            return level < 0 ? 0 : depth(level + 1) + frame[level & 127]
        }
    }

    /// Takes twice the memory that it may, and keeps it until it is ended.
    private static func allocate() {
        let count = 512 << 20
        let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if let memory, memory != MAP_FAILED { memset(memory, 1, count) }
        while true { poll(nil, 0, -1) }
    }

    private static func writeBeyondTheEnd() throws(CodecError) {
        var pixels = try PixelBuilder(size: HostileCodec.size, alpha: .opaque)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for offset in stride(from: 0, to: 1 << 40, by: 4096) {
                base.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
            }
        }
    }
}
