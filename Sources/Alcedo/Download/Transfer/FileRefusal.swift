package import AlcedoTransport
package import Foundation

extension ImageDownloader {
    /// Why nothing may be loaded from `source`, not even from a cache; nil if it may.
    ///
    /// A file URL is refused under ``AddressPolicy/publicOnly``, whichever way it comes here. A provider that the program
    /// has made for a file by itself is not.
    func refusal(of source: Source) -> TransportError? {
        switch source {
        case .network(let resource): refusal(of: resource.downloadURL)
        case .provider(let provider as LocalFileImageDataProvider) where provider.isResource:
            refusal(of: provider.fileURL)
        case .provider: nil
        }
    }

    /// Why nothing may be loaded from `url`, not even from a cache; nil if it may.
    package func refusal(of url: URL) -> TransportError? {
        guard url.scheme?.lowercased() == "file", addressPolicy == .publicOnly else { return nil }
        return .addressRefused("file:", url: url.absoluteString)
    }
}
