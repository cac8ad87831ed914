package import AlcedoPixels
import Glibc

extension DecoderPool {
    /// Starts the first worker, and waits until it is ready.
    ///
    /// - Returns: how far it is restricted.
    /// - Throws: ``WorkerFailure/unavailable(reason:)``.
    package func warmUp() throws(WorkerFailure) -> SandboxLevel {
        guard let worker = try take() else { throw .unavailable(reason: "there is no worker") }
        defer { giveBack(worker) }
        return try worker.ready()
    }

    /// Has some worker do a job with an image; waits for a worker, then for the answer.
    ///
    /// A worker that was killed, as the system does when memory runs out, is given a second chance with a new process.
    ///
    /// - Parameters:
    ///   - job: what is to be done.
    ///   - minimum: how far the worker has to be restricted.
    ///   - read: makes the result of the answer, nil if that is invalid.
    /// - Returns: the result.
    /// - Throws: ``WorkerFailure``.
    func perform<Result>(
        _ job: Worker.Job, minimum: SandboxLevel, _ read: (Worker, borrowing Worker.Answer) -> Result?
    ) throws(WorkerFailure) -> Result {
        let seconds = job.request.options.limits.seconds
        guard !quarantine.refuses(job.input, seconds: seconds) else { throw .refused }
        do throws(WorkerFailure) {
            do throws(WorkerFailure) {
                return try once(job, minimum: minimum, read)
            } catch .died(signal: SIGKILL) {
                return try once(job, minimum: minimum, read)
            }
        } catch {
            switch error {
            case .timedOut: quarantine.add(job.input, seconds: seconds)
            case .died, .exited, .outOfMemory, .invalidAnswer: quarantine.add(job.input)
            case .refused, .busy, .unavailable: break
            }
            throw error
        }
    }

    private func once<Result>(
        _ job: Worker.Job, minimum: SandboxLevel, _ read: (Worker, borrowing Worker.Answer) -> Result?
    ) throws(WorkerFailure) -> Result {
        guard let worker = try take(forAnimation: job.request.kind == .open) else {
            throw .unavailable(reason: "there is no worker")
        }
        defer { giveBack(worker) }
        let level = try worker.ready()
        guard level >= minimum else {
            throw .unavailable(reason: "this system restricts workers to level “\(level)” only")
        }
        return try ask(worker, job) { read(worker, $0) }
    }

    /// Has one worker do a job; nil if it has ended since.
    func perform<Result>(
        _ job: Worker.Job, on worker: Worker, _ read: (borrowing Worker.Answer) -> Result?
    ) throws(WorkerFailure) -> Result? {
        guard let worker = try take(worker) else { return nil }
        defer { giveBack(worker) }
        return try ask(worker, job, read)
    }

    private func ask<Result>(
        _ worker: Worker, _ job: Worker.Job, _ read: (borrowing Worker.Answer) -> Result?
    ) throws(WorkerFailure) -> Result {
        if [.decode, .open].contains(job.request.kind) { worker.countImage() }
        do throws(WorkerFailure) { return try worker.ask(job, read) } catch {
            if worker.hasEnded { noteDeath() }
            throw error
        }
    }
}
