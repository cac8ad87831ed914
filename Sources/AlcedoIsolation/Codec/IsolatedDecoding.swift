import AlcedoPixels

/// One image that a worker decodes, and the checks of its responses.
struct IsolatedDecoding {
    let pool: DecoderPool
    let format: EncodedFormat

    /// The encoded image, which stays where it is during the call; what identifies it, if there is a file.
    let input: UnsafeRawBufferPointer
    let limits: DecodeLimits

    /// What deep pixels become 8 bits of sRGB with; without it none are requested.
    var conversion: (any StandardConversion)?

    /// An open file in place of the encoded image.
    var file: Int32?

    /// A checked response.
    enum Outcome<Value> {
        case value(Value)
        case failure(CodecError)
    }

    func info() throws(CodecError) -> ImageInfo {
        try send(.info, DecodeOptions(), allowance: 0) { _, response in facts(response.message) }
    }

    /// The info from a worker; nil if the codec's limits forbid it.
    func facts(_ message: Message) -> ImageInfo? {
        guard let info = message.info(of: format) else { return nil }
        // Of a drawing, only what is drawn has to keep to the limit.
        if format == .svg, info.isScalable { return info }
        do throws(CodecError) { try limits.check(stored: info.size, of: format) } catch { return nil }
        return info
    }

    func decode(_ options: DecodeOptions) throws(CodecError) -> Bitmap {
        try send(.decode, options, allowance: pixelBytes) { _, response in
            guard let bitmap = response.bitmap(conversion), options.allows(bitmap) else {
                return nil
            }
            return bitmap
        }
    }

    func durations() throws(CodecError) -> [Double] {
        let most = max(limits.frames, 1) * 8
        return try send(.durations, DecodeOptions(), allowance: most) { _, response in
            guard let bytes = response.bytes(atMost: most), bytes.count.isMultiple(of: 8) else { return nil }
            let durations = (0..<bytes.count / 8).map { index in
                Double(
                    bitPattern: bytes.withUnsafeBytes {
                        $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
                    })
            }
            return durations.allSatisfy { (0...1e9).contains($0) } ? durations : nil
        }
    }

    func profile() throws(CodecError) -> [UInt8]? {
        try send(.profile, DecodeOptions(), allowance: limits.metadataBytes) { _, response -> [UInt8]?? in
            if response.message.kind == .nothing { return .some(nil) }
            return response.bytes(atMost: limits.metadataBytes).map { .some($0) }
        }
    }

    /// The file of turned blocks, which has no more bytes than pixels may have.
    func transformed(by transform: BlockTransform) throws(CodecError) -> [UInt8] {
        try send(.turn, DecodeOptions(), transform: transform, allowance: pixelBytes) { _, response in
            response.bytes(atMost: pixelBytes)
        }
    }

    /// Sends a request to any worker; `read` returns nil for an invalid response.
    func send<Value>(
        _ kind: Message.Kind, _ options: DecodeOptions, session: Int = 0,
        transform: BlockTransform = BlockTransform(), allowance: Int,
        _ read: (Worker, borrowing Worker.Response) -> Value?
    ) throws(CodecError) -> Value {
        var request = DecodeRequest(kind)
        request.session = session
        request.transform = transform
        request.options = options
        request.options.limits = requestedLimits
        var job = Worker.Job(request: request, identity: input, allowance: allowance)
        if let file { job.file = file } else { job.input = input }
        let outcome: Outcome<Value>
        do throws(DecodeSandbox.Failure) {
            outcome = try pool.perform(job, minimum: limits.sandbox == .required ? .systemCalls : .process) {
                $1.outcome(in: format, $1.message.kind == .failure ? nil : read($0, $1))
            }
        } catch {
            throw .sandboxFailed(format, error)
        }
        switch outcome {
        case .value(let value): return value
        case .failure(.unknownFormat):
            // This process has recognized it.
            let reason = "its helper program does not decode this format; build it with the same traits"
            throw .sandboxFailed(format, .unavailable(reason: reason))
        case .failure(let error): throw error
        }
    }

    /// The limits, with the colours that this process can take.
    var requestedLimits: DecodeLimits {
        var limits = limits
        if conversion == nil { limits.colorRetention = .standard }
        return limits
    }

    /// The most bytes of a picture.
    var pixelBytes: Int {
        let (bytes, overflow) = limits.pixelsPerFrame.multipliedReportingOverflow(
            by: requestedLimits.colorRetention.bytesPerPixel)
        return overflow ? .max : bytes
    }
}

extension DecodeOptions {
    /// Whether pixels may be the result of decoding with these options.
    func allows(_ bitmap: Bitmap) -> Bool {
        bitmap.size.area <= limits.pixelsPerFrame && (bitmap.alpha != .straight || keepsStraightAlpha)
            && (!bitmap.isDeep || colorRetention.keepsColors && bitmap.isAllowed(in: limits.sandbox))
    }
}

extension Bitmap {
    /// Whether its profile may be used in a process that requires isolation: none that a file may have.
    fileprivate func isAllowed(in isolation: DecodeSandbox) -> Bool {
        if case .icc = colorSpace { isolation != .required } else { true }
    }
}

extension Worker.Response {
    /// The value or the error of a response; nil if invalid.
    func outcome<Value>(in format: EncodedFormat, _ value: Value?) -> IsolatedDecoding.Outcome<Value>? {
        guard message.kind == .failure else { return value.map { .value($0) } }
        return message.error(in: format, text: tail).map { .failure($0) }
    }

    /// The pixels; nil if their number differs from the message's, or if they are deep and there is no conversion.
    func bitmap(_ conversion: (any StandardConversion)?) -> Bitmap? {
        guard message.kind == .pixels, let size = message.size(0), !size.isEmpty, let alpha = message.alpha,
            let space = message.space(tail)
        else { return nil }
        var deep: DeepColors?
        if let space {
            guard let conversion else { return nil }
            deep = DeepColors(space, conversion)
        }
        if let memory { return memory.bitmap(size: size, alpha: alpha, deep: deep) }
        let (count, overflow) = size.area.multipliedReportingOverflow(by: deep == nil ? 4 : 8)
        var pixels = tail
        if case .icc(let profile) = space {
            pixels = UnsafeRawBufferPointer(rebasing: tail.dropLast(profile.count))
        }
        let source = scratch.map { overflow ? nil : $0.bytes(count) } ?? pixels
        guard let source, !overflow, source.count == count,
            var builder = try? PixelBuilder(size: size, alpha: alpha, deep: deep)
        else { return nil }
        builder.withUnsafeMutableBytes { $0.copyMemory(from: source) }
        return builder.freeze()
    }

    /// The frame's duration; nil if invalid.
    var duration: Double? {
        let duration = message.number(3)
        return (0...1e9).contains(duration) ? duration : nil
    }

    /// The bytes; nil if there are none, or their number exceeds the limit or differs from the message's.
    func bytes(atMost limit: Int) -> [UInt8]? {
        guard message.kind == .bytes, let count = message.count(0), count <= limit else { return nil }
        let bytes = scratch.map { $0.bytes(count) } ?? memory?.bytes ?? tail
        guard let bytes, bytes.count == count else { return nil }
        return Array(bytes)
    }
}
