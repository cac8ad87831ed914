import AlcedoTransport
import Foundation

/// Whether a kept result may be used, or its source has to be checked first.
enum ResultStanding: Sendable {
    case current
    /// May be used while its source is checked (RFC 5861, 3).
    case aging
    case outdated
}

extension StoredResult {
    /// Seconds for which its source counts as unchanged: at most `cap`, which also counts if its server says nothing.
    private func lifetime(cap: Int) -> TimeInterval {
        min(facts.head.use?.lifetime ?? .infinity, TimeInterval(cap))
    }

    /// By what the server of its source says; see ``SourceRules/revalidateAfter`` for `cap`.
    func standing(at now: Date, cap: Int) -> ResultStanding {
        let age = now.timeIntervalSince(facts.checked)
        // Clock skew beyond that between machines: the age is unknown.
        guard age >= -Purges.skew else { return .outdated }
        let excess = age - lifetime(cap: cap)
        if excess < 0 { return .current }
        return excess < facts.head.use?.whileRevalidating ?? 0 ? .aging : .outdated
    }

    /// Whether it may be used although its source could not be checked (RFC 9111, 4.2.4; RFC 5861, 4).
    func mayBeUsedOnError(at now: Date, cap: Int) -> Bool {
        guard let use = facts.head.use else { return true }
        let excess = now.timeIntervalSince(facts.checked) - lifetime(cap: cap)
        return !use.forbidsStale && excess <= use.ifError ?? .infinity
    }

    /// The result, whose source was the same at `date`.
    func confirmed(by head: SourceHead, at date: Date) -> StoredResult {
        var result = self
        result.facts.head = facts.head.confirmed(by: head)
        result.facts.checked = date
        return result
    }

    /// The result, which is kept for as long as a response with it is fresh.
    func dated(by rules: ResponseRules) -> StoredResult {
        var dated = self
        let lifetime = CacheLifetime(rules: rules, head: facts.head, cap: nil, now: facts.checked)
        // What must not be kept is not, whatever a clock says.
        dated.facts.expires =
            lifetime.seconds > 0
            ? facts.checked.addingTimeInterval(Double(lifetime.seconds)) : .distantPast
        return dated
    }
}
