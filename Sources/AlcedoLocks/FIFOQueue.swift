/// A first-in, first-out queue with amortised constant time for both ends.
///
/// Public only because the compiler does not specialise `package` generics in other modules. No product has this target.
public struct FIFOQueue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var first = 0

    @inlinable public init() {}

    /// All elements, oldest first.
    @inlinable public var queued: some Sequence<Element> { elements[first...].lazy.compactMap { $0 } }

    @inlinable public var count: Int { elements.count - first }
    @inlinable public var isEmpty: Bool { first == elements.count }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    @inlinable public mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        // Drops the slots of popped elements: a queue that never gets empty would grow for ever otherwise.
        if first == elements.count || first == 1024 {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Removes the elements that meet a condition, and returns them, oldest first.
    @inlinable public mutating func removeAll(where isRemoved: (Element) -> Bool) -> [Element] {
        var (kept, removed): ([Element?], [Element]) = ([], [])
        for element in queued {
            if isRemoved(element) { removed.append(element) } else { kept.append(element) }
        }
        (elements, first) = (kept, 0)
        return removed
    }
}
