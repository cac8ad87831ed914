package import AlcedoPixels

/// The head of a message: a kind, the request's number and nineteen words; bytes may follow.
package struct Message: Equatable, Sendable {
    package enum Kind: UInt32, Sendable, CaseIterable {
        // Requests to a worker; each but `close` has one response.
        case info = 1
        case decode
        case durations
        case profile
        case turn
        case open
        case next
        case skip
        case rewind
        case close

        // The response to `wantMemory`.
        case memory
        case noMemory

        // The first message of a worker.
        case ready

        // A worker's request during a request.
        case wantMemory

        // A worker's responses.
        case facts
        case pixels
        case bytes
        case nothing
        case failure
    }

    /// Numbers in a message.
    package static let wordCount = 19

    package static let byteCount = 16 + wordCount * 8

    /// The most bytes that follow a head; more go through shared memory.
    package static let longestTail = 128 << 10

    /// The most bytes of a picture that follow a head: the memory that a worker keeps spares larger ones three copies.
    package static let largestPicture = 16 << 10

    package let kind: Kind

    /// The request that it belongs to.
    package let id: UInt32

    /// ``wordCount`` words, whose meaning depends on the kind.
    package private(set) var words: [UInt64]

    /// A message with so many of the words, the others zero.
    package init(_ kind: Kind, id: UInt32, words: [UInt64] = []) {
        precondition(words.count <= Self.wordCount)
        self.kind = kind
        self.id = id
        self.words = words + Array(repeating: 0, count: Self.wordCount - words.count)
    }

    /// The message at the start of `bytes`, if they are that and its tail and nothing else.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount,
            let kind = Kind(rawValue: bytes.loadUnaligned(as: UInt32.self)),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == UInt64(bytes.count - Self.byteCount)
        else { return nil }
        self.kind = kind
        id = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        words = (0..<Self.wordCount).map { bytes.loadUnaligned(fromByteOffset: 16 + $0 * 8, as: UInt64.self) }
    }

    /// Its bytes, for a tail of so many.
    package func encoded(tailCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        func append(_ value: some FixedWidthInteger) {
            Swift.withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
        }
        append(kind.rawValue)
        append(id)
        append(UInt64(tailCount))
        for word in words { append(word) }
        return bytes
    }

    /// A word as a count or a length; nil where it is none.
    package func count(_ index: Int) -> Int? { Int(exactly: words[index]) }

    package func number(_ index: Int) -> Double { Double(bitPattern: words[index]) }

    /// Two words as a size without overflow; nil where they are none.
    package func size(_ index: Int) -> PixelSize? {
        guard let width = Int32(exactly: words[index]), let height = Int32(exactly: words[index + 1]) else {
            return nil
        }
        return PixelSize(width: Int(width), height: Int(height))
    }
}

extension Message {
    /// That an image cannot be decoded; the text is to follow.
    package static func failure(_ error: CodecError, id: UInt32) -> (message: Message, text: String) {
        func message(_ words: [UInt64]) -> Message { Message(.failure, id: id, words: words) }
        func word(_ number: Int) -> UInt64 { UInt64(max(0, number)) }
        return switch error {
        case .unknownFormat: (message([0]), "")
        case .truncated: (message([1]), "")
        case .corrupt(_, let reason): (message([2]), reason)
        case .unsupported(_, let reason): (message([3]), reason)
        case .limitExceeded(let limit, let value, let bound):
            (message([4, word(value), word(bound)]), limit.rawValue)
        case .timeLimitExceeded(let seconds): (message([5, seconds.bitPattern]), "")
        case .outOfMemory(let byteCount): (message([6, word(byteCount)]), "")
        case .noFrame(let time, let duration): (message([7, time.bitPattern, duration.bitPattern]), "")
        case .encodingFailed(_, let reason): (message([8]), reason)
        default: (message([2]), error.description)
        }
    }

    /// The error of an image in `format`; nil if invalid.
    package func error(in format: EncodedFormat, text: UnsafeRawBufferPointer) -> CodecError? {
        // It may end up in a log, and a decoder's own reasons are short.
        let reason = String(decoding: text.prefix(500), as: UTF8.self)
        switch words[0] {
        case 0: return .unknownFormat
        case 1: return .truncated(format)
        case 2: return .corrupt(format, reason: reason)
        case 3: return .unsupported(format, reason: reason)
        case 4:
            guard let limit = CodecError.Limit(rawValue: reason), let value = count(1), let bound = count(2)
            else { return nil }
            return .limitExceeded(limit, value: value, limit: bound)
        case 5: return .timeLimitExceeded(seconds: number(1))
        case 6: return count(1).map { .outOfMemory(byteCount: $0) }
        case 7: return .noFrame(at: number(1), duration: number(2))
        case 8: return .encodingFailed(format, reason: reason)
        default: return nil
        }
    }
}

