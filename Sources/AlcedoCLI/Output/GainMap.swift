import Alcedo
import AlcedoCodecs
import Foundation

/// A second picture in a file, from which programs make one that is brighter than white.
enum GainMap {
    /// Whether there is one that can be applied to a JPEG, or whether the headers of a HEIC or an AVIF announce one, by Apple or
    /// ISO 21496-1.
    static func isIn(_ data: Data, _ format: EncodedFormat) -> Bool {
        switch format {
        case .jpeg: return JPEGGainMap(data.bytes, limits: DecodeLimits()) != nil
        case .heic, .avif:
            let head = data.prefix(longestHead)
            return head.range(of: Data("urn:com:apple:photo:2020:aux:hdrgainmap".utf8)) != nil
                || hasItem("tmap", Array(head))
        default: return false
        }
    }

    /// Whether one of the `infe` boxes, which list the items of a file, is of a type.
    private static func hasItem(_ type: String, _ head: [UInt8]) -> Bool {
        let (box, type) = (Array("infe".utf8), Array(type.utf8))
        // A type ends at most 14 + 4 bytes after the start of its box's name.
        return head.indices.dropLast(18).contains { start in
            guard head[start] == box[0], head[start..<start + 4].elementsEqual(box) else { return false }
            // Version and flags, then the item's number, which version 3 has in 32 bits, and a number of its protection.
            let place = start + (head[start + 4] == 3 ? 14 : 12)
            return head[place..<place + 4].elementsEqual(type)
        }
    }

    /// Items are listed before what may be large.
    private static let longestHead = 1 << 16
}
