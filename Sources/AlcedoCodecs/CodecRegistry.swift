import AlcedoLocks
public import AlcedoPixels

/// The codecs that can decode an image, in order of precedence.
public final class CodecRegistry: Sendable {
    /// The codecs of this module, those that look at more than a signature first: later ones have precedence.
    package static let builtIn: [any ImageCodec] = [
        TGACodec(), PNMCodec(), QOICodec(), ICOCodec(), BMPCodec(), GIFCodec(), WebPCodec(), PNGCodec(),
        JPEGCodec(),
    ]

    /// The registry that is used wherever none is given: at first the codecs of this module, such as JPEG and PNG.
    ///
    /// The codecs of package traits are added, with the lowest precedence, before the first image is created.
    public static let shared = CodecRegistry()

    private struct State {
        /// In the order of registration.
        var codecs: [any ImageCodec] {
            willSet { retainedLists.append(codecs) }
        }

        /// Earlier lists: readers use a list without the lock, so lists are retained and never changed in place (decision 0009).
        private var retainedLists: [[any ImageCodec]] = []

        init(_ codecs: [any ImageCodec]) { self.codecs = codecs }
    }

    private let state: Lock<State>

    /// Creates a registry with the codecs of this module.
    public init() {
        state = Lock(State(Self.builtIn))
    }

    /// Adds a codec with precedence over the present ones.
    public func register(_ codec: any ImageCodec) {
        state.withLock { $0.codecs.append(codec) }
    }

    /// Removes the codecs for which `shouldBeRemoved` returns true, such as `{ $0 is MyCodec }`; images that have one keep it.
    public func removeAll(where shouldBeRemoved: (any ImageCodec) throws -> Bool) rethrows {
        try state.withLock { $0.codecs = try $0.codecs.filter { try !shouldBeRemoved($0) } }
    }

    /// Adds codecs that the present ones have precedence over.
    package func registerLast(_ added: [any ImageCodec]) {
        state.withLock { $0.codecs.insert(contentsOf: added, at: 0) }
    }

    /// Replaces each codec by the result of `change`.
    package func replaceEach(_ change: (any ImageCodec) -> any ImageCodec) {
        state.withLock { $0.codecs = $0.codecs.map(change) }
    }

    /// The formats that some codec writes, each once.
    public var encodableFormats: Set<EncodedFormat> { Set(snapshot.flatMap(\.encodableFormats)) }

    /// The last registered codec that recognises `bytes`.
    public func codec(for bytes: RawSpan) -> (any ImageCodec)? {
        for codec in snapshot.reversed() where codec.format(of: bytes) != nil { return codec }
        return nil
    }

    /// The last registered codec that recognises `bytes`, for use within `limits`.
    ///
    /// - Throws: ``CodecError/sandboxFailed(_:_:)`` if ``DecodeSandbox/required`` is set and the codec runs in this
    ///   process; ``CodecError/unknownFormat`` if there is no codec, or ``CodecError/unsupported(_:reason:)`` if
    ///   there is none but the format has a name.
    package func codec(
        for bytes: RawSpan, within limits: DecodeLimits
    ) throws(CodecError) -> any ImageCodec {
        guard let codec = codec(for: bytes) else {
            guard let absent = AbsentFormat(bytes) else { throw .unknownFormat }
            throw .unsupported(absent.format, reason: absent.advice)
        }
        guard limits.sandbox != .required || codec is any IsolatingCodec else {
            let format = codec.format(of: bytes) ?? EncodedFormat(rawValue: "image")
            throw .sandboxFailed(
                format, .unavailable(reason: "\(type(of: codec)) decodes in this process only"))
        }
        return codec
    }

    /// The last registered codec that writes `format`.
    public func codec(writing format: EncodedFormat) -> (any ImageCodec)? {
        snapshot.last { $0.encodableFormats.contains(format) }
    }

    /// The last registered codec that writes animations in `format`.
    public func codec(animating format: EncodedFormat) -> (any ImageCodec)? {
        snapshot.last { $0.animationFormats.contains(format) }
    }

    private var snapshot: [any ImageCodec] { state.withLock { $0.codecs } }
}

// MARK: - Finding the codec on the way

extension CodecRegistry {
    /// ``ImageCodec/info(of:limits:)`` of the codec for `bytes`.
    ///
    /// - Throws: ``CodecError/unknownFormat`` if there is none, or ``CodecError/unsupported(_:reason:)`` if there is none but
    ///   the format has a name; ``CodecError/sandboxFailed(_:_:)`` if ``DecodeSandbox/required`` is set and the
    ///   codec runs in this process.
    public func info(
        of bytes: RawSpan,
        limits: DecodeLimits = DecodeLimits()
    ) throws(CodecError) -> ImageInfo {
        try codec(for: bytes, within: limits).info(of: bytes, limits: limits)
    }

    /// ``ImageCodec/decode(_:options:)`` of the codec for `bytes`; throws like ``info(of:limits:)``.
    public func decode(
        _ bytes: RawSpan,
        options: DecodeOptions = DecodeOptions()
    ) throws(CodecError) -> Bitmap {
        try codec(for: bytes, within: options.limits).decode(bytes, options: options)
    }

