public import AlcedoPixels

/// What an image file says about its picture: when, where and how it was taken, by whom, and what it shows.
///
/// Read from EXIF, XMP and IPTC in bounds-checked Swift, in all isolation: no bytes reach a C library.
/// Whoever made the file may write anything: a text is as it is in the file, and may have control characters
/// and any length up to 64 KiB.
///
/// | Format | EXIF | XMP | IPTC |
/// |---|:-:|:-:|:-:|
/// | JPEG | ● | ● also an extension | ● |
/// | PNG | ● `eXIf`, and texts as of ImageMagick | ● | ● in texts |
/// | WebP | ● | ● | |
/// | TIFF | ● | ● | ● |
/// | HEIC, AVIF | ● | ● | |
/// | JPEG XL | ● unless compressed by Brotli | ● the same | |
public struct ImageMetadata: Sendable, Equatable {
    /// When the picture was taken, else when it was digitised, else when the file was changed.
    public private(set) var date: CaptureDate?

    public private(set) var cameraMake: String?
    public private(set) var cameraModel: String?
    public private(set) var lensMake: String?
    public private(set) var lensModel: String?

    /// In seconds.
    public private(set) var exposureTime: Double?

    /// The f-number.
    public private(set) var aperture: Double?

    /// The sensitivity (ISO 12232).
    public private(set) var isoSpeed: Int?

    /// In millimetres.
    public private(set) var focalLength: Double?

    /// In millimetres, for the same angle of view on 35 mm film.
    public private(set) var focalLengthOnFilm: Int?

    public private(set) var flashFired: Bool?

    /// How EXIF says that the pixels must be turned.
    ///
    /// A HEIC, AVIF or JPEG XL is turned by its own boxes instead, so this is no more than what a camera wrote;
    /// ``ImageInfo/orientation`` is what counts.
    public private(set) var orientation: ImageOrientation?

    /// Where the camera was.
    public private(set) var location: Location?

    public private(set) var title: String?

    /// A description of what the picture shows.
    public private(set) var caption: String?

    /// Who has which rights: a copyright notice.
    public private(set) var rights: String?

    /// Who made the picture; at most 1,024.
    public private(set) var creators: [String] = []

    /// At most 1,024.
    public private(set) var keywords: [String] = []

    /// The program that wrote the file.
    public private(set) var software: String?

    /// The name of the embedded colour profile; nil for a JPEG XL.
    public private(set) var profileName: String?

    /// The TIFF structure of EXIF (JEITA CP-3451), without `Exif\0\0` in front; of a TIFF without the fields
    /// that say where its pixels are.
    public var exif: [UInt8]? { blocks.exif }

    /// The RDF document of XMP (ISO 16684-1).
    public var xmp: [UInt8]? { blocks.xmp }

    /// The rest of the XMP of a JPEG whose document is longer than a segment.
    public var xmpExtension: [UInt8]? { blocks.xmpExtension }

    /// IPTC's records (Information Interchange Model, version 4).
    public var iptc: [UInt8]? { blocks.iptc }

    /// The bytes of which all this is read.
    package let blocks: MetadataBlocks

    /// The longest text in bytes, and the most texts of a kind.
    private static let (longestText, mostTexts) = (1 << 16, 1024)

    /// Reads the metadata of a file in memory; nil if it is in no format that has any.
    ///
    /// Only ``DecodeLimits/metadataBytes`` counts of `limits`: longer blocks are left out. What is missing or
    /// damaged is nil.
    public init?(of bytes: RawSpan, limits: DecodeLimits = DecodeLimits()) {
        let metadata = MetadataSource.lending(bytes) { ImageMetadata(reading: $0, limits: limits) }
        guard let metadata else { return nil }
        self = metadata
    }

    /// Reads the metadata of a file in parts.
    package init?(reading source: MetadataSource, limits: DecodeLimits) {
        guard let format = MetadataReader.format(of: source) else { return nil }
        let reader = MetadataReader(source, format: format, limit: limits.metadataBytes)
        self.init(reader.blocks)
        profileName = reader.profileName
    }

    package init(_ blocks: MetadataBlocks) {
        self.blocks = blocks
        if let structure = blocks.exif.flatMap({ EXIFStructure($0) }) { read(structure) }
        let documents = [blocks.xmp, blocks.xmpExtension].compactMap { $0.flatMap(XMPDocument.init) }
        read(documents, blocks.iptc.map(IPTCRecords.init))
    }

