/// Elements in the order of their arrival; adding and taking one takes constant time on average.
struct FIFOQueue<Element> {
    private var elements: [Element?] = []
    private var first = 0

    /// The elements that wait, the oldest first.
    var waiting: some Sequence<Element> { elements[first...].lazy.compactMap { $0 } }

    var isEmpty: Bool { first == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the oldest out.
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
