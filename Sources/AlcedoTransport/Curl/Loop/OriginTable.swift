/// The queues of origins; removes idle ones from time to time.
struct OriginTable {
    private static let idleLimit = 512

    private var queues: [String: OriginQueue<CurlTransfer>] = [:]
    private var pruneAbove = Self.idleLimit

    /// The queue of the transfers that share connections to the origin of `url`.
    subscript(url: WebURL, scope: TrustScope?) -> OriginQueue<CurlTransfer> {
        mutating get {
            let origin = scope.map { "\(url.origin) \($0.number)" } ?? url.origin
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
