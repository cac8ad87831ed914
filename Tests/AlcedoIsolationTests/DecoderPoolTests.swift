import AlcedoLocks
import AlcedoPixels
import AlcedoTestSupport
import CIsolation
import Foundation
import Testing

@testable import AlcedoIsolation

struct `A pool of workers` {
    private let group = DecoderGroup.hostile
    private let codec: IsolatedCodec

    init() { codec = IsolatedCodec(HostileFormat(), in: group) }

    @Test func `a worker pool starts no worker before the first image`() throws {
        #expect(group.pool.workerCount == 0)
        #expect(group.pool.level == nil)
        _ = try decode("nothing")
        #expect(group.pool.workerCount == 1)
    }

    @Test(.enabled(if: alcedo_is_sanitized() == 0 && alcedo_landlock_version() > 0))
    func `a worker pool restricts workers as far as this system can`() throws {
        #expect(try group.pool.warmUp() == .files)
    }

    @Test func `a worker pool rejects an image that has ended a worker, and nothing else`() throws {
        #expect(throws: CodecError.sandboxFailed(hostile, .died(signal: SIGABRT))) { try decode("abort\n1") }
        #expect(throws: CodecError.sandboxFailed(hostile, .quarantined)) { try decode("abort\n1") }
        #expect(throws: CodecError.sandboxFailed(hostile, .died(signal: SIGABRT))) { try decode("abort\n2") }
        _ = try decode("nothing")
        let failures = group.pool.failures.map { "\($0.count) \($0.reason)" }
        #expect(failures.sorted() == ["1 quarantined", "2 crashed"])
    }

