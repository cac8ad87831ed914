import AlcedoTransport
package import Dispatch

/// Runs the disk reads of one cache on up to four threads, and fails reads that stall.
///
/// Each cache has its own threads, so a hanging disk stalls no other cache. A completion that blocks its thread for a whole
/// interval is replaced by another thread, up to 16.
package final class DiskReadQueue: Sendable {
    private let files: FileQueue
    private let error: DiskStallError

    package init(label: String = "alcedo.cache.reading", stallCheck: DiskStallCheck) {
        files = FileQueue(label: label, mostThreads: 16, late: 1, schedule: stallCheck.schedule)
        error = stallCheck.error
    }

    /// The queues of all workers.
    package var queues: [DispatchQueue] { files.queues }

    /// Runs `body`, which may block, on a worker, and calls `then` once with its result.
    ///
    /// After a stall `then` gets the error on another thread, and the late result is dropped. While four reads hang, new ones
    /// fail at once.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value,
        then: @escaping @Sendable (Result<Value, DiskStallError>) -> Void
    ) {
        read {
            let value = body()
            return { then(.success(value)) }
        } fail: { error in
            then(.failure(error))
        }
    }

    /// Runs `body`, which may block, on a worker, and calls there what it returns, or `fail` on another thread.
    ///
    /// For what each load does: see ``FileQueue/run(in:limits:_:fail:)``.
    package func read(
        _ body: @escaping @Sendable () -> @Sendable () -> Void,
        fail: @escaping @Sendable (DiskStallError) -> Void
    ) {
        // All files of a cache are in one folder.
        files.run(in: "", limits: FileLimits(stall: 1)) { _ in
            body()
        } fail: { [error] _ in
            fail(error)
        }
    }

    /// Runs a block that needs no disk on a worker.
    package func async(_ block: @escaping @Sendable () -> Void) { files.async(block) }
}
