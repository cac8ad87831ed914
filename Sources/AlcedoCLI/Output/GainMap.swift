import Alcedo
import Foundation

/// A second picture in a file, from which programs make one that is brighter than white.
enum GainMap {
    /// Whether the headers announce one: the XMP of an Ultra HDR JPEG, or an item of a HEIC or an AVIF, by Apple
    /// or ISO 21496-1.
    static func isIn(_ data: Data, _ format: EncodedFormat, _ metadata: ImageMetadata?) -> Bool {
        switch format {
        case .jpeg:
            guard let xmp = metadata?.xmp else { return false }
            return Data(xmp).range(of: Data("http://ns.adobe.com/hdr-gain-map/1.0/".utf8)) != nil
        case .heic, .avif:
            let head = data.prefix(longestHead)
            return ["urn:com:apple:photo:2020:aux:hdrgainmap", "tmap"]
                .contains { head.range(of: Data($0.utf8)) != nil }
        default: return false
        }
    }

    /// Items are listed before what may be large.
    private static let longestHead = 1 << 16
}
