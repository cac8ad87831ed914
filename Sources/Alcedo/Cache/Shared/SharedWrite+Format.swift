import AlcedoCaches
import Foundation

extension SharedWrite {
    /// Stores the bytes of an image in the background, with their format.
    func store(_ body: Data) { store(body, type: body.encodedFormat.map { "\($0)" } ?? "") }
}
