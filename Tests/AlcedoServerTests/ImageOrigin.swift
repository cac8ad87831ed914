import Alcedo
import AlcedoHTTPServer
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoCaches
@testable import AlcedoServer

/// An origin on loopback and a handler that may load from it.
struct ImageOrigin {
    let server: LoopbackServer
    var rules = URLRules()
    var sources = SourceRules()
    var responses = ResponseRules()
    var engine: ServerEngine

    init(cache: EntryCache? = nil, _ change: (inout ImageOrigin) -> Void = { _ in }) throws {
        server = try LoopbackServer()
        engine = ServerEngine(cache: cache)
        sources.addressPolicy = .publicAnd(.loopback)
        // Many tests share two cores: no test but those of time-outs may depend on one.
        sources.downloadTimeout = 600
        responses.isolation = .off
        rules.allowsSecurityOptions = true
        change(&self)
    }

    var handler: ImageHandler {
        ImageHandler(rules: rules, sources: sources, responses: responses, engine: engine)
    }

    /// The request target for `path` at the origin; `format` goes behind `@`.
    func target(_ options: String, _ path: String, format: String = "") -> String {
        let suffix = format.isEmpty ? "" : "@\(format)"
        return "/unsafe/\(options)/plain/\(server.address(path))\(suffix)"
    }

    /// The response for `path` at the origin.
    func get(
        _ options: String, _ path: String, format: String = "", headers: [(String, String)] = [],
        within time: Duration = .seconds(600)
    ) async -> ServerResponse {
        let request = HTTPRequest.get(target(options, path, format: format), headers: headers)
        return await handler.response(to: request, until: .now + time)
    }

    /// The pixels of the response for `path`.
    func bitmap(_ options: String, _ path: String, format: String = "png") async throws -> Bitmap {
        let response = await get(options, path, format: format)
        try #require(response.status == 200, "\(response.status): \(response.reason ?? "")")
        return try Image(decoding: response.body).bitmap()
    }
}

extension EntryCache {
    /// A cache whose disk may take any time.
    convenience init(in folder: TemporaryDirectory) throws {
        let never = DiskStallCheck(schedule: { _ in }, error: DiskStallError(seconds: 1000))
        let disk = DiskStorage.Core(
            config: .init(name: "results", sizeLimit: 0, directory: folder.url), stallCheck: never)
        if let error = disk.folderError { throw error }
        self.init(disk)
    }
}

extension ImageHandler {
    /// The response, whose deadline is not missed, however long a busy machine lets its threads wait.
    func patientResponse(to request: HTTPRequest) async -> ServerResponse {
        await response(to: request, until: .now + .seconds(600))
    }
}

extension HTTPRequest {
    static func get(_ target: String, headers: [(String, String)] = []) -> HTTPRequest {
        HTTPRequest(
            target: Array(target.utf8), headers: HTTPHeaders(headers.map { (name: $0.0, value: $0.1) }))
    }
}

extension ServerResponse {
    var status: Int { http.status }
    var body: Data { http.body }
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of the only header called `name`.
    func header(_ name: String) -> String? {
        let values = http.headers.fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    /// The format of the body.
    var format: EncodedFormat? { try? Image(decoding: body).info?.format }

    /// The size of the image that the body has.
    var size: PixelSize? { try? Image(decoding: body).info?.uprightSize }
}

extension Bitmap {
    /// Red, green, blue and alpha at a place.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
        withUnsafeBytes { bytes in
            let offset = (y * width + x) * 4
            return [2, 1, 0, 3].map { Int(bytes[offset + $0]) }
        }
    }

    /// A bitmap of the pixels, in rows, that `pixel` gives as red, green, blue and alpha.
    static func drawn(
        _ width: Int, _ height: Int, alpha: Alpha = .opaque, _ pixel: (Int, Int) -> [Int]
    ) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: alpha)
        builder.withUnsafeMutableBytes { output in
            for y in 0..<height {
                for x in 0..<width {
                    let value = pixel(x, y)
                    for (channel, source) in [2, 1, 0, 3].enumerated() {
                        output[(y * width + x) * 4 + channel] =
                            UInt8(source < value.count ? value[source] : 255)
                    }
                }
            }
        }
        return builder.freeze()
    }

    func encoded(as format: EncodedFormat, quality: Double = 0.95) throws -> [UInt8] {
        try CodecRegistry.shared.encode(self, as: format, options: EncodeOptions { $0.quality = quality })
    }

    /// A picture whose red tells the column and whose green tells the row; blue is 128.
    static func coordinates(_ width: Int, _ height: Int) throws -> Bitmap {
        var builder = try PixelBuilder(size: PixelSize(width: width, height: height), alpha: .opaque)
        func level(_ place: Int, of count: Int) -> UInt32 {
            let level: Int = (place * 510 + count - 1) / (2 * count - 2)
            return UInt32(level)
        }
        let row = (0..<width).map { level($0, of: width) << 16 | 0xff00_0080 }
        builder.withUnsafeMutableBytes { output in
            let pixels = output.bindMemory(to: UInt32.self)
            for y in 0..<height {
                let green = level(y, of: height) << 8
                for x in 0..<width { pixels[y * width + x] = row[x] | green }
            }
        }
        return builder.freeze()
    }
}
