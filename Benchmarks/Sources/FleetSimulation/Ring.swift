/// Consistent hashing of keys to nodes, 160 points a node as ketama has.
struct Ring {
    private let points: [(hash: UInt64, node: Int)]

    init(nodes: some Sequence<Int>) {
        points = nodes.flatMap { node in
            (0..<160).map { (mixed(UInt64(node) << 20 | UInt64($0)), node) }
        }
        .sorted { $0.hash < $1.hash }
    }

    /// The node of a key; nil without nodes.
    func node(of key: UInt64) -> Int? {
        guard !points.isEmpty else { return nil }
        let hash = mixed(key ^ 0x5BD1_E995)
        var (low, high) = (0, points.count)
        while low < high {
            let middle = (low + high) / 2
            if points[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        return points[low == points.count ? 0 : low].node
    }
}
