import AlcedoPixels
import Testing

@Suite struct `Encoded formats` {
    private static let all: [EncodedFormat] = [
        .jpeg, .png, .gif, .webp, .bmp, .ico, .qoi, .pnm, .tga, .heic, .avif, .jxl, .tiff, .jp2, .svg,
    ]

    @Test(arguments: all)
    func `a format is found by its media type and its extensions`(format: EncodedFormat) {
        #expect(EncodedFormat(mediaType: format.mediaType) == format)
        #expect(EncodedFormat(fileExtension: format.fileExtension) == format)
        #expect(EncodedFormat(fileExtension: format.rawValue.uppercased()) == format)
    }

    @Test(arguments: [
        ("image/JPEG; charset=binary", EncodedFormat.jpeg), (" image/jpg ", .jpeg), ("image/x-icon", .ico),
        ("image/svg+xml;charset=utf-8", .svg), ("image/heif", .heic), ("image/apng", .png),
    ])
    func `a media type may have parameters, other letters, or a name in use`(
        type: String, format: EncodedFormat
    ) {
        #expect(EncodedFormat(mediaType: type) == format)
    }

    @Test(arguments: [
        ("JPG", EncodedFormat.jpeg), ("tif", .tiff), ("svgz", .svg), ("heif", .heic), ("ppm", .pnm),
    ])
    func `a format is found by other extensions that are in use`(name: String, format: EncodedFormat) {
        #expect(EncodedFormat(fileExtension: name) == format)
    }

    @Test(arguments: ["", "image/", "text/html", "video/mp4", "image/jpegs", "application/octet-stream"])
    func `a media type of another thing is that of no format`(type: String) {
        #expect(EncodedFormat(mediaType: type) == nil)
    }

    @Test(arguments: ["", "mp4", "jpgs", ".jpg"])
    func `an extension of other files is that of no format`(name: String) {
        #expect(EncodedFormat(fileExtension: name) == nil)
    }

    @Test func `a format of a program's own has a media type and an extension`() {
        let format = EncodedFormat(rawValue: "ff")
        #expect(format.mediaType == "image/ff")
        #expect(format.fileExtension == "ff")
    }
}
