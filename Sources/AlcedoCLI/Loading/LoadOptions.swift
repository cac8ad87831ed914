import Alcedo
import Foundation

/// The options of all commands that load images: `--header`, `--timeout`, `--max-pixels` and `--sandbox`.
struct LoadOptions: Sendable {
    static let options: [Arguments.Option] = [
        .value("header"), .value("timeout"), .value("max-pixels"), Sandbox.option,
    ]

    static let details = """
          --header 'N: V'    send a header field with each request; may be repeated
          --timeout SECONDS  the longest wait for a connection, for the first byte and between two bytes;
                             15 by default
          --max-pixels N     reject images with more pixels; 50000000 by default
        \(Sandbox.details)
        """

    private let sandbox: Sandbox
    private let headers: [HeaderField]
    private let timeout: Double?

    /// How long a file system may take to find a file, in seconds.
    var fileTimeout: Double { timeout ?? 15 }

    private static let mostPixels = 1_000_000_000

    /// How many pixels an image may have.
    let maximumPixels: Int

    /// Without `readsPixels` nothing is decoded: more pixels are no work then, and so no error by default.
    init(_ arguments: Arguments, readsPixels: Bool = true) throws {
        sandbox = try Sandbox(arguments)
        headers = try arguments.values("header").map { try HeaderField($0) }
        timeout = try arguments.number("timeout", .positive(upTo: 3600))
        maximumPixels =
            try arguments.integer("max-pixels", in: 1...Self.mostPixels)
            ?? (readsPixels ? DecodeLimits().pixelsPerFrame : Self.mostPixels)
    }

    /// The load options of `input`.
    func options(for input: Input) -> KingfisherOptionsInfo {
        var options: KingfisherOptionsInfo = [.decodeLimits(limits(for: input))]
        if !headers.isEmpty || timeout != nil {
            options.append(.requestModifier(AnyModifier(modify: modify)))
        }
        return options
    }

    /// The decode limits of `input`.
    func limits(for input: Input) -> DecodeLimits {
        DecodeLimits {
            $0.sandbox = sandbox.isolation(for: input)
            $0.pixelsPerFrame = maximumPixels
        }
    }

    private func modify(_ request: URLRequest) -> URLRequest? {
        var request = request
        for header in headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
        if let timeout { request.timeoutInterval = timeout }
        return request
    }
}