/// A request to a worker.
package struct DecodeRequest: Equatable, Sendable {
    package var kind: Message.Kind

    /// The animation it is about, as the program numbers them; 0 for none.
    package var session = 0

    package var options = DecodeOptions()

    /// Bytes of the image; 0 for one that the worker has, and for a file.
    package var inputCount = 0

    /// Whether a file comes with it, open for reading, in place of an image.
    package var isOfFile = false

    /// What to do with the blocks of a file, for ``Message/Kind/turn``.
    package var transform = BlockTransform()

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
        options.limits.isDithered = message.words[2] & 32 != 0
        if message.words[2] & 64 != 0 { options.colorRetention = .full }
        if message.words[2] & 256 != 0 { options.colorRetention = .hdr }
        // A worker always decodes in its own process; this tells decoders which colours the program can take.
        if message.words[2] & 128 != 0 { options.sandbox = .required }
        options.keepsStraightAlpha = message.words[2] & 1 != 0
        options.allowsTruncation = message.words[2] & 4 != 0
        options.inBands = message.words[2] & 8 != 0
        isOfFile = message.words[2] & 16 != 0
        // The name is the program's; a worker needs to know only that there may be holes.
        if message.words[2] & 512 != 0 { options.partialFile = [] }
        guard let transform = BlockTransform(words: message.words[14...15]),
            let region = DecodeRegion?(words: message.words.suffix(3))
        else { return nil }
        self.transform = transform
        options.region = region
        options.time = message.number(13)
        if message.words[2] & 2 != 0 { options.atLeast = size }
    }

    package func message(id: UInt32) -> Message {
        let size = options.atLeast ?? PixelSize(width: 0, height: 0)
        let flags: UInt64 =
            (options.keepsStraightAlpha ? 1 : 0) | (options.atLeast == nil ? 0 : 2)
            | (options.allowsTruncation ? 4 : 0) | (options.inBands ? 8 : 0) | (isOfFile ? 16 : 0)
            | (options.limits.isDithered ? 32 : 0) | (options.colorRetention.keepsColors ? 64 : 0)
            | (options.sandbox == .required ? 128 : 0) | (options.colorRetention == .hdr ? 256 : 0)
            | (options.partialFile == nil ? 0 : 512)
        let sides = [Self.side(size.width), Self.side(size.height)]
        let words = [UInt64(session), UInt64(inputCount), flags] + sides
        return Message(
            kind, id: id,
            words: words + options.limits.words + [options.time.bitPattern] + transform.words
                + options.region.words)
    }

    /// No picture has a longer side, and no other fits a message.
    private static func side(_ length: Int) -> UInt64 { UInt64(min(max(length, 0), Int(Int32.max))) }
}

extension Message.Kind {
    package var isRequest: Bool { rawValue <= Message.Kind.close.rawValue }

    /// Whether an image comes with it.
    package var hasInput: Bool { isRequest && rawValue <= Message.Kind.open.rawValue }
}

extension BlockTransform {
    fileprivate var words: [UInt64] {
        guard let crop else { return [UInt64(turn.rawValue) | (trims ? 16 : 0), 0] }
        let sides = [crop.x, crop.y, crop.width, crop.height].map { UInt64(min(max($0, 0), 0xFFFF)) }
        let packed = sides.enumerated().reduce(0) { $0 | $1.element << (16 * UInt64($1.offset)) }
        return [UInt64(turn.rawValue) | (trims ? 16 : 0) | 32, packed]
    }

    fileprivate init?(words: ArraySlice<UInt64>) {
        guard let flags = words.first, let sides = words.last, flags < 64,
            let turn = ImageOrientation(rawValue: Int(flags & 15))
        else { return nil }
        let crop = (0..<4).map { Int(sides >> (16 * UInt64($0)) & 0xFFFF) }
        self.init(
            turn: turn,
            crop: flags & 32 == 0
                ? nil : PixelFrame(x: crop[0], y: crop[1], width: crop[2], height: crop[3]),
            trims: flags & 16 != 0)
    }
}

