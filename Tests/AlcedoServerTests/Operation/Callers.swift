import AlcedoLocks

@testable import AlcedoServer

/// Keeps the permits of an ``Admission`` until a test ends them.
final class Callers: Sendable {
    private final class Place: Sendable {
        let permit: Admission.Permit

        init(_ permit: consuming Admission.Permit) { self.permit = permit }
    }

    private let admission: Admission
    private let places = Lock<[(origin: String?, place: Place)]>([])

    init(_ admission: Admission) { self.admission = admission }

    /// Waits for a place, and keeps it; returns why there is none.
    func enter(
        _ origin: String? = nil, until deadline: ContinuousClock.Instant = .now + .seconds(600)
    ) async -> Admission.Rejection? {
        do throws(Admission.Rejection) {
            let place = Place(try await admission.enter(origin, until: deadline))
            places.withLock { $0.append((origin, place)) }
            return nil
        } catch {
            return error
        }
    }

    /// Ends one permit for `origin`.
    func leave(_ origin: String? = nil) {
        _ = places.withLock { places in
            places.firstIndex { $0.origin == origin }.map { places.remove(at: $0).place }
        }
    }

    func leaveAll() {
        _ = places.withLock { places in
            defer { places = [] }
            return places.map(\.place)
        }
    }
}
