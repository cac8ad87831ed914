package import AlcedoPixels

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
        default: return nil
        }
    }
}
