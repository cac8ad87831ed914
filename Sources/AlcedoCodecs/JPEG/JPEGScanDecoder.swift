import AlcedoLocks
package import AlcedoPixels
import CJPEGShim

/// Decodes a progressive JPEG scan by scan from bytes that arrive in pieces.
///
/// Each byte is entropy-decoded once; a preview costs the inverse transform only. It equals a file that ends with its last
/// scan: libjpeg smooths the edges of blocks with only DC coefficients.
///
/// From the first preview on it keeps all coefficients; see ``DecodeLimits/progressiveBytes``. Calls are serialised.
package final class JPEGScanDecoder: Sendable {
    fileprivate struct State: ~Copyable {
        let options: DecodeOptions
        /// The unread bytes, preceded by `used` read ones.
        var bytes: [UInt8] = []
        var used = 0
        var reading: JPEGScanState?
        var failure: CodecError?
        /// The number of read bytes that were removed from `bytes`.
        var discardedCount = 0
    }

    private let state: Lock<State>

    /// Creates a decoder without bytes.
    ///
    /// The time limit of a frame applies to each preview. ``DecodeOptions/atLeast`` reduces the size of previews.
    package init(options: DecodeOptions = DecodeOptions()) {
        state = Lock(State(options: options))
    }

    /// Appends the next bytes of the file.
    package func append(_ bytes: [UInt8]) {
        state.withLock { $0.bytes += bytes }
    }

    /// The preview of the first `count` scans; nil while bytes of them are missing.
    ///
    /// Arithmetic coding needs all bytes up to the next marker. A later preview has at least the scans of an earlier one.
    ///
    /// - Throws: the error of the bytes, and the same one for later calls.
    package func picture(scans count: Int) throws(CodecError) -> Bitmap? {
        try state.withLock { (state) throws(CodecError) in try state.picture(scans: count) }
    }

    /// The orientation of the previews; `.up` before the header is complete.
    package var orientation: Orientation { state.withLock { $0.reading?.header.orientation ?? .up } }

    /// The number of decoded bytes.
    package var decodedBytes: Int { state.withLock { $0.discardedCount + $0.used } }
}

extension JPEGScanDecoder.State {
    fileprivate mutating func picture(scans count: Int) throws(CodecError) -> Bitmap? {
        if let failure { throw failure }
        do throws(CodecError) {
            return try decodePreview(scans: count)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func decodePreview(scans count: Int) throws(CodecError) -> Bitmap? {
        let deadline = Deadline(options.limits)
        try options.limits.check(encodedBytes: discardedCount + bytes.count)
        guard try start() else { return nil }
        guard try reading?.read(bytes, &used, scans: count, deadline) == true else { return nil }
        if used > bytes.count / 2 {
            discardedCount += used
            bytes.removeFirst(used)
            used = 0
        }
        return try reading?.bitmap(deadline)
    }

    /// Reads the header; false if it is incomplete.
    private mutating func start() throws(CodecError) -> Bool {
        if reading != nil { return true }
        guard bytes.count > 2 else { return false }
        do throws(CodecError) {
            let header = try JPEGCodec().header(of: bytes.span.bytes, limits: options.limits)
            let plan = try JPEGPlan(header, in: bytes.span.bytes, options: options)
            let limit = options.limits.progressiveBytes
            guard plan.coefficientBytes <= limit else {
                throw .limitExceeded(.progressiveBytes, value: plan.coefficientBytes, limit: limit)
            }
            reading = try JPEGScanState(header, plan)
            return true
        } catch .truncated {
            return false
        }
    }
}

/// The state of libjpeg between two scans.
private struct JPEGScanState: ~Copyable {
    let header: JPEGHeader
    private let plan: JPEGPlan
    private let handle: OpaquePointer

    init(_ header: JPEGHeader, _ plan: JPEGPlan) throws(CodecError) {
        var decoding = plan.decoding(until: .never)
        guard let handle = alcedo_jpeg_scans_new(&decoding) else {
            throw .outOfMemory(byteCount: plan.coefficientBytes)
        }
        self.header = header
        self.plan = plan
        self.handle = handle
    }

    deinit { alcedo_jpeg_scans_free(handle) }

    /// Reads `bytes` from `used` on, until `count` scans are complete; false if bytes are missing.
    func read(
        _ bytes: [UInt8],
        _ used: inout Int,
        scans count: Int,
        _ deadline: Deadline
    ) throws(CodecError) -> Bool {
        var step = 0
        var message = JPEGMessage()
        let status = bytes.withUnsafeBufferPointer { input in
            let rest = UnsafeBufferPointer(rebasing: input[used...])
            let end = deadline.nanoseconds
            return message.withBuffer {
                alcedo_jpeg_scans_read(
                    handle, rest.baseAddress, rest.count, &step, Int32(clamping: count), end, $0)
            }
        }
        used += step
        if let error = plan.error(status, message, deadline) { throw error }
        return status == ALCEDO_JPEG_OK
    }

    /// The preview of all scans read so far.
    func bitmap(_ deadline: Deadline) throws(CodecError) -> Bitmap {
        try plan.bitmap(deadline: deadline) { output, text in
            alcedo_jpeg_scans_write(handle, output, deadline.nanoseconds, text)
        }
    }
}
