import AlcedoLocks

/// One decision that the loop waits for: made on any thread, before or after the loop looks for it.
final class Question<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case awaited
        case answered(Answer)
        case closed
    }

    private let state = Lock(State.open)

    /// Takes the first answer and ignores the rest; true if the loop waits and has to be told.
    func answer(_ answer: Answer) -> Bool {
        state.withLock { state in
            switch state {
            case .open:
                state = .answered(answer)
                return false
            case .awaited:
                state = .answered(answer)
                return true
            case .answered, .closed:
                return false
            }
        }
    }

    /// The answer, once; nil if there is none yet, and then the one who answers has to tell.
    func take() -> Answer? {
        state.withLock { state in
            switch state {
            case .answered(let answer):
                state = .closed
                return answer
            case .open, .awaited:
                state = .awaited
                return nil
            case .closed:
                return nil
            }
        }
    }
}
