/// Something for each of many objects that have no place for it, for as long as these live.
@MainActor
package final class ObjectTable<State> {
    private struct Entry {
        weak var object: AnyObject?
        var state: State
    }

    private let make: @MainActor () -> State
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepAt = 64

    /// An empty table.
    package init(_ make: @escaping @MainActor () -> State) { self.make = make }

    /// What there is for an object; made when it is first asked for.
    package subscript(object: AnyObject) -> State {
        let key = ObjectIdentifier(object)
        // An object that is gone may have left its address to another.
        if let entry = entries[key], entry.object === object { return entry.state }
        if entries.count >= sweepAt {
            entries = entries.filter { $0.value.object != nil }
            sweepAt = max(64, entries.count * 2)
        }
        let state = make()
        entries[key] = Entry(object: object, state: state)
        return state
    }
}