    @Test func `no image waits for those that end workers`() throws {
        for number in 0..<40 {
            #expect(throws: CodecError.sandboxFailed(hostile, .died(signal: SIGABRT))) {
                try decode("abort\n\(number)")
            }
        }
        #expect(!group.pool.state.withLock { $0.restarts.applies(at: .now) })
        _ = try decode("nothing")
    }

    @Test func `a worker pool replaces an idle worker that ends`() throws {
        let worker = try #require(try group.pool.take())
        group.pool.putBack(worker)
        kill(worker.process, SIGKILL)
        #expect(worker.channel.isReadable(within: 300_000))
        #expect(try decode("nothing").size == PixelSize(width: 512, height: 512))
    }

    @Test func `images wait for a worker of the pool`() {
        let failures = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 16) { index in
            if (try? decode("nothing\n\(index)")) == nil { failures.withLock { $0 += 1 } }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(group.pool.workerCount == 1)
    }

    @Test func `a worker pool rejects an image at once if a thousand wait`() {
        let pool = DecoderPool(limit: 0) { nil }
        pool.state.withLock { $0.waiting = (0..<1000).map { _ in DecoderPool.Waiter(nil) } }
        #expect(throws: DecodeSandbox.Failure.busy(waiting: 1000)) { try pool.take() }
    }

    @Test func `a worker pool ends idle workers on demand`() throws {
        _ = try decode("nothing")
        group.pool.end()
        #expect(group.pool.workerCount == 0)
        _ = try decode("nothing")
    }

    @Test func `a worker ends with the program, whatever the worker does`() throws {
        let path = BuiltProgram.url(of: "HostileWorker").path
        let worker = try Worker(Worker.Launch(path: path, startTimeout: 300_000))
        _ = try worker.ready()
        let image = Array("hostile loop".utf8)
        var request = DecodeRequest(.decode)
        request.inputCount = image.count
        try worker.channel.send(request.message(id: 1), tail: image)
        // What the system does for a program that is killed.
        shutdown(worker.channel.socket, Int32(SHUT_RDWR))
        var (status, signal): (Int32, Int32) = (-1, -1)
        #expect(alcedo_reap(worker.process, worker.descriptor, 300_000, &status, &signal) == 1)
    }

    @Test func `a worker pool decodes nothing below the level of isolation that is required`() {
        let path = BuiltProgram.url(of: "HostileWorker").path
        let pool = DecoderPool(limit: 1) { Worker.Launch(path: path, level: .process) }
        let job = Worker.Job(request: DecodeRequest(.info))
        #expect(throws: DecodeSandbox.Failure.self) {
            try pool.perform(job, minimum: .systemCalls) { _, _ in true }
        }
        #expect(pool.level == .process)
    }

    @Test func `an image is decoded in the process without a helper, unless isolation is required`() throws {
        let absent = IsolatedCodec(HostileFormat(), in: .built("no-such-helper"))
        let bytes = Array("hostile nothing".utf8)
        // What the codec itself says.
        #expect(throws: CodecError.unknownFormat) {
            try absent.decode(bytes.span.bytes, options: DecodeOptions { $0.sandbox = .preferred })
        }
        #expect {
            try absent.decode(bytes.span.bytes, options: DecodeOptions { $0.sandbox = .required })
        } throws: { error in
            guard case CodecError.sandboxFailed(_, .unavailable) = error else { return false }
            return true
        }
    }

    @Test(.timeLimit(.minutes(10))) func `no image waits for a helper that is not there`() {
        let absent = IsolatedCodec(HostileFormat(), in: .built("no-such-helper", workers: 1))
        let bytes = Array("hostile nothing".utf8)
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            #expect(throws: CodecError.self) {
                try absent.decode(bytes.span.bytes, options: DecodeOptions { $0.sandbox = .required })
            }
        }
    }

    @Test func `no image is decoded in the process once workers have started`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let helper = folder.appendingPathComponent("helper").path
        let worker = BuiltProgram.url(of: "HostileWorker").path
        try FileManager.default.createSymbolicLink(atPath: helper, withDestinationPath: worker)
        let group = DecoderGroup(helper, isIsolatedByDefault: true, workers: 1)
        let codec = IsolatedCodec(HostileFormat(), in: group)
        let bytes = Array("hostile nothing".utf8)
        let options = DecodeOptions {
            $0.sandbox = .preferred
            $0.limits.seconds = 600
        }
        _ = try codec.decode(bytes.span.bytes, options: options)
        group.pool.end()
        try FileManager.default.removeItem(atPath: helper)
        try FileManager.default.createSymbolicLink(atPath: helper, withDestinationPath: "/bin/false")
        for _ in 0..<2 {
            #expect {
                try codec.decode(bytes.span.bytes, options: options)
            } throws: { error in
                guard case CodecError.sandboxFailed(_, .unavailable) = error else { return false }
                return true
            }
        }
    }

    @Test func `a helper that ends at once is not started again and again`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (helper, log) = ("\(folder.path)/helper", "\(folder.path)/log")
        let script = "#!/bin/sh\necho >> '\(log)'\nexit 127\n"
        try script.write(toFile: helper, atomically: false, encoding: .utf8)
        chmod(helper, 0o700)
        let group = DecoderGroup(helper, isIsolatedByDefault: true, workers: 1)
        let codec = IsolatedCodec(HostileFormat(), in: group)
        let bytes = Array("hostile nothing".utf8)
        for _ in 0..<40 {
            #expect(throws: CodecError.unknownFormat) {
                try codec.decode(bytes.span.bytes, options: DecodeOptions { $0.sandbox = .preferred })
            }
        }
        let starts = try Data(contentsOf: URL(fileURLWithPath: log)).count
        #expect((1...20).contains(starts))
    }

    @Test(arguments: [DecodeLimits(), DecodeLimits { $0.pixelsPerFrame = .max }])
    func `a size beyond the limits in a worker's response is rejected`(_ limits: DecodeLimits) {
        let bytes = Array("hostile claim too much".utf8)
        var limits = limits
        (limits.sandbox, limits.seconds) = (.preferred, 600)
        let isInvalid = { (error: any Error) in
            guard case CodecError.sandboxFailed(_, .invalidResponse) = error else { return false }
            return true
        }
        #expect { try codec.info(of: bytes.span.bytes, limits: limits) } throws: { isInvalid($0) }
        let others = Array("hostile claim too much\n".utf8)
        #expect {
            try codec.frames(of: others.span.bytes, options: DecodeOptions { $0.limits = limits })
        } throws: {
            isInvalid($0)
        }
    }

    @Test func `a worker may have all the memory there is, and ends first when memory runs out`() throws {
        let path = BuiltProgram.url(of: "HostileWorker").path
        let worker = try Worker(Worker.Launch(path: path, memoryLimit: .max, startTimeout: 300_000))
        _ = try worker.ready()
        let score = try String(contentsOfFile: "/proc/\(worker.process)/oom_score_adj", encoding: .utf8)
        #expect(score == "1000\n")
    }

    @Test func `sending to a worker that does not read fails instead of waiting for ever`() throws {
        let (own, other) = try #require(Channel.pair())
        defer {
            own.close()
            other.close()
        }
        let tail = [UInt8](repeating: 0, count: Message.longestTail)
        #expect(throws: Channel.Failure.closed) {
            while true { try own.send(Message(.decode, id: 1), tail: tail) }
        }
    }

    /// As one that reads from a disk that hangs, which a test can't have.
    @Test(.enabled(if: Tracer.isAllowed), .timeLimit(.minutes(10)))
    func `ending a worker does not wait for ever if the worker is killed and does not end`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("worker").path
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data("#!/bin/sh\nexec sleep 600\n".utf8),
                attributes: [.posixPermissions: 0o700]))
        let worker = try Worker(Worker.Launch(path: path))
        let tracer = try #require(Tracer(of: worker.process))
        worker.end()
        #expect(worker.hasEnded)
        // It is there until somebody reaps it.
        #expect(kill(worker.process, 0) == 0)
        tracer.end()
        UnreapedWorkers.reap()
        #expect(kill(worker.process, 0) != 0)
    }

    private let hostile = EncodedFormat(rawValue: "hostile")

    private func decode(_ deed: String) throws(CodecError) -> Bitmap {
        let bytes = Array("hostile \(deed)".utf8)
        let options = DecodeOptions {
            $0.sandbox = .preferred
            $0.limits.seconds = 600
        }
        return try codec.decode(bytes.span.bytes, options: options)
    }
}
