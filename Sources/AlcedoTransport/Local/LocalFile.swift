public import Foundation

/// Reads whole files by their path.
public enum LocalFile {
    /// Seconds that a file system may take to respond, unless a load has another limit.
    package static let standardTimeout = 15.0

    /// Calls `body` with the descriptor of the regular file at `path`, which is open for reading only for so long.
    package static func withDescriptor<Result>(
        of path: String, _ body: (Int32) -> Result
    ) throws(TransportError) -> Result {
        let file = try OpenFile(path)
        return withExtendedLifetime(file) { body(file.descriptor) }
    }

    /// The content of the regular file at `path`, of at most `limit` bytes; blocks the calling thread.
    public static func read(_ path: String, limit: Int) throws(TransportError) -> Data {
        try read(path, limit: limit) {}
    }

    /// Reads on one of the threads for files, and calls `then` there; after a stall, on another thread.
    ///
    /// `timeout` is in seconds for each step; 0 or infinity for no limit. Calls `then` once, with `fileUnreadable` after a
    /// stall; never, if the returned job is cancelled before.
    @discardableResult
    package static func read(
        _ path: String, limit: Int, timeout: Double = standardTimeout, on queue: FileQueue = .files,
        then: @escaping @Sendable (Result<Data, TransportError>) -> Void
    ) -> FileQueue.Job {
        queue.run(path, limits: FileLimits(seconds: timeout)) { reading in
            do throws(TransportError) {
                return .success(try read(path, limit: limit, in: reading))
            } catch {
                return .failure(error)
            }
        } then: {
            then($0)
        }
    }

    /// The content of a file, on a thread for files.
    package static func read(
        _ path: String, limit: Int, in reading: FileQueue.Reading
    ) throws(TransportError) -> Data {
        try read(path, limit: limit) { reading.progress() }
    }

    private static func read(
        _ path: String, limit: Int, progress: () -> Void
    ) throws(TransportError) -> Data {
        let file = try OpenFile(path)
        progress()
        return try file.contents(expected: min(file.size, Int64(limit))) {
            _, received throws(TransportError) in
            guard received <= limit else { throw .tooLarge(limit: limit, url: path) }
            progress()
        }
    }
}

extension FileQueue {
    /// Runs `body` on a thread of the volume's, and calls `then` there with its result, or elsewhere with an error.
    @discardableResult
    package func run<Value: Sendable>(
        in volume: String, limits: FileLimits,
        _ body: @escaping @Sendable (Reading) -> Value,
        then: @escaping @Sendable (Result<Value, FileStall>) -> Void
    ) -> Job {
        run(in: volume, limits: limits) { reading in
            let value = body(reading)
            return { then(.success(value)) }
        } fail: { stall in
            then(.failure(stall))
        }
    }

    /// Runs `body`, which uses the file at `path`, and calls `then` once with its result, or with `fileUnreadable` after a stall.
    @discardableResult
    package func run<Value: Sendable>(
        _ path: String, limits: FileLimits,
        _ body: @escaping @Sendable (Reading) -> Result<Value, TransportError>,
        then: @escaping @Sendable (Result<Value, TransportError>) -> Void
    ) -> Job {
        run(in: MountTable.current.volume(of: path), limits: limits, body) { result in
            switch result {
            case .success(let result): then(result)
            case .failure(let stall): then(.failure(.fileUnreadable(path: path, reason: stall.reason)))
            }
        }
    }
}
