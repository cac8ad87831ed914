import Foundation

extension Admission {
    /// Does a piece of work as soon as there is a place for it, or answers why it can't be done.
    package func answer(
        _ request: ServedRequest, from origin: String? = nil,
        _ work: @escaping @Sendable () async -> ServedAnswer
    ) async -> ServedAnswer {
        let start = ContinuousClock.now
        switch await enter(origin, until: request.deadline) {
        case .admitted:
            defer { leave(origin) }
            let waited = ContinuousClock.now - start
            var answer = await work()
            answer.spans[.queue, default: .zero] += waited
            return answer
        case .queueFull:
            return refusal(
                429, "Too many requests", .queue, "too many images are in work and wait",
                [("Retry-After", "1")])
        case .timedOut:
            return refusal(
                503, "Timeout", .timeout, "it had to wait for other images for too long",
                [("Retry-After", "1")])
        case .cancelled:
            return refusal(499, "Cancelled", .timeout, "the client closed the connection")
        }
    }

    private func refusal(
        _ status: Int, _ text: String, _ kind: ErrorKind, _ reason: String,
        _ headers: [(name: String, value: String)] = []
    ) -> ServedAnswer {
        ServedAnswer(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")] + headers,
            body: Data(text.utf8), errorKind: kind, reason: reason)
    }
}
