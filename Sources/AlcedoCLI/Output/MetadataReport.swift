import Alcedo
import AlcedoConsole
import Foundation

/// What `info` prints of an image's metadata.
struct MetadataReport {
    private let metadata: ImageMetadata

    /// The longest text that is printed for people, in characters.
    private static let longestText = 300

    init(_ metadata: ImageMetadata) { self.metadata = metadata }

    /// Lines for people: names, and values without control characters.
    var lines: [(String, String)] {
        let texts: [(String, String?)] = [
            ("date", metadata.date?.description),
            ("camera", Self.joined(metadata.cameraMake, metadata.cameraModel)),
            ("lens", Self.joined(metadata.lensMake, metadata.lensModel)), ("exposure", exposure),
            ("flash", metadata.flashFired.map { $0 ? "fired" : "no" }), ("place", place),
            ("title", metadata.title), ("caption", metadata.caption),
            ("creators", Self.list(metadata.creators)), ("rights", metadata.rights),
            ("keywords", Self.list(metadata.keywords)), ("software", metadata.software), ("metadata", blocks),
        ]
        return texts.compactMap { name, text in
            guard let text else { return nil }
            let shown = text.count > Self.longestText ? text.prefix(Self.longestText) + "…" : text[...]
            return (name, printable(String(shown)))
        }
    }

    /// The same for programs, whole.
    var json: [String: Any] {
        let values: [(String, Any?)] = [
            ("date", metadata.date?.description), ("cameraMake", metadata.cameraMake),
            ("cameraModel", metadata.cameraModel), ("lensMake", metadata.lensMake),
            ("lensModel", metadata.lensModel), ("exposureTime", metadata.exposureTime),
            ("aperture", metadata.aperture), ("iso", metadata.isoSpeed),
            ("focalLength", metadata.focalLength),
            ("focalLengthOnFilm", metadata.focalLengthOnFilm), ("flash", metadata.flashFired),
            ("latitude", metadata.location?.latitude), ("longitude", metadata.location?.longitude),
            ("altitude", metadata.location?.altitude), ("title", metadata.title),
            ("caption", metadata.caption), ("rights", metadata.rights), ("software", metadata.software),
            ("creators", metadata.creators.isEmpty ? nil : metadata.creators),
            ("keywords", metadata.keywords.isEmpty ? nil : metadata.keywords),
            ("exifBytes", metadata.exif?.count), ("xmpBytes", metadata.xmp?.count),
            ("iptcBytes", metadata.iptc?.count),
        ]
        var object: [String: Any] = [:]
        for case (let name, let value?) in values { object[name] = value }
        return object
    }

    private var exposure: String? {
        var parts: [String] = []
        if let time = metadata.exposureTime {
            let inverse = (1 / time).rounded()
            parts.append(
                time < 0.4 && inverse.isFinite ? "1/\(Self.number(inverse)) s" : "\(Self.number(time)) s")
        }
        if let aperture = metadata.aperture { parts.append("f/\(Self.number(aperture))") }
        if let iso = metadata.isoSpeed { parts.append("ISO \(iso)") }
        if let length = metadata.focalLength {
            let film = metadata.focalLengthOnFilm.map { " (\($0) mm on film)" } ?? ""
            parts.append("\(Self.number(length)) mm\(film)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private var place: String? {
        guard let location = metadata.location else { return nil }
        let height = location.altitude.map { ", \(Self.number($0)) m" } ?? ""
        return "\(Self.number(location.latitude, 6)), \(Self.number(location.longitude, 6))\(height)"
    }

    private var blocks: String? {
        let blocks = [("EXIF", metadata.exif), ("XMP", metadata.xmp), ("IPTC", metadata.iptc)]
        return Self.list(blocks.compactMap { name, bytes in bytes.map { "\(name) \(byteText($0.count))" } })
    }

    private static func joined(_ make: String?, _ model: String?) -> String? {
        guard let make, let model, !model.hasPrefix(make) else { return model ?? make }
        return "\(make) \(model)"
    }

    private static func list(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// A number of so many decimals at most.
    private static func number(_ number: Double, _ decimals: Int = 2) -> String {
        let power = pow(10, Double(decimals))
        let rounded = (number * power).rounded() / power
        return rounded.magnitude < 1e15 && rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
