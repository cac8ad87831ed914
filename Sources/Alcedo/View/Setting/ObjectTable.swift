/// Associated state for objects that cannot store it, for the objects' lifetimes.
@MainActor
package final class ObjectTable<State> {
    private struct Entry {
        weak var object: AnyObject?
        var state: State
    }

    private let make: @MainActor () -> State
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepThreshold = 64

    package init(_ make: @escaping @MainActor () -> State) { self.make = make }

    /// The state of an object; created on first access.
    package subscript(object: AnyObject) -> State {
        let key = ObjectIdentifier(object)
        // A new object may have the address of a deallocated one.
        if let entry = entries[key], entry.object === object { return entry.state }
        if entries.count >= sweepThreshold {
            entries = entries.filter { $0.value.object != nil }
            // Doubled, so that sweeps take constant time for each new object.
            sweepThreshold = max(64, entries.count * 2)
        }
        let state = make()
        entries[key] = Entry(object: object, state: state)
        return state
    }
}
