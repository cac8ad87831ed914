package import AlcedoPixels

extension Message {
    // MARK: - Headers

    /// The info of an image's headers.
    package static func facts(_ info: ImageInfo, id: UInt32) -> Message {
        let flags: UInt64 =
            (info.hasAlpha ? 1 : 0) | (info.isComplete ? 2 : 0) | (info.isScalable ? 4 : 0)
        // A file may ask for more repetitions than anyone lives to see.
        let loopCount = min(info.loopCount, Int(Int32.max))
        let numbers = [
            info.size.width, info.size.height, info.orientation.rawValue, info.frameCount, loopCount,
        ]
        return Message(.facts, id: id, words: numbers.map { UInt64(max(0, $0)) } + [flags])
    }

    /// The info of an image in `format`; nil if invalid.
    package func info(of format: EncodedFormat) -> ImageInfo? {
        guard kind == .facts, let size = size(0), !size.isEmpty, size.area <= Self.mostPixels,
            let orientation = count(2).flatMap({ Orientation(rawValue: $0) }),
            let frameCount = Int32(exactly: words[3]), frameCount > 0,
            let loopCount = Int32(exactly: words[4])
        else { return nil }
        return ImageInfo(
            format: format,
            size: size,
            orientation: orientation,
            frameCount: Int(frameCount),
            loopCount: Int(loopCount),
            hasAlpha: words[5] & 1 != 0,
            isComplete: words[5] & 2 != 0,
            isScalable: words[5] & 4 != 0
        )
    }

    /// Far more than there can be, and few enough that sums of the memory for them do not overflow.
    private static let mostPixels = Int.max >> 8

    // MARK: - Pixels

    /// Where pixels are.
    package enum Place: UInt64, Sendable {
        /// After the message.
        case tail
        /// In memory that was given for them.
        case memory
        /// In memory that the worker keeps.
        case scratch
    }

    /// Pixels that follow, or are in shared memory.
    package static func pixels(
        size: PixelSize, alpha: Bitmap.Alpha, duration: Double, place: Place, id: UInt32
    ) -> Message {
        let alphaNumber: UInt64 =
            switch alpha {
            case .opaque: 0
            case .premultiplied: 1
            case .straight: 2
            }
        let words = [UInt64(size.width), UInt64(size.height), alphaNumber, duration.bitPattern]
        return Message(.pixels, id: id, words: words + [place.rawValue])
    }

    /// The kind of the pixels' alpha; nil if invalid.
    package var alpha: Bitmap.Alpha? {
        switch words[2] {
        case 0: .opaque
        case 1: .premultiplied
        case 2: .straight
        default: nil
        }
    }

    // MARK: - Bytes

    /// So many bytes, which follow or are in shared memory.
    package static func bytes(_ count: Int, place: Place, id: UInt32) -> Message {
        Message(.bytes, id: id, words: [UInt64(count), 0, 0, 0, place.rawValue])
    }

    /// Whether pixels or bytes are in shared memory.
    package var isShared: Bool { words[4] == Place.memory.rawValue }

    /// Whether pixels are in memory that the worker keeps.
    package var isInScratch: Bool { words[4] == Place.scratch.rawValue }
}