    /// ``ImageCodec/hasAllPixels(_:limits:)`` of the codec for `bytes`; false if there is none, or none that may run.
    public func hasAllPixels(_ bytes: RawSpan, limits: DecodeLimits = DecodeLimits()) -> Bool {
        (try? codec(for: bytes, within: limits))?.hasAllPixels(bytes, limits: limits) ?? false
    }

    /// ``ImageCodec/memory(of:info:options:)`` of the codec for `bytes`; 0 bytes if there is none, or none that may
    /// run.
    public func memory(of bytes: RawSpan, info: ImageInfo, options: DecodeOptions) -> DecodeMemory {
        (try? codec(for: bytes, within: options.limits))?.memory(of: bytes, info: info, options: options)
            ?? DecodeMemory(result: 0)
    }

    /// ``ImageCodec/frames(of:options:)`` of the codec for `bytes`, which are copied; throws like ``info(of:limits:)``.
    public func frames(
        of bytes: RawSpan,
        options: DecodeOptions = DecodeOptions()
    ) throws(CodecError) -> any FrameDecoder {
        try codec(for: bytes, within: options.limits).frames(of: bytes, options: options)
    }

    /// ``ImageCodec/frames(of:options:)`` of the codec for `bytes`; throws like ``info(of:limits:)``.
    public func frames(
        of bytes: EncodedBytes,
        options: DecodeOptions = DecodeOptions()
    ) throws(CodecError) -> any FrameDecoder {
        try codec(for: bytes.buffer.bytes, within: options.limits).frames(of: bytes, options: options)
    }

    /// ``ImageCodec/frameDurations(of:limits:)`` of the codec for `bytes`; throws like ``info(of:limits:)``.
    public func frameDurations(
        of bytes: RawSpan,
        limits: DecodeLimits = DecodeLimits()
    ) throws(CodecError) -> [Double] {
        try codec(for: bytes, within: limits).frameDurations(of: bytes, limits: limits)
    }

    /// ``ImageCodec/profile(of:limits:)`` of the codec for `bytes`; nil if there is none, or none that may run.
    public func profile(of bytes: RawSpan, limits: DecodeLimits = DecodeLimits()) -> [UInt8]? {
        (try? codec(for: bytes, within: limits))?.profile(of: bytes, limits: limits)
    }

    /// What the headers of an image say about its samples; 8 bits of sRGB unless its codec knows better.
    ///
    /// Nil for an image that no codec reads, and for a vector image.
    package func colors(of bytes: RawSpan, info: ImageInfo, limits: DecodeLimits) -> StoredColors? {
        guard !info.isScalable, let codec = codec(for: bytes) else { return nil }
        guard let codec = codec as? any ColorDescribing else { return StoredColors(bits: 8) }
        return codec.colors(of: bytes, limits: limits)
    }

    /// ``BlockTransforming/transformed(_:by:limits:)`` of the codec for `bytes`; throws like ``info(of:limits:)``.
    package func transformed(
        _ bytes: RawSpan, by transform: BlockTransform, limits: DecodeLimits
    ) throws(CodecError) -> [UInt8] {
        let codec = try codec(for: bytes, within: limits)
        guard codec.format(of: bytes) == .jpeg, let codec = codec as? any BlockTransforming else {
            throw .encodingFailed(.jpeg, reason: "only the blocks of a JPEG can be turned without decoding")
        }
        return try codec.transformed(bytes, by: transform, limits: limits)
    }

    /// ``ImageCodec/encode(_:as:options:)`` of the codec that writes `format`.
    ///
    /// Sends ``Diagnostic/reducedColor(step:)`` the first time that a format gets a deep bitmap of which it has no
    /// room for all.
    ///
    /// - Throws: ``CodecError/unsupported(_:reason:)`` if there is none, and
    /// ``CodecError/encodingFailed(_:reason:)`` if the format
    ///   has not the ``EncodeOptions/depth``, or can't reach the ``EncodeOptions/target``.
    public func encode(
        _ bitmap: Bitmap,
        as format: EncodedFormat,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> [UInt8] {
        guard options.target == nil else { return try encode(bitmap, as: format, options: options) { $0 } }
        guard let codec = codec(writing: format) else {
            throw .unsupported(format, reason: AbsentEncoder.advice(for: format))
        }
        try format.check(depth: options.depth)
        if bitmap.isDeep, format.reduces(bitmap, options) { ReducingSteps.report("\(format) files") }
        return try codec.encode(bitmap, as: format, options: options)
    }

    /// ``ImageCodec/encode(frames:as:options:)`` of the codec that writes animations in `format`.
    ///
    /// With an ``EncodeOptions/target`` the frames are encoded from the first one.
    ///
    /// - Throws: ``CodecError/unsupported(_:reason:)`` if there is none, and
    /// ``CodecError/encodingFailed(_:reason:)`` if the target can't be reached.
    public func encode(
        frames: any FrameDecoder,
        as format: EncodedFormat,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> [UInt8] {
        guard let codec = codec(animating: format) else {
            throw .unsupported(format, reason: "no codec writes animations in it")
        }
        guard options.depth ?? 8 == 8 else {
            throw .encodingFailed(format, reason: "an animation has 8 bits a channel")
        }
        guard options.target == nil else {
            return try encode(frames: frames, as: format, options: options) { $0 }
        }
        return try codec.encode(frames: frames, as: format, options: options)
    }
}
