import AlcedoPixels
import CIsolation
import Glibc

extension Worker {
    /// A request with its input and limits.
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
    /// - Throws: ``WorkerFailure``; also ``WorkerFailure/invalidAnswer(reason:)`` if `read` returns nil.
    func send<Result>(_ job: Job, _ read: (borrowing Response) -> Result?) throws(WorkerFailure) -> Result {
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
    private func memory(of input: UnsafeRawBufferPointer) throws(WorkerFailure) -> Int32? {
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
    ) throws(WorkerFailure) -> Response {
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
                    throw .invalid(reason: "it still writes to what it has answered")
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
    private func wait(until deadline: Double, seconds: Double) throws(WorkerFailure) {
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
