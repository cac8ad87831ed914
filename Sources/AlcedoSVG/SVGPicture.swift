import AlcedoCodecs
import AlcedoPixels

/// An SVG in an `image` element of another SVG.
///
/// It is drawn first, and the other one gets its pixels as a PNG: librsvg before 2.55 leaves it to a loader of gdk-pixbuf, which
/// has no limits and is not in a worker's sandbox.
struct SVGPicture {
    /// The elements that show pictures.
    static let elements: Set = ["image", filterElement]

    /// The element that fills its part of a filter, whatever the picture's own size.
    private static let filterElement = "feImage"

    /// SVGs inside each other's pictures.
    static let mostLevels = 4

    /// The longest value of an attribute that libxml2 reads.
    private static let longestURL = 9_999_999

    /// The attributes of the element that say what it shows and how large, as written.
    struct Box {
        static let names: Set = ["width", "height", "preserveAspectRatio", SVGPicture.attribute]

        var hasAddress = false
        var width: String?
        var height: String?
        var preserveAspectRatio = ""

        /// Reads an attribute with one of ``names``; false if it has to be left out: it is no length, and the picture's
        /// own size is written instead.
        mutating func note(_ name: String, _ value: [UInt8]) -> Bool {
            guard name != SVGPicture.attribute else {
                hasAddress = true
                return true
            }
            let value = String(decoding: value, as: UTF8.self)
            guard name == "preserveAspectRatio" || SVGFrame.isLength(value) else { return false }
            switch name {
            case "width": width = value
            case "height": height = value
            case "preserveAspectRatio": preserveAspectRatio = value
            default: break
            }
            return true
        }
    }

    /// The attribute that comes before others of its name with a prefix.
    private static let attribute = "href"

    let document: SVGDocument
    /// The name of the attribute with the address.
    let name: String
    /// The element's name.
    let kind: String
    /// Of the picture's address in the text of the other document.
    let offset: Int
    /// The number of the element among all elements of the other document.
    let element: Int
    var box = Box()

    /// The one of an element's pictures that it shows, all of whose attributes were read.
    static func shown(of pictures: ArraySlice<SVGPicture>, _ box: Box) -> SVGPicture? {
        let other = pictures.last { $0.name == "xlink:href" } ?? pictures.last
        var shown = box.hasAddress ? pictures.first { $0.name == attribute } : other
        shown?.box = box
        return shown
    }

    /// What to write as the address: the pixels, and what the element does not say about its size.
    ///
    /// `view` has the sides of the other document in its units, of `scale` pixels each. Where the picture is, units are
    /// larger by `zoom`. No side becomes longer than `longest` pixels.
    ///
    /// - Returns: the address; nothing for a damaged SVG.
    /// - Throws: ``CodecError`` if drawing it takes too long or exceeds `limits`.
    func address(
        in view: SVGExtent.Sides, scale: Double, zoom: Double, longest: Int, limits: DecodeLimits,
        totals: SVGTotals
    ) throws(CodecError) -> [UInt8] {
        let (sides, natural) = sides(in: view)
        // A filter may show it as large as the view, wherever the filter is.
        let scale = kind == Self.filterElement ? scale : scale * zoom
        var (width, height) = (sides.width * scale, sides.height * scale)
        if !box.preserveAspectRatio.contains("none") {
            let (across, down) = (width / natural.width, height / natural.height)
            let factor = box.preserveAspectRatio.contains("slice") ? max(across, down) : min(across, down)
            (width, height) = (natural.width * factor, natural.height * factor)
        }
        let shrink = min(1, Double(longest) / max(width, height, 1))
        var size = PixelSize(width: Self.whole(width * shrink), height: Self.whole(height * shrink))
        var url: [UInt8] = []
        repeat {
            try totals.deadline.check()
            try totals.add(pixels: size.area, limits: limits)
            let bitmap: Bitmap
            do throws(CodecError) {
                bitmap = try document.bitmap(
                    at: size, natural: natural, limits: limits, keepsStraightAlpha: false)
            } catch .corrupt { return [] }
            let png = try CodecRegistry().encode(bitmap, as: .png)
            url = Array("data:image/png;base64,".utf8) + SVGCharacters.base64(png)
            size = PixelSize(width: max(1, size.width / 2), height: max(1, size.height / 2))
        } while url.count > Self.longestURL
        guard kind != Self.filterElement else { return url }
        if box.width == nil { url += "\" width=\"\(sides.width)".utf8 }
        if box.height == nil { url += "\" height=\"\(sides.height)".utf8 }
        return url
    }

    /// The sides of the element in units of the other document, and the size of the SVG in it.
    private func sides(in view: SVGExtent.Sides) -> (SVGExtent.Sides, natural: SVGExtent.Sides) {
        let size = document.frame.size
        guard kind != Self.filterElement else { return (view, document.frame.isShapeless ? view : size) }
        let width = box.width.map { SVGExtent.length($0, of: view.width) } ?? 0
        let height = box.height.map { SVGExtent.length($0, of: view.height) } ?? 0
        let sides =
            switch (width > 0, height > 0) {
            case (true, true): (width, height)
            case (true, false): (width, width * size.height / size.width)
            case (false, true): (height * size.width / size.height, height)
            case (false, false): size
            }
        return (sides, document.frame.isShapeless ? sides : size)
    }

    private static func whole(_ side: Double) -> Int { Int(max(1, min(side.rounded(.up), 1e9))) }
}
