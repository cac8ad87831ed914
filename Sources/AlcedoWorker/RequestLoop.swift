package import AlcedoIsolation
package import AlcedoPixels
import CIsolation
import Glibc

package struct RequestLoop: ~Copyable {
    /// Something of a request that breaks the rules.
    private static let invalid = Channel.Failure.invalid(reason: "not a request")

    private let channel: Channel
    private let codecs: [any ImageCodec]
    private let files: (any FileDecoder)?
    private let output: SharedOutput
    private let buffer = MessageBuffer()

    /// Animations that are open, by the program's numbers.
    private var sessions: [Int: any FrameDecoder] = [:]

    /// Serves the requests of `channel` for images and, with a decoder of them, for files.
    package init(_ channel: Channel, _ codecs: [any ImageCodec], files: (any FileDecoder)? = nil) {
        self.channel = channel
        self.codecs = codecs
        self.files = files
        output = SharedOutput(channel)
    }

    /// Has large bitmaps lie where the program can share them.
    func lendMemory() { PixelMemory.setAllocator(output) }

    /// Waits for a request and responds.
    ///
    /// - Throws: `Channel.Failure` if the program has ended or sent an invalid message.
    package mutating func serve() throws(Channel.Failure) {
        var descriptor: Int32 = -1
        let received = try channel.receive(into: buffer, descriptor: &descriptor)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard let request = DecodeRequest(received.message) else { throw Self.invalid }
        let id = received.message.id
        if request.kind == .close {
            sessions[request.session] = nil
            return
        }
        let response: Response
        let input = try Input(request, received.tail, request.isOfFile ? -1 : descriptor)
        do throws(CodecError) {
            response =
                request.isOfFile
                ? try picture(of: descriptor, request, id: id) : try self.response(request, input, id: id)
        } catch {
            let (message, text) = Message.failure(error, id: id)
            response = Response(message: message, tail: Array(text.utf8.prefix(1000)))
        }
        // The result may be in memory that the program maps next, so it must not be lent any more.
        guard !output.isLent else { throw Self.invalid }
        try channel.send(response.message, tail: response.tail)
    }

    private struct Response {
        var message: Message
        var tail: [UInt8] = []
    }

    private mutating func response(
        _ request: DecodeRequest, _ input: borrowing Input, id: UInt32
    ) throws(CodecError) -> Response {
        guard request.kind.hasInput else { return try responseOfSession(request, id: id) }
        let bytes = input.bytes.bytes
        guard let codec = codecs.first(where: { $0.format(of: bytes) != nil }) else { throw .unknownFormat }
        let limits = request.options.limits
        switch request.kind {
        case .info:
            return Response(message: .facts(try codec.info(of: bytes, limits: limits), id: id))
        case .durations:
            let durations = try codec.frameDurations(of: bytes, limits: limits)
            return try result(durations.withUnsafeBytes { Array($0) }, id: id)
        case .profile:
            guard let profile = codec.profile(of: bytes, limits: limits) else {
                return Response(message: Message(.nothing, id: id))
            }
            return try result(profile, id: id)
        case .turn:
            guard let codec = codec as? any BlockTransforming else { throw .unknownFormat }
            return try result(codec.transformed(bytes, by: request.transform, limits: limits), id: id)
        case .open:
            // Copied, because the animation outlives the request and its bytes.
            let decoder = try codec.frames(of: EncodedBytes(copying: bytes), options: request.options)
            sessions[request.session] = decoder
            return Response(message: .facts(decoder.info, id: id))
        default:
            return try output.lending(for: id) { () throws(CodecError) in
                try picture(codec.decode(bytes, options: request.options), duration: 0, id: id)
            }
        }
    }

    private func picture(of file: Int32, _ request: DecodeRequest, id: UInt32) throws(CodecError) -> Response
    {
        guard let files, request.kind == .decode else { throw .unknownFormat }
        return try output.lending(for: id) { () throws(CodecError) in
            try picture(files.decode(file, options: request.options), duration: 0, id: id)
        }
    }

    private func responseOfSession(_ request: DecodeRequest, id: UInt32) throws(CodecError) -> Response {
        let nothing = Response(message: Message(.nothing, id: id))
        guard let decoder = sessions[request.session] else { throw .unknownFormat }
        switch request.kind {
        case .rewind: decoder.rewind()
        case .skip: _ = try decoder.next()
        default:
            guard let frame = try decoder.next() else { return nothing }
            return try picture(frame.bitmap, duration: frame.duration, id: id)
        }
        return nothing
    }

    // MARK: - Results

    /// Responds with a bitmap: in the message if it is small, else in shared memory.
    private func picture(
        _ bitmap: consuming Bitmap, duration: Double, id: UInt32
    ) throws(CodecError) -> Response {
        func message(_ place: Message.Place) -> Message {
            .pixels(bitmap, duration: duration, place: place, id: id)
        }
        var profile: [UInt8] = []
        if case .icc(let bytes) = bitmap.colorSpace { profile = bytes }
        let byteCount = bitmap.storage.count
        if byteCount <= Message.largestPicture {
            return Response(message: message(.tail), tail: Array(bitmap.storage) + profile)
        }
        guard let place = output.place(of: bitmap) ?? output.copy(bitmap.storage, for: id) else {
            throw .outOfMemory(byteCount: byteCount)
        }
        return Response(message: message(place), tail: profile)
    }

    private func result(_ bytes: [UInt8], id: UInt32) throws(CodecError) -> Response {
        if bytes.count <= Message.longestTail {
            return Response(message: .bytes(bytes.count, place: .tail, id: id), tail: bytes)
        }
        guard let place = bytes.withUnsafeBytes({ output.copy($0, for: id) }) else {
            throw .outOfMemory(byteCount: bytes.count)
        }
        return Response(message: .bytes(bytes.count, place: place, id: id))
    }
}

/// The encoded image of a request: in the message, or in sealed memory.
struct Input: ~Copyable {
    /// The bytes; those of a message are valid until the next one.
    let bytes: UnsafeRawBufferPointer

    private let isMapped: Bool

    /// Throws if the bytes are not those that the request speaks of.
    init(_ request: DecodeRequest, _ tail: UnsafeRawBufferPointer, _ descriptor: Int32) throws(Channel
        .Failure)
    {
        guard descriptor >= 0 else {
            guard request.inputCount == tail.count else { throw .invalid(reason: "another length") }
            bytes = tail
            isMapped = false
            return
        }
        guard tail.isEmpty, request.inputCount > 0, let memory = alcedo_map(descriptor, request.inputCount, 0)
        else { throw .invalid(reason: "no memory") }
        bytes = UnsafeRawBufferPointer(start: memory, count: request.inputCount)
        isMapped = true
    }

    deinit {
        guard isMapped, let memory = bytes.baseAddress else { return }
        munmap(UnsafeMutableRawPointer(mutating: memory), bytes.count)
    }
}