extension DecodeRegion? {
    /// Sides are those of images, and reductions are not 0.
    fileprivate var words: [UInt64] {
        guard let region = self else { return [0, 0, 0] }
        func word(_ low: Int, _ high: Int) -> UInt64 {
            UInt64(UInt32(clamping: low)) | UInt64(UInt32(clamping: high)) << 32
        }
        let frame = region.frame
        return [word(frame.x, frame.y), word(frame.width, frame.height), UInt64(max(1, region.reduction))]
    }

    fileprivate init?(words: ArraySlice<UInt64>) {
        guard let reduction = words.last.flatMap({ Int(exactly: $0) }) else { return nil }
        guard reduction > 0 else {
            self = .none
            return
        }
        let numbers = words.dropLast().flatMap { [Int(UInt32(truncatingIfNeeded: $0)), Int($0 >> 32)] }
        self = DecodeRegion(
            PixelFrame(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]),
            reduction: reduction)
    }
}

extension DecodeLimits {
    /// The limits that decoders check, in the order of a message; the program checks the others.
    private static var counts: [WritableKeyPath<DecodeLimits, Int>] {
        [
            \.pixelsPerFrame, \.pixelsPerAnimation, \.frames, \.encodedBytes, \.progressiveScans,
            \.metadataBytes,
            \.storedPixelsPerFrame,
        ]
    }

    fileprivate var words: [UInt64] {
        Self.counts.map { UInt64(max(0, self[keyPath: $0])) } + [seconds.bitPattern]
    }

    fileprivate init?(_ message: Message, at first: Int) {
        self.init()
        for (index, limit) in Self.counts.enumerated() {
            guard let count = message.count(first + index) else { return nil }
            self[keyPath: limit] = count
        }
        seconds = message.number(first + Self.counts.count)
        sandbox = .off
    }
}

extension Message {
    // MARK: - Headers

    package static func facts(_ info: ImageInfo, id: UInt32) -> Message {
        let flags: UInt64 =
            (info.hasAlpha ? 1 : 0) | (info.isComplete ? 2 : 0) | (info.isScalable ? 4 : 0)
        // A file may name any number; the program reads 32 bits.
        let loopCount = min(info.loopCount, Int(Int32.max))
        let numbers = [
            info.size.width, info.size.height, info.orientation.rawValue, info.frameCount, loopCount,
        ]
        return Message(.facts, id: id, words: numbers.map { UInt64(max(0, $0)) } + [flags])
    }

    /// The info of an image in `format`; nil if invalid.
    package func info(of format: EncodedFormat) -> ImageInfo? {
        guard kind == .facts, let size = size(0), !size.isEmpty, size.area <= Self.mostPixels,
            let orientation = count(2).flatMap({ ImageOrientation(rawValue: $0) }),
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

    /// Pixels of `bitmap` that follow, or are in shared memory; the profile of deep ones follows.
    package static func pixels(_ bitmap: Bitmap, duration: Double, place: Place, id: UInt32) -> Message {
        let alphaNumber: UInt64 =
            switch bitmap.alpha {
            case .opaque: 0
            case .premultiplied: 1
            case .straight: 2
            }
        let size = bitmap.size
        let words = [UInt64(size.width), UInt64(size.height), alphaNumber, duration.bitPattern]
        let colors: [UInt64] =
            switch bitmap.deep?.space {
            case nil: []
            case .codePoints(let primaries, let transfer): [1, UInt64(primaries), UInt64(transfer)]
            case .icc(let profile): [2, UInt64(profile.count)]
            }
        return Message(.pixels, id: id, words: words + [place.rawValue] + colors)
    }

    /// The colours of deep pixels, with the bytes of a profile at the end of `tail`; an inner nil for pixels of 8 bits, nil if
    /// they are invalid.
    package func space(_ tail: UnsafeRawBufferPointer) -> ColorSpace?? {
        switch words[5] {
        case 0: return .some(nil)
        case 1:
            guard let primaries = UInt8(exactly: words[6]), let transfer = UInt8(exactly: words[7]) else {
                return nil
            }
            return .codePoints(primaries: primaries, transfer: transfer)
        case 2:
            guard let length = count(6), length > 0, length <= min(ColorSpace.largestProfile, tail.count)
            else { return nil }
            return .icc(Array(tail.suffix(length)))
        default: return nil
        }
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
