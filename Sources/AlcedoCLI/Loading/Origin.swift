import Alcedo
import Foundation

/// The tier that an image came from: `from` in JSON.
enum Origin: String {
    /// It was loaded before in this run, or its bytes are in a `data:` URL.
    case memory
    case disk
    case network
    /// A local file or a pipe, which is read anew each time.
    case file

    init(_ input: Input, _ cacheType: CacheType) {
        switch cacheType {
        case .memory: self = .memory
        case .disk: self = .disk
        case .none:
            self =
                switch input.url.scheme?.lowercased() {
                case "file": .file
                case "data": .memory
                default: .network
                }
        }
    }
}