    /// XMP comes first, as programs that write it keep it up to date; then IPTC, then EXIF.
    private mutating func read(_ documents: [XMPDocument], _ records: IPTCRecords?) {
        func texts(_ property: String, _ number: UInt8) -> [(language: String?, text: String)] {
            for document in documents {
                let found = document.texts(of: property, count: Self.mostTexts, length: Self.longestText)
                if !found.isEmpty { return found }
            }
            let old = records?.texts(of: number, count: Self.mostTexts, length: Self.longestText) ?? []
            return old.map { (nil, $0) }
        }
        /// The text in the default language, or the first.
        func text(_ property: String, _ number: UInt8) -> String? {
            let all = texts(property, number)
            return (all.first { $0.language == "x-default" } ?? all.first)?.text
        }
        title = text("title", 5)
        caption = text("description", 120) ?? caption
        rights = text("rights", 116) ?? rights
        let authors = texts("creator", 80).map(\.text)
        if !authors.isEmpty { creators = authors }
        keywords = texts("subject", 25).map(\.text)
    }
}

// MARK: - EXIF

extension ImageMetadata {
    private mutating func read(_ structure: EXIFStructure) {
        let image = EXIFValues(structure.image, isBig: structure.isBig)
        let photo = EXIFValues(structure.photo, isBig: structure.isBig)
        (cameraMake, cameraModel) = (image.text(0x010F), image.text(0x0110))
        (lensMake, lensModel) = (photo.text(0xA433), photo.text(0xA434))
        (software, caption, rights) = (image.text(0x0131), image.text(0x010E), image.text(EXIFTag.copyright))
        creators = image.text(EXIFTag.artist).map { [$0] } ?? []
        orientation = image.integer(EXIFTag.orientation).flatMap(ImageOrientation.init(rawValue:))
        exposureTime = photo.number(0x829A).flatMap { $0 > 0 ? $0 : nil }
        aperture = photo.number(0x829D).flatMap { $0 > 0 ? $0 : nil }
        // 65,535 stands for more than 16 bits have, which is in one of the others.
        isoSpeed = [0x8827, 0x8833, 0x8832, 0x8831].lazy.compactMap { photo.integer($0) }
            .first { $0 > 0 && $0 != 65_535 }
        focalLength = photo.number(0x920A).flatMap { $0 > 0 ? $0 : nil }
        focalLengthOnFilm = photo.integer(0xA405).flatMap { $0 > 0 ? $0 : nil }
        flashFired = photo.integer(0x9209).map { $0 & 1 == 1 }
        date =
            CaptureDate(photo.text(0x9003), fraction: photo.text(0x9291), offset: photo.text(0x9011))
            ?? CaptureDate(photo.text(0x9004), fraction: photo.text(0x9292), offset: photo.text(0x9012))
            ?? CaptureDate(image.text(0x0132), fraction: photo.text(0x9290), offset: photo.text(0x9010))
        location = Location(EXIFValues(structure.location, isBig: structure.isBig))
    }
}

/// The values of a directory.
struct EXIFValues {
    private var values: [Int: EXIFStructure.Field] = [:]
    private let isBig: Bool

    init(_ fields: [EXIFStructure.Field], isBig: Bool) {
        self.isBig = isBig
        for field in fields { values[field.tag] = field }
    }

    /// A text up to its zero; nil if there is none, or only white space.
    func text(_ tag: Int) -> String? {
        guard let field = values[tag], [1, 2, 7, 129].contains(field.type) else { return nil }
        let text = MetadataText.trimmed(MetadataText.text(field.value.prefix(1 << 16).prefix { $0 != 0 }))
        return text.isEmpty ? nil : text
    }

    /// The first number, of an integer type.
    func integer(_ tag: Int) -> Int? {
        guard let field = values[tag], [1, 3, 4, 6, 8, 9, 16].contains(field.type),
            let width = EXIFTag.width(of: field.type)
        else { return nil }
        let number = MetadataSource(field.value).number(0, width, isBig: isBig)
        guard [6, 8, 9].contains(field.type), let number else { return number }
        return number < 1 << (8 * width - 1) ? number : number - 1 << (8 * width)
    }

    func number(_ tag: Int) -> Double? { numbers(tag, 1)?[0] ?? integer(tag).map { Double($0) } }

    /// So many fractions; nil unless all are there and are numbers.
    func numbers(_ tag: Int, _ count: Int) -> [Double]? {
        guard let field = values[tag], field.type == 5 || field.type == 10, field.value.count >= 8 * count
        else {
            return nil
        }
        let source = MetadataSource(field.value)
        var numbers: [Double] = []
        for index in 0..<count {
            guard let above = source.number(index * 8, 4, isBig: isBig),
                let below = source.number(index * 8 + 4, 4, isBig: isBig), below != 0
            else { return nil }
            let isSigned = field.type == 10
            func value(_ bits: Int) -> Double {
                isSigned ? Double(Int32(truncatingIfNeeded: bits)) : Double(bits)
            }
            numbers.append(value(above) / value(below))
        }
        return numbers
    }
}

