package import AlcedoTransport
package import Foundation

extension KingfisherError {
    /// The error of a load that the address policy refuses.
    static func refusal(_ error: TransportError) -> KingfisherError {
        .responseError(reason: .URLSessionError(error: error.urlError))
    }
}

extension ImageDownloader {
    /// Why `source` must not be loaded, not even from a cache; nil if it may.
    ///
    /// ``AddressPolicy/publicOnly`` refuses all file URLs, but not a provider that the program created for a file.
    func refusal(of source: Source) -> TransportError? {
        switch source {
        case .network(let resource): refusal(of: resource.downloadURL)
        case .provider(let provider as LocalFileImageDataProvider) where provider.isResource:
            refusal(of: provider.fileURL)
        case .provider: nil
        }
    }

    /// Why `url` must not be loaded, not even from a cache; nil if it may.
    package func refusal(of url: URL) -> TransportError? {
        guard url.scheme?.lowercased() == "file", addressPolicy.isRestricted else { return nil }
        return .addressRefused("file:", url: url.absoluteString)
    }
}
