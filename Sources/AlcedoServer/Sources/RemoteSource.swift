#if Server
    import Alcedo
    import AlcedoLocks
    import Foundation

    /// One download.
    final class RemoteSource: TransportHandler {
        private struct State {
            var task: (any TransportTask)?
            var isCancelled = false
            var continuation: CheckedContinuation<Result<TransferResult, TransportError>, Never>?
        }

        private let state = Lock(State())

        /// Downloads `request`, any status; cancelling the task cancels it.
        static func load(
            _ request: TransportRequest, with transport: any Transport
        ) async -> Result<TransferResult, TransportError> {
            let source = RemoteSource()
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    source.state.withLock { $0.continuation = continuation }
                    let task = transport.start(request, handler: source)
                    let isCancelled = source.state.withLock { state in
                        state.task = task
                        return state.isCancelled
                    }
                    if isCancelled { task.cancel() }
                }
            } onCancel: {
                source.cancel()
            }
        }

        func transferDidFinish(_ result: Result<TransferResult, TransportError>) {
            let continuation = state.withLock { state in
                state.task = nil
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(returning: result)
        }

        private func cancel() {
            let task = state.withLock { state in
                state.isCancelled = true
                return state.task
            }
            task?.cancel()
        }
    }

    extension AnswerFailure {
        /// A download that failed.
        init(_ error: TransportError) {
            let reason = "\(error)"
            switch error {
            case .addressRefused, .invalidURL: self = .forbiddenSource(reason)
            case .incompleteBody: self = .incomplete(reason).shared(.failing)
            case .tooLarge: self = .invalidSource(reason)
            case .timedOut:
                self = .unreachable(reason, status: 504, kind: .timeout).shared(.failing)
            case .queueTimedOut: self = .unreachable(reason, status: 504, kind: .timeout)
            case .cancelled: self = .cancelled
            default: self = .unreachable(reason)
            }
        }

        /// An answer of an origin that has no image.
        init(originStatus status: Int, url: String) {
            let reason = "the origin answered \(status): \(url)"
            switch status {
            case 404, 410: self = .unreachable(reason, status: status).shared(.missing)
            case 400..<500: self = .unreachable(reason, status: status)
            case 500..<600: self = .unreachable(reason, status: 502).shared(.failing)
            default: self = .unreachable(reason)
            }
        }
    }
#endif
