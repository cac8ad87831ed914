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
        var path: String

        /// Variables as `NAME=value`.
        var environment: [String] = []

        /// How far it is to restrict itself.
        var level = DecodeSandbox.Level.files

        var memoryLimit = 2 << 30

        /// Milliseconds that it may take to start.
        var startTimeout: Int32 = alcedo_is_sanitized() == 1 ? 300_000 : 10_000
    }

    private struct State {
        var level: DecodeSandbox.Level?
        var requests: UInt32 = 0
        var images = 0
        var closing: [Int] = []
        var sessions = 0
        var hasEnded = false
        var scratch: ScratchMemory?
    }

    let launch: Launch
    let process: pid_t
    let descriptor: Int32
    let channel: Channel

    /// Receives responses; reused, because new pages cost more than a small response.
    let buffer = MessageBuffer()
    private let state = Lock(State())

    /// Starts one without waiting for it.
    init(_ launch: Launch) throws(DecodeSandbox.Failure) {
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
        do throws(DecodeSandbox.Failure) {
            process = try HelperStart.process(
                launch.path, environment, theirs, within: launch.startTimeout)
        } catch {
            own.close()
            throw error
        }
        channel = own
        descriptor = alcedo_process_descriptor(process)
    }

    deinit {
        if !hasEnded { end() }
        channel.close()
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether an idle worker has ended or sent an unexpected message.
    ///
    /// Before it is ready, a message is expected.
    var hasUnexpectedInput: Bool { state.withLock { $0.level != nil } && channel.isReadable(within: 0) }

    var images: Int { state.withLock { $0.images } }

    func countImage() { state.withLock { $0.images += 1 } }

    var sessions: Int { state.withLock { $0.sessions } }

    func countSession() { state.withLock { $0.sessions += 1 } }

    /// Has it forget an animation with its next request.
    func close(session: Int) {
        state.withLock { state in
            state.sessions -= 1
            state.closing.append(session)
        }
    }

    private func takeClosing() -> [Int] {
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

    private func nextRequest() -> UInt32 {
        state.withLock { state in
            state.requests &+= 1
            return state.requests
        }
    }

    // MARK: - Starting

    /// How far it is restricted; waits until it has started.
    func ready() throws(DecodeSandbox.Failure) -> DecodeSandbox.Level {
        if let level = state.withLock({ $0.level }) { return level }
        let (found, isSameVersion): (DecodeSandbox.Level, Bool)
        do throws(Channel.Failure) {
            guard channel.isReadable(within: launch.startTimeout) else {
                end()
                throw .closed
            }
            let message = try channel.receive(into: buffer).message
            guard message.kind == .ready,
                let level = message.count(0).flatMap({ DecodeSandbox.Level(rawValue: $0) })
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
    func failure(after failure: Channel.Failure) -> DecodeSandbox.Failure {
        if case .invalid(let reason) = failure {
            end()
            return .invalidResponse(reason: reason)
        }
        var (status, signal): (Int32, Int32) = (-1, -1)
        // It usually ends by itself, and its status says why.
        if !hasEnded, alcedo_reap(process, descriptor, 2000, &status, &signal) == 1 {
            state.withLock { $0.hasEnded = true }
            return signal > 0 ? .died(signal: signal) : .exited(status: status)
        }
        end()
        return .invalidResponse(reason: "it closed the channel, or does not read from it")
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

extension Worker {
    struct Job {
        var request: DecodeRequest

        /// The encoded image; empty for a request without one.
        var input = UnsafeRawBufferPointer(start: nil, count: 0)

        /// A file that is open for reading, in place of the encoded image.
        var file: Int32?

        /// What tells the input from others that may end a worker.
        var identity = UnsafeRawBufferPointer(start: nil, count: 0)

        /// The most bytes that its result may have.
        var allowance = 0
    }

    /// A worker's response; its tail is valid only while it is read.
    struct Response: ~Copyable {
        let message: Message
        let tail: UnsafeRawBufferPointer

        /// The result, where that is in shared memory.
        let memory: FrozenMemory?

        /// The memory that the worker keeps, where the result is there.
        var scratch: ScratchMemory?
    }

    /// Sends a request and reads the response; after a failure the worker has ended or got no request.
    ///
    /// - Throws: ``DecodeSandbox/Failure``; also ``DecodeSandbox/Failure/invalidResponse(reason:)`` if `read` returns nil.
    func send<Result>(_ job: Job, _ read: (borrowing Response) -> Result?) throws(DecodeSandbox.Failure)
        -> Result
    {
        let id = nextRequest()
        let memory = try memory(of: job.input)
        defer { if let memory { _ = Glibc.close(memory) } }
        do throws(Channel.Failure) {
            for session in takeClosing() {
                var request = DecodeRequest(.close)
                request.session = session
                try channel.send(request.message(id: id))
            }
            try send(job, memory, id: id)
        } catch {
            throw failure(after: error)
        }
        let seconds = job.request.options.limits.seconds
        let response = try receive(id, until: Time.now + seconds + Time.grace, seconds: seconds, job)
        guard let result = read(response) else {
            throw failure(after: .invalid(reason: "\(response.message.kind) with wrong values"))
        }
        return result
    }

    /// A memory file for input that is too large for a message.
    private func memory(of input: UnsafeRawBufferPointer) throws(DecodeSandbox.Failure) -> Int32? {
        guard input.count > Message.longestTail else { return nil }
        let descriptor = alcedo_frozen_memory(input.baseAddress, input.count)
        guard descriptor >= 0 else {
            throw .unavailable(reason: "no memory to share: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    private func send(_ job: Job, _ memory: Int32?, id: UInt32) throws(Channel.Failure) {
        var request = job.request
        request.inputCount = job.input.count
        request.isOfFile = job.file != nil
        let message = request.message(id: id)
        if let descriptor = job.file ?? memory { return try channel.send(message, descriptor: descriptor) }
        try channel.send(message, tail: job.input)
    }

    private func receive(
        _ id: UInt32, until deadline: Double, seconds: Double, _ job: Job
    ) throws(DecodeSandbox.Failure) -> Response {
        var memory: SharedMemory?
        var grants = 0
        while true {
            try wait(until: deadline, seconds: seconds)
            do throws(Channel.Failure) {
                let received = try channel.receive(into: buffer)
                let message = received.message
                guard message.id == id else {
                    throw .invalid(reason: "its response has another request number")
                }
                if message.kind == .wantMemory {
                    grants += 1
                    guard grants <= Self.mostGrants else {
                        throw .invalid(reason: "it requests memory too often")
                    }
                    // Freed before the next is created, so that there are never both.
                    memory = nil
                    memory = try grant(message, job)
                    continue
                }
                let isShared = [.pixels, .bytes].contains(message.kind)
                if isShared, message.isInScratch {
                    guard let scratch else { throw .invalid(reason: "it has no memory of its own") }
                    return Response(message: message, tail: received.tail, memory: nil, scratch: scratch)
                }
                guard isShared, message.isShared else {
                    return Response(message: message, tail: received.tail, memory: nil)
                }
                guard let frozen = memory.take()?.freeze() else {
                    throw .invalid(reason: "it still writes to its response")
                }
                return Response(message: message, tail: received.tail, memory: frozen)
            } catch {
                throw failure(after: error)
            }
        }
    }

    /// How often a worker may want memory for one result; it needs that twice.
    private static let mostGrants = 4

    /// Sends the worker memory for its result, unless it requests too much.
    private func grant(_ message: Message, _ job: Job) throws(Channel.Failure) -> SharedMemory? {
        guard let wanted = message.count(0), wanted > 0, wanted <= job.allowance else {
            try channel.send(Message(.noMemory, id: message.id))
            return nil
        }
        // At least a megabyte, so that small sizes don't each need new memory.
        let isKept = wanted <= ScratchMemory.limit
        let count = isKept ? max(wanted, 1 << 20) : wanted
        guard let memory = SharedMemory(count: count) else {
            try channel.send(Message(.noMemory, id: message.id))
            return nil
        }
        if isKept { scratch = ScratchMemory(memory) }
        let words = [UInt64(count), isKept ? 1 : 0]
        try channel.send(Message(.memory, id: message.id, words: words), descriptor: memory.descriptor)
        if isKept { return nil }
        return memory
    }

    /// Waits for a message; kills the worker at the deadline, or if it takes too much memory.
    private func wait(until deadline: Double, seconds: Double) throws(DecodeSandbox.Failure) {
        while true {
            let left = deadline - Time.now
            let slice = Int32(min(max(left * 1000 + 1, 0), Time.watchMilliseconds))
            if channel.isReadable(within: slice) { return }
            if Time.now >= deadline {
                end()
                throw .timedOut(seconds: seconds)
            }
            if residentBytes > launch.memoryLimit {
                end()
                throw .outOfMemory(byteCount: launch.memoryLimit)
            }
        }
    }

    private enum Time {
        /// Extra seconds, so that a decoder that checks the deadline can report it before the worker is killed.
        static let grace = 0.05

        /// How often a busy worker's memory is measured.
        static let watchMilliseconds = 50.0

        /// Seconds of the monotonic clock.
        static var now: Double {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }
}
