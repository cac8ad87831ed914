import Foundation
import FoundationNetworking
import Harness
import Synchronization

/// Downloads files with URLSession: all asked for at once, or `parallel=` at a time, the next one when one has come.
///
/// Certificates are checked by nobody here: the environment says so, as URLSession on Linux has no other way.
func download(_ arguments: Arguments) throws {
    let count = arguments.number("count", default: 5000)
    let bytes = arguments.number("bytes", default: 0)
    let urls = (0..<count).map { index in
        let digits = String(repeating: "0", count: max(0, 5 - "\(index)".count)) + "\(index)"
        guard let url = URL(string: "\(arguments("base"))/\(digits).jpeg") else { fail("no URL") }
        return url
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = arguments.number("connections", default: 16)
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    let remaining = Countdown(count)
    let next = Atomic(min(count, arguments.number("parallel", default: count)))
    @Sendable func start(_ index: Int) {
        session.dataTask(with: urls[index]) { data, response, error in
            guard let data, (response as? HTTPURLResponse)?.statusCode == 200,
                bytes == 0 || data.count == bytes
            else { fail("not the file: \(error.map { "\($0)" } ?? "")") }
            let following = next.add(1, ordering: .relaxed).oldValue
            if following < count { start(following) }
            remaining.countDown()
        }.resume()
    }
    let before = processorTime()
    let seconds = time {
        for index in 0..<next.load(ordering: .relaxed) { start(index) }
        remaining.wait()
    }
    report([seconds], ["work": processorTime() - before])
}
