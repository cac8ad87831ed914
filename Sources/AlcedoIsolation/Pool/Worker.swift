import AlcedoLocks
import AlcedoPixels
import CIsolation
import Glibc

/// A worker process, as the program sees it that has started it.
///
/// One thread at a time uses it: the one that ``DecoderPool`` has given it to.
final class Worker: Sendable {
    /// How a worker is started.
    struct Launch: Sendable {
        /// Where the helper program is.
        var path: String

        /// Variables as `NAME=value`.
        var environment: [String] = []

        /// How far it is to restrict itself.
        var level = SandboxLevel.files

        /// Bytes of memory that it may use.
        var memoryLimit = 2 << 30

        /// Milliseconds that it may take to start.
        var startTimeout: Int32 = alcedo_is_sanitized() == 1 ? 300_000 : 10_000
    }

    private struct State {
        var level: SandboxLevel?
        var requests: UInt32 = 0
        var images = 0
        var closing: [Int] = []
        var sessions = 0
        var hasEnded = false
        var scratch: ScratchMemory?
    }

    /// How it was started.
    let launch: Launch

    let process: pid_t
    let descriptor: Int32
    let channel: Channel

    /// Receives responses; reused, because new pages cost more than a small response.
    let buffer = MessageBuffer()
    private let state = Lock(State())

    /// Starts one without waiting for it.
    init(_ launch: Launch) throws(WorkerFailure) {
        guard let (own, theirs) = Channel.pair() else {
            throw .unavailable(reason: "no socket: \(String(cString: strerror(errno)))")
        }
        self.launch = launch
        UnreapedWorkers.reap()
        let environment =
            launch.environment + [
                "\(Channel.levelVariable)=\(launch.level.rawValue)",
                "\(Channel.memoryVariable)=\(launch.memoryLimit)",
                // Swift's own report of a crash would be another program.
                "SWIFT_BACKTRACE=enable=no",
            ]
        process = Self.withStrings([launch.path]) { arguments in
            Self.withStrings(environment) { environment in
                alcedo_spawn(launch.path, arguments, environment, theirs.socket)
            }
        }
        let reason = errno
        theirs.close()
        channel = own
        descriptor = process > 0 ? alcedo_process_descriptor(process) : -1
        guard process > 0 else {
            own.close()
            state.withLock { $0.hasEnded = true }
            throw .unavailable(reason: "\(launch.path) does not start: \(String(cString: strerror(reason)))")
        }
    }

    deinit {
        guard process > 0 else { return }
        if !hasEnded { end() }
        channel.close()
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Whether it takes no more requests.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether an idle worker has ended or sent an unexpected message.
    var hasUnexpectedInput: Bool { state.withLock { $0.level != nil } && channel.isReadable(within: 0) }

    /// Images that it has been given.
    var images: Int { state.withLock { $0.images } }

    /// Notes that it is given another image.
    func countImage() { state.withLock { $0.images += 1 } }

    /// Animations that are open in it.
    var sessions: Int { state.withLock { $0.sessions } }

    /// Notes that an animation was opened in it.
    func countSession() { state.withLock { $0.sessions += 1 } }

    /// Has it forget an animation with its next request.
    func close(session: Int) {
        state.withLock { state in
            state.sessions -= 1
            state.closing.append(session)
        }
    }

    /// Removes and returns the animations to close.
    func takeClosing() -> [Int] {
        state.withLock { state in
            defer { state.closing = [] }
            return state.closing
        }
    }

    /// The memory for results that it keeps.
    var scratch: ScratchMemory? {
        get { state.withLock { $0.scratch } }
        set {
            let old = state.withLock { state in
                let old = state.scratch
                state.scratch = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The number of the next request.
    func nextRequest() -> UInt32 {
        state.withLock { state in
            state.requests &+= 1
            return state.requests
        }
    }

    // MARK: - Starting

    /// How far it is restricted; waits until it has started.
    func ready() throws(WorkerFailure) -> SandboxLevel {
        if let level = state.withLock({ $0.level }) { return level }
        let (found, isSameVersion): (SandboxLevel, Bool)
        do throws(Channel.Failure) {
            guard channel.isReadable(within: launch.startTimeout) else {
                end()
                throw .closed
            }
            let message = try channel.receive(into: buffer).message
            guard message.kind == .ready, let level = message.count(0).flatMap({ SandboxLevel(rawValue: $0) })
            else { throw .invalid(reason: "it is not ready") }
            (found, isSameVersion) = (level, message.words[1] == Channel.version)
        } catch {
            throw failure(after: error)
        }
        guard isSameVersion else {
            end()
            throw .unavailable(reason: "\(launch.path) is of another version of Alcedo; install this one's")
        }
        state.withLock { $0.level = found }
        return found
    }

    // MARK: - Ending

    /// Why the channel broke; the worker has ended then.
    func failure(after failure: Channel.Failure) -> WorkerFailure {
        if case .invalid(let reason) = failure {
            end()
            return .invalidAnswer(reason: reason)
        }
        var (status, signal): (Int32, Int32) = (-1, -1)
        if !hasEnded, alcedo_reap(process, descriptor, 2000, &status, &signal) == 1 {
            state.withLock { $0.hasEnded = true }
            return signal > 0 ? .died(signal: signal) : .exited(status: status)
        }
        end()
        return .invalidAnswer(reason: "it closed the channel, or does not read from it")
    }

    /// Kills it, and waits until it is gone, for a second at most.
    func end() {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        alcedo_kill(process, descriptor)
        var (status, signal): (Int32, Int32) = (-1, -1)
        if alcedo_reap(process, descriptor, Self.killTimeout, &status, &signal) == 0 {
            UnreapedWorkers.add(process)
        }
    }

    /// Milliseconds that a killed process may take to end, which is hundreds of times as long as one takes that can.
    private static let killTimeout: Int32 = 1000

    /// Bytes of memory that it uses now; 0 where the system does not tell.
    var residentBytes: Int {
        guard let file = fopen("/proc/\(process)/statm", "re") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let fields = line.prefix { $0 != 0 }.split(separator: 32)
        guard fields.count > 1 else { return 0 }
        let pages = Int(String(decoding: fields[1].map(UInt8.init), as: UTF8.self))
        return (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
