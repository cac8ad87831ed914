import AlcedoHTTPServer
import Foundation

extension ImageHandler {
    /// The names that a request with the method `PURGE` purges: `/SIGNATURE/source/SOURCE`, or `/SIGNATURE/tag/NAME…`.
    ///
    /// Without keys, nobody may purge unless the request has the server's secret.
    func purgedNames(of request: HTTPRequest, hasSecret: Bool) throws(RequestFailure) -> [String] {
        do throws(URLFailure) {
            guard hasSecret || !rules.keys.isEmpty else {
                throw URLFailure(.forbidden, "PURGE needs KEY and SALT, or SECRET")
            }
            var strict = rules
            // Every client knows them.
            strict.trustedSignatures = []
            let path = try RequestPath(request.target, prefix: rules.pathPrefix)
            if !rules.keys.isEmpty { try strict.check(path.signature, of: path.signed) }
            let segments = path.signed.dropFirst().parts(by: .slash)
            switch segments.first?.text {
            case "source" where segments.count > 1:
                let source = try SourceText(segments[1...], rules: rules)
                return [Purges.name(of: try rules.source(of: source.url))]
            case "tag" where segments.count > 1:
                return segments.dropFirst().map { Purges.name(ofTag: ($0.percentDecoded?[...] ?? $0).text) }
            default:
                throw URLFailure(.invalidURL, "PURGE takes /SIGNATURE/source/SOURCE or /SIGNATURE/tag/NAME")
            }
        } catch { throw RequestFailure(error) }
    }
}
