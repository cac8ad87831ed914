package import AlcedoPixels
import Glibc

extension DecoderPool {
    /// Starts the first worker, and waits until it is ready.
    ///
    /// - Returns: how far it is restricted.
    /// - Throws: ``WorkerFailure/unavailable(reason:)``.
    package func warmUp() throws(WorkerFailure) -> SandboxLevel {
        guard let worker = try take() else { throw .unavailable(reason: "there is no worker") }
        defer { putBack(worker) }
        return try worker.ready()
    }

    /// Performs a job in a worker; blocks until a worker is free and has responded.
    ///
    /// If the worker was killed, as when memory runs out, the job is retried once in a new process.
    ///
    /// - Parameters:
    ///   - job: the request and its input.
    ///   - minimum: the lowest sandbox level.
    ///   - read: parses the response; nil if it is invalid.
    /// - Returns: the result.
    /// - Throws: ``WorkerFailure``.
    func perform<Result>(
        _ job: Worker.Job, minimum: SandboxLevel, _ read: (Worker, borrowing Worker.Response) -> Result?
    ) throws(WorkerFailure) -> Result {
        let seconds = job.request.options.limits.seconds
        guard !quarantine.refuses(job.identity, seconds: seconds) else { throw .refused }
        do throws(WorkerFailure) {
            do throws(WorkerFailure) {
                return try once(job, minimum: minimum, read)
            } catch .died(signal: SIGKILL) {
                return try once(job, minimum: minimum, read)
            }
        } catch {
            reject(job.identity, after: error, seconds: seconds)
            throw error
        }
    }

    /// Rejects an image from now on if it is the reason of a worker's failure; `seconds` was its time limit.
    func reject(_ identity: UnsafeRawBufferPointer, after failure: WorkerFailure, seconds: Double) {
        switch failure {
        case .timedOut: quarantine.add(identity, seconds: seconds)
        case .died, .exited, .outOfMemory, .invalidAnswer: quarantine.add(identity)
        case .refused, .busy, .unavailable: break
        }
    }

    private func once<Result>(
        _ job: Worker.Job, minimum: SandboxLevel, _ read: (Worker, borrowing Worker.Response) -> Result?
    ) throws(WorkerFailure) -> Result {
        guard let worker = try take(forAnimation: job.request.kind == .open) else {
            throw .unavailable(reason: "there is no worker")
        }
        defer { putBack(worker) }
        let level = try worker.ready()
        guard level >= minimum else {
            throw .unavailable(reason: "this system restricts workers to level “\(level)” only")
        }
        return try send(worker, job) { read(worker, $0) }
    }

    /// Has one worker do a job; nil if it has ended since.
    func perform<Result>(
        _ job: Worker.Job, on worker: Worker, _ read: (borrowing Worker.Response) -> Result?
    ) throws(WorkerFailure) -> Result? {
        guard let worker = try take(worker) else { return nil }
        defer { putBack(worker) }
        return try send(worker, job, read)
    }

    private func send<Result>(
        _ worker: Worker, _ job: Worker.Job, _ read: (borrowing Worker.Response) -> Result?
    ) throws(WorkerFailure) -> Result {
        if [.decode, .open].contains(job.request.kind) { worker.countImage() }
        return try worker.send(job, read)
    }
}
