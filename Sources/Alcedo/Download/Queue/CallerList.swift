/// The callers of a transfer, in the order of their tokens.
///
/// Adding a caller takes constant time, and finding one logarithmic time. Removing one also takes constant time on average,
/// unless it alone has the highest priority. Thousands of callers that cancel one by one, as in a list that scrolls, would
/// otherwise take a time that grows with the square of their number.
struct CallerList {
    private struct Slot {
        let token: SessionDataTask.CancelToken

        /// Nil once it was removed.
        var caller: DownloadCaller?
        var priority: Float
    }

    /// By ascending token; less than half of them are empty.
    private var slots: [Slot] = []
    private(set) var count = 0
    private var highest = -Float.infinity
    private var countAtHighest = 0

    var isEmpty: Bool { count == 0 }

    /// The highest of the callers' priorities; nil without callers.
    var highestPriority: Float? { isEmpty ? nil : highest }

    /// The callers in the order of their tokens.
    var callers: [DownloadCaller] { slots.compactMap(\.caller) }

    /// The callers with their tokens, in order of these.
    var withTokens: [(token: SessionDataTask.CancelToken, caller: DownloadCaller)] {
        slots.compactMap { slot in slot.caller.map { (slot.token, $0) } }
    }

    /// Adds a caller; `token` is higher than any before.
    mutating func append(
        _ caller: DownloadCaller, token: SessionDataTask.CancelToken, priority: Float
    ) {
        slots.append(Slot(token: token, caller: caller, priority: priority))
        count += 1
        addPriority(priority)
    }

    /// Removes and returns the caller with this token; nil if there is none.
    mutating func remove(_ token: SessionDataTask.CancelToken) -> DownloadCaller? {
        guard let index = index(of: token) else { return nil }
        let caller = slots[index].caller.take()
        count -= 1
        removePriority(slots[index].priority)
        if count <= slots.count / 2 { slots.removeAll { $0.caller == nil } }
        return caller
    }

    func contains(_ token: SessionDataTask.CancelToken) -> Bool { index(of: token) != nil }

    // MARK: - Priorities

    /// The priority of a caller; nil if there is none with this token.
    func priority(of token: SessionDataTask.CancelToken) -> Float? {
        index(of: token).map { slots[$0].priority }
    }

    /// Sets the priority of a caller; false if there is none with this token.
    mutating func setPriority(_ priority: Float, of token: SessionDataTask.CancelToken) -> Bool {
        guard let index = index(of: token) else { return false }
        let old = exchange(&slots[index].priority, with: priority)
        addPriority(priority)
        removePriority(old)
        return true
    }

    mutating func setPriority(_ priority: Float) {
        for index in slots.indices { slots[index].priority = priority }
        (highest, countAtHighest) = (priority, count)
    }

    private mutating func addPriority(_ priority: Float) {
        if priority > highest || countAtHighest == 0 {
            (highest, countAtHighest) = (priority, 1)
        } else if priority == highest {
            countAtHighest += 1
        }
    }

    private mutating func removePriority(_ priority: Float) {
        guard priority == highest else { return }
        countAtHighest -= 1
        guard countAtHighest == 0 else { return }
        let others = slots.lazy.filter { $0.caller != nil }.map(\.priority)
        highest = others.max() ?? -.infinity
        countAtHighest = others.count { $0 == highest }
    }

    private func index(of token: SessionDataTask.CancelToken) -> Int? {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].token < token { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].token == token && slots[low].caller != nil ? low : nil
    }
}