extension ImageMetadata {
    /// A point on the Earth (WGS 84).
    public struct Location: Sendable, Hashable {
        /// In degrees, from -90 in the south to 90.
        public var latitude: Double

        /// In degrees, from -180 in the west to 180.
        public var longitude: Double

        /// In metres above sea level; negative below.
        public var altitude: Double?

        public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
        }

        /// Nil unless both angles are numbers in range with a hemisphere: half a place is another place.
        init?(_ values: EXIFValues) {
            func angle(_ tag: Int, _ most: Double, _ positive: String, _ negative: String) -> Double? {
                guard let parts = values.numbers(tag, 3), let side = values.text(tag - 1)?.uppercased(),
                    side == positive || side == negative
                else { return nil }
                let angle = parts[0] + parts[1] / 60 + parts[2] / 3600
                guard parts.allSatisfy({ $0 >= 0 }), angle <= most else { return nil }
                return side == negative ? -angle : angle
            }
            guard let latitude = angle(2, 90, "N", "S"), let longitude = angle(4, 180, "E", "W") else {
                return nil
            }
            let height = values.numbers(6, 1)?[0]
            // 0 and 2 are above, 1 and 3 below sea level or the ellipsoid.
            let isBelow = (values.integer(5) ?? 0) & 1 == 1
            self.init(
                latitude: latitude, longitude: longitude, altitude: height.map { isBelow ? -$0 : $0 })
        }
    }

    /// A date and time as a camera's clock showed it.
    public struct CaptureDate: Sendable, Hashable {
        public var year: Int
        public var month: Int
        public var day: Int
        public var hour: Int
        public var minute: Int
        public var second: Int

        /// The fraction of the second, from 0 to below 1; 0 if the file has none.
        public var fraction = 0.0

        /// Minutes by which the clock was ahead of UTC; nil if the file does not say.
        public var offset: Int?

        /// `2026:11:29 09:28:00` and what EXIF has beside it; nil if that is no date.
        init?(_ text: String?, fraction: String?, offset: String?) {
            guard let text, text.utf8.count == 19 else { return nil }
            let bytes = Array(text.utf8)
            let marks: [(Int, String)] = [(4, ":-"), (7, ":-"), (10, " T"), (13, ":"), (16, ":")]
            guard marks.allSatisfy({ $1.utf8.contains(bytes[$0]) }) else { return nil }
            func number(_ range: Range<Int>) -> Int? {
                guard bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
                return bytes[range].reduce(0) { $0 * 10 + Int($1) - 0x30 }
            }
            guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
                let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
                year > 0, (1...12).contains(month), (1...Self.days(of: month, year)).contains(day), hour < 24,
                minute < 60, second < 60
            else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
            (self.hour, self.minute, self.second) = (hour, minute, second)
            if let fraction, !fraction.isEmpty, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                self.fraction = Double("0." + fraction.prefix(9)) ?? 0
            }
            self.offset = offset.flatMap(Self.minutes)
        }

        private static func days(of month: Int, _ year: Int) -> Int {
            switch month {
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }

        /// The minutes of `+02:00`.
        private static func minutes(_ text: String) -> Int? {
            if text == "Z" { return 0 }
            let bytes = Array(text.utf8)
            guard bytes.count == 6, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
                bytes[3] == UInt8(ascii: ":"), let hours = Int(text.dropFirst().prefix(2)),
                let minutes = Int(text.suffix(2)), (0...14).contains(hours), (0...59).contains(minutes)
            else { return nil }
            return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
        }
    }
}

extension ImageMetadata.CaptureDate: CustomStringConvertible {
    /// As in ISO 8601: `2026-11-29T09:28:00.25+01:00`.
    public var description: String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let years = String(repeating: "0", count: max(0, 4 - "\(year)".count)) + "\(year)"
        var text = "\(years)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))"
        // Digits of a fraction below a thousandth are no camera's.
        let thousandths = Int((fraction * 1000).rounded(.down))
        if thousandths > 0 { text += "." + "\(1000 + thousandths)".dropFirst() }
        guard let offset else { return text }
        if offset == 0 { return text + "Z" }
        return text + (offset < 0 ? "-" : "+") + two(abs(offset) / 60) + ":" + two(abs(offset) % 60)
    }
}
