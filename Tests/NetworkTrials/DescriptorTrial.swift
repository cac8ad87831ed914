import AlcedoTransport
import Foundation

/// Loads where descriptors are few, or all taken.
enum DescriptorTrial {
    /// The transport is made while no descriptor is free, and some are later.
    static func late(_ url: String) {
        let taken = Descriptors(leaving: 0)
        let transport = CurlTransport()
        print(Load(transport, url).outcome)
        print(Load(transport, url).outcome)
        taken.close()
        print(Load(transport, url).outcome)
    }

    /// Loads from `count` origins at once, with `limit` descriptors for the process.
    static func origins(_ count: Int, limit: Int, port: Int) {
        var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        loadAll(CurlTransport(), 0..<count, port)
    }

    /// All descriptors are taken but those of connections that wait to be used again.
    static func idle(_ count: Int, port: Int) {
        let transport = CurlTransport()
        loadAll(transport, 0..<count, port)
        let taken = Descriptors(leaving: 0)
        loadAll(transport, count..<2 * count, port)
        taken.close()
    }

    /// All descriptors but a few are taken; then the rest, too, and then none.
    static func taken(_ count: Int, free: Int, port: Int) {
        let busy = CurlTransport()
        loadAll(busy, 0..<1, port)
        let taken = Descriptors(leaving: free)
        loadAll(busy, 0..<count, port)
        taken.close()
        let idle = CurlTransport()
        print(Load(idle, "http://127.0.0.1:1/").outcome)
        let all = Descriptors(leaving: 0)
        loadAll(idle, 0..<1, port)
        all.close()
        loadAll(idle, 0..<1, port)
        // One that ends closes its connections, and others could have their descriptors.
        busy.invalidate()
    }

    /// Prints how many loads from different origins have ended in which way.
    private static func loadAll(_ transport: CurlTransport, _ numbers: Range<Int>, _ port: Int) {
        let loads = numbers.map { Load(transport, "http://origin\($0).localhost:\(port)/") }
        var counts: [String: Int] = [:]
        for load in loads {
            counts[load.outcome.components(separatedBy: ": http").first ?? "", default: 0] += 1
        }
        for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(count) × \(outcome)") }
    }
}

/// Descriptors that are taken from the rest of the process.
struct Descriptors {
    private let descriptors: [Int32]

    /// Takes all but `count`.
    init(leaving count: Int) {
        var limits = rlimit(rlim_cur: 200, rlim_max: 200)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        var descriptors: [Int32] = []
        while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 {
            descriptors.append(descriptor)
        }
        for _ in 0..<count { _ = descriptors.popLast().map { Foundation.close($0) } }
        self.descriptors = descriptors
    }

    func close() { for descriptor in descriptors { Foundation.close(descriptor) } }
}
