/// The origins that have been talked to, so many that idle ones are forgotten from time to time.
struct OriginTable {
    private static let idleLimit = 512

    private var queues: [String: OriginQueue<CurlTransfer>] = [:]
    private var pruneAbove = Self.idleLimit

    subscript(origin: String) -> OriginQueue<CurlTransfer> {
        mutating get {
            if let queue = queues[origin] { return queue }
            if queues.count > pruneAbove {
                queues = queues.filter { !$0.value.isIdle }
                pruneAbove = queues.count + Self.idleLimit
            }
            let queue = OriginQueue<CurlTransfer>()
            queues[origin] = queue
            return queue
        }
    }
}
