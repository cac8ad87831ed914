import AlcedoLocks
import AlcedoTransport
import Foundation

/// A service that is spoken to as to S3, and what authorizes requests for its objects.
///
/// The name of a bucket becomes a part of a host at most, and a redirect only names a region.
package final class ObjectStore: SourceStore {
    /// Scheme, host and path of a service that is spoken to as to S3.
    struct Endpoint: Sendable, Equatable {
        var scheme = "https"

        /// With the port, if it is not the scheme's.
        var host: String

        /// Starts with a slash unless it is empty.
        var path = ""
    }

    enum Authorization: Sendable {
        /// What signs.
        case keys(AWSKeys)

        /// What gives tokens, which Google takes instead of signatures.
        case google(TemporaryCredential<GoogleIdentity>)
    }

    /// The requests for an object, to follow redirects to the region of its bucket.
    private static let mostRequests = 3

    /// Buckets whose regions are remembered.
    private static let mostBuckets = 1000

    let authorization: Authorization
    private let region: String

    /// Nil for AWS, which has one for each region.
    private let endpoint: Endpoint?
    private let usesPathStyle: Bool

    /// The regions of buckets that are elsewhere.
    private let regions = Lock<[String: String]>([:])

    init(
        _ authorization: Authorization, region: String, endpoint: Endpoint? = nil, usesPathStyle: Bool = true
    ) {
        (self.authorization, self.region) = (authorization, region)
        (self.endpoint, self.usesPathStyle) = (endpoint, usesPathStyle)
    }

    func response(
        for object: ObjectAddress, adding headers: [(name: String, value: String)],
        by transport: any Transport, now: () -> Date, send: Send
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        await response(to: "GET", for: object, by: transport, now: now, send: send)
    }

    /// The response to a request for an object, which `send` sends, for each region that a response names once more.
    func response(
        to method: String, for object: ObjectAddress, body: [UInt8] = [], by transport: any Transport,
        now: () -> Date, send: Send
    ) async -> Result<RemoteSource.Response, RequestFailure> {
        switch authorization {
        case .google(let identity):
            let url = place(of: object).url
            return await identity.response(by: transport, now: now) { token, isFirst in
                await send(url, [(name: "Authorization", value: "Bearer \(token)")], isFirst)
            }
        case .keys(let keys):
            var requests = 0
            while true {
                let key: AWSCredentials
                switch await keys.current(by: transport, at: now()) {
                case .success(let current): key = current
                case .failure(let failure): return .failure(failure)
                }
                guard let signed = request(method, for: object, body: body, key, at: now()) else {
                    return .failure(.internalError("the request could not be signed: libcrypto failed"))
                }
                let result = await send(signed.url, signed.headers, requests == 0)
                requests += 1
                guard case .success(let response) = result, requests < Self.mostRequests,
                    follows(response, of: object.bucket)
                else { return result }
            }
        }
    }

    /// The URL of an object and the headers that sign a request for it; nil if libcrypto fails.
    func request(
        _ method: String = "GET", for object: ObjectAddress, body: [UInt8] = [],
        _ key: AWSCredentials, at date: Date
    ) -> (url: String, headers: [(name: String, value: String)])? {
        let place = place(of: object)
        let request = AWSSignature.Request(
            method: method, host: place.host, path: place.path, query: place.query, body: body)
        let signature = AWSSignature(credentials: key, region: region(of: object.bucket), service: "s3")
        return signature.headers(of: request, at: date).map { (place.url, $0) }
    }

    private struct Place {
        let scheme, host, path, query: String

        var url: String { "\(scheme)://\(host)\(path)" + (query.isEmpty ? "" : "?\(query)") }
    }

    private func place(of object: ObjectAddress) -> Place {
        let endpoint = endpoint ?? .aws("s3", region: region(of: object.bucket))
        // A certificate for all buckets does not cover dots.
        let isInPath = usesPathStyle && self.endpoint != nil || !Self.isHostLabel(object.bucket)
        return Place(
            scheme: endpoint.scheme, host: isInPath ? endpoint.host : "\(object.bucket).\(endpoint.host)",
            path: endpoint.path + (isInPath ? "/\(object.bucket)/" : "/") + object.key,
            query: object.version.map { "\(object.scheme.versionParameter)=\($0)" } ?? "")
    }

    private func region(of bucket: String) -> String { regions.withLock { $0[bucket] } ?? region }

    /// Whether a response says that the bucket is in another region, where the next request then goes.
    private func follows(_ response: RemoteSource.Response, of bucket: String) -> Bool {
        // 400 is for a signature with another region (AuthorizationHeaderMalformed).
        guard [301, 307, 400].contains(response.status),
            let name = response.result.response.value(forHeader: "x-amz-bucket-region")
                ?? Self.text(of: "Region", in: response.result.body),
            Self.isRegion(name), name != region(of: bucket)
        else { return false }
        regions.withLock { regions in
            if regions.count >= Self.mostBuckets { regions.removeAll() }
            regions[bucket] = name
        }
        return true
    }

    /// Whether it can be a part of a host, and of nothing else.
    static func isRegion(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    /// The error of a response, such as `NoSuchKey`; nil without one.
    static func errorCode(of response: RemoteSource.Response) -> String? {
        text(of: "Code", in: response.result.body).flatMap { code in
            code.utf8.count <= 64 && code.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) ? code : nil
        }
    }

    /// What is in the first element of a name, of the start of a document in XML.
    static func text(of name: String, in body: Data) -> String? {
        let text = Array(body.prefix(16 << 10))
        guard let start = text.firstIndex(of: Array("<\(name)>".utf8)) else { return nil }
        let rest = text[(start + name.utf8.count + 2)...]
        return rest.firstIndex(of: Array("</\(name)>".utf8)).flatMap { rest[..<$0].exactText }
    }

    private static func isHostLabel(_ bucket: String) -> Bool {
        bucket.utf8.count <= 63 && bucket.utf8.last != UInt8(ascii: "-")
            && bucket.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}

extension ObjectStore.Endpoint {
    /// A service in a region of AWS.
    static func aws(_ service: String, region: String) -> Self {
        Self(host: "\(service).\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : ""))
    }

    /// The S3-compatible interface of Google Cloud Storage.
    static let google = Self(host: "storage.googleapis.com")

    /// Reads `https://HOST[:PORT][/PATH]`; nil if the text is anything else.
    init?(_ text: String) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = parts.percentEncodedHost?.lowercased(),
            !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else { return nil }
        let path = parts.percentEncodedPath
        guard host.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-._:[]".utf8.contains($0) }),
            path.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "-._~/".utf8.contains($0) })
        else { return nil }
        let port = parts.port.flatMap { $0 == (scheme == "http" ? 80 : 443) ? nil : $0 }
        self.init(
            scheme: scheme, host: host + (port.map { ":\($0)" } ?? ""),
            path: path.hasSuffix("/") ? String(path.dropLast()) : path)
    }
}
