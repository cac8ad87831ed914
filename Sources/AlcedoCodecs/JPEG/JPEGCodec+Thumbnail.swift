import AlcedoPixels

extension JPEGCodec {
    /// The bytes of a photograph's EXIF thumbnail, a JPEG; nil if there is none that shows the photograph.
    ///
    /// Reads headers, up to the photograph's frame header. The thumbnail must be of the same shape, to within a pixel, as
    /// cameras pad some with black bars, and at most a quarter as wide. It is turned like the photograph.
    package static func thumbnail(in bytes: RawSpan) -> Range<Int>? {
        guard let photograph = try? JPEGHeader(bytes), let range = photograph.thumbnail,
            let thumbnail = try? JPEGHeader(bytes.extracting(range)), !thumbnail.size.isEmpty
        else { return nil }
        let (small, large) = (thumbnail.size, photograph.size)
        let deviation = abs(small.height * large.width - small.width * large.height)
        guard small.width * 4 <= large.width, deviation <= max(large.width, large.height) else { return nil }
        return range
    }
}
