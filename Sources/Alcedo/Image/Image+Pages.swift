import AlcedoCodecs
import AlcedoPixels
import Foundation

extension Image {
    /// How many pictures the file has: pages of a TIFF, sizes of an icon, pictures of a HEIC or an AVIF, frames of an animation.
    ///
    /// 1 for a file with one, and for an image without a file. Read from the file's structure.
    public var pageCount: Int {
        encoded.flatMap { FilePages($0.data.bytes, format: $0.info.format)?.count } ?? frameCount
    }

    /// A picture of the file as an image of its own, with its metadata; a frame of an animation as a still image.
    ///
    /// The first one is 0. They are in the order of the file: an icon is shown by its largest picture, and a HEIC by one that
    /// it names, wherever these are.
    ///
    /// - Throws: ``CodecError`` if there is none, or it is damaged.
    public func page(at index: Int) throws(CodecError) -> Image {
        guard let encoded else { return try frame(at: index) }
        let (data, format) = (encoded.data, encoded.info.format)
        guard let pages = FilePages(data.bytes, format: format) else { return try frame(at: index) }
        let file = try Self.file(at: index, pages, data, format)
        return try Self.make(of: file, options: creatingOptions, limits: encoded.limits)
    }

    /// The picture at `index` of a file's content; `make` decodes a file.
    static func page(
        at index: Int, of data: Data, make: (Data) throws(CodecError) -> Image
    ) throws(CodecError) -> Image {
        if let format = data.encodedFormat, let pages = FilePages(data.bytes, format: format) {
            return try make(file(at: index, pages, data, format))
        }
        return try make(data).frame(at: index)
    }

    private static func file(
        at index: Int, _ pages: FilePages, _ data: Data, _ format: EncodedFormat
    ) throws(CodecError) -> Data {
        guard (0..<pages.count).contains(index) else { throw absence(of: index, pages.count, format) }
        return Data(pages.file(at: index, of: data.bytes))
    }

    private static func absence(of index: Int, _ count: Int, _ format: EncodedFormat) -> CodecError {
        let range = count == 1 ? "one page, which is 0" : "\(count) pages, from 0 to \(count - 1)"
        return .unsupported(format, reason: "it has \(range), and no page \(index)")
    }

    private func frame(at index: Int) throws(CodecError) -> Image {
        guard (0..<frameCount).contains(index) else {
            throw Self.absence(of: index, frameCount, info?.format ?? EncodedFormat(rawValue: "image"))
        }
        guard frameCount > 1 else { return self }
        if let images { return images[index] }
        guard let source = kf.frameSource,
            let frame = try source.copy().frameUnlessFailing(at: index, maxSize: nil)
        else { throw .corrupt(info?.format ?? .gif, reason: "its frame \(index) cannot be decoded") }
        return Image(bitmap: frame, scale: scale)
    }
}
