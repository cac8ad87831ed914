package import AlcedoPixels

/// A request to a worker.
package struct DecodeRequest: Equatable, Sendable {
    /// The kind of request.
    package var kind: Message.Kind

    /// The animation it is about, as the program numbers them; 0 for none.
    package var session = 0

    /// The options of a request for pixels.
    package var options = DecodeOptions()

    /// Bytes of the image; 0 for one that the worker has, and for a file.
    package var inputCount = 0

    /// Whether a file comes with it, open for reading, in place of an image.
    package var isOfFile = false

    /// Creates a request.
    package init(_ kind: Message.Kind) { self.kind = kind }

    /// Reads a request; nil where the message is none.
    package init?(_ message: Message) {
        guard message.kind.isRequest, let session = message.count(0), let inputCount = message.count(1),
            let size = message.size(3), let limits = DecodeLimits(message, at: 5)
        else { return nil }
        kind = message.kind
        self.session = session
        self.inputCount = inputCount
        options.limits = limits
        options.keepsStraightAlpha = message.words[2] & 1 != 0
        options.allowsTruncation = message.words[2] & 4 != 0
        options.inBands = message.words[2] & 8 != 0
        isOfFile = message.words[2] & 16 != 0
        options.time = message.number(13)
        if message.words[2] & 2 != 0 { options.atLeast = size }
    }

    /// The message of the request.
    package func message(id: UInt32) -> Message {
        let size = options.atLeast ?? PixelSize(width: 0, height: 0)
        let flags: UInt64 =
            (options.keepsStraightAlpha ? 1 : 0) | (options.atLeast == nil ? 0 : 2)
            | (options.allowsTruncation ? 4 : 0) | (options.inBands ? 8 : 0) | (isOfFile ? 16 : 0)
        let sides = [Self.side(size.width), Self.side(size.height)]
        let words = [UInt64(session), UInt64(inputCount), flags] + sides
        return Message(kind, id: id, words: words + options.limits.words + [options.time.bitPattern])
    }

    /// No picture has a longer side, and no other fits a message.
    private static func side(_ length: Int) -> UInt64 { UInt64(min(max(length, 0), Int(Int32.max))) }
}

extension Message.Kind {
    /// Whether it is a request to a worker.
    package var isRequest: Bool { rawValue <= Message.Kind.close.rawValue }

    /// Whether an image comes with it.
    package var hasInput: Bool { isRequest && rawValue <= Message.Kind.open.rawValue }
}

extension DecodeLimits {
    /// The limits that decoders check; the program checks the others.
    fileprivate var words: [UInt64] {
        let counts = [
            pixelsPerFrame, pixelsPerAnimation, frames, encodedBytes, progressiveScans, metadataBytes,
            storedPixelsPerFrame,
        ]
        return counts.map { UInt64(max(0, $0)) } + [seconds.bitPattern]
    }

    fileprivate init?(_ message: Message, at first: Int) {
        let counts = (first..<first + 7).map { message.count($0) }
        guard let pixelsPerFrame = counts[0], let pixelsPerAnimation = counts[1], let frames = counts[2],
            let encodedBytes = counts[3], let progressiveScans = counts[4], let metadataBytes = counts[5],
            let storedPixelsPerFrame = counts[6]
        else { return nil }
        self.init {
            $0.pixelsPerFrame = pixelsPerFrame
            $0.pixelsPerAnimation = pixelsPerAnimation
            $0.frames = frames
            $0.encodedBytes = encodedBytes
            $0.progressiveScans = progressiveScans
            $0.metadataBytes = metadataBytes
            $0.storedPixelsPerFrame = storedPixelsPerFrame
            $0.seconds = message.number(first + 7)
            $0.isolation = .inProcess
        }
    }
}
