/// A first-in, first-out queue with amortised constant time for both ends.
struct FIFOQueue<Element> {
    private var elements: [Element?] = []
    private var first = 0

    /// All elements, oldest first.
    var queued: some Sequence<Element> { elements[first...].lazy.compactMap { $0 } }

    var count: Int { elements.count - first }

    var isEmpty: Bool { first == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the oldest element.
    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count || first == 1024 {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
