import AlcedoAF
import AlcedoTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Blocks at a gate.
private struct Blocking: ResponseSerializer {
    let gate: Gate
    let threads: Recorder<String>

    func serialize(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) throws -> Int {
        threads.append(Thread.current.name ?? "")
        gate.wait()
        return data?.count ?? 0
    }
}

/// More than there are threads that decode.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Code of a program with Alamofire's API that blocks` {
    private let loading: AFLoading
    private let session = Session(configuration: AFLoading.configuration)
    private let gate = Gate()
    private let done = CallCounter()
    private let threads = Recorder<String>()
    private let count = 20

    init() throws { loading = try AFLoading() }

    private func checkOthers() async throws {
        let other = try loading.serve("/other", width: 8)
        #expect(try await loading.downloader.response(to: other).result.get().pixelSize.width == 8)
        #expect(done.value == 0)
    }

    @Test(arguments: [false, true])
    func `a serializer or validation that blocks keeps no image from being decoded`(isValidation: Bool)
        async throws
    {
        let requests = try (0..<count).map { try loading.serve("/\($0)") }
        for request in requests {
            let request = session.request(request)
            if isValidation {
                let validation: DataRequest.Validation = { [gate, threads] _, _, _ in
                    threads.append(Thread.current.name ?? "")
                    gate.wait()
                    return .success(())
                }
                request.validate(validation).responseData { [done] _ in done.increment() }
            } else {
                request.response(responseSerializer: Blocking(gate: gate, threads: threads)) { [done] _ in
                    done.increment()
                }
            }
        }
        await gate.waitForArrivals(count)
        // Not on those that decode, of which there may be more than `count`.
        #expect(threads.values.allSatisfy { $0.hasPrefix("alcedo-image-") })
        try await checkOthers()
        gate.open()
        await done.waitFor(count)
    }
}
