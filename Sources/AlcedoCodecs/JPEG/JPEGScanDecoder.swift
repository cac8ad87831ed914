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
        /// Bytes that libjpeg has not used yet, after a few that it has.
        var bytes: [UInt8] = []
        var used = 0
        var reading: JPEGReading?
        var failure: CodecError?
        /// Bytes that libjpeg has used and thrown away.
        var forgotten = 0
    }

    private let state: Lock<State>

    /// Starts without bytes.
    ///
    /// Each picture may take as long as `options` allow a frame to take. ``DecodeOptions/atLeast`` makes pictures smaller.
    package init(options: DecodeOptions = DecodeOptions()) {
        state = Lock(State(options: options))
    }

    /// Takes the bytes that follow those before.
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

    /// How the pictures must be turned.
    package var orientation: Orientation { state.withLock { $0.reading?.header.orientation ?? .up } }

    /// How many bytes have been decoded.
    package var decodedBytes: Int { state.withLock { $0.forgotten + $0.used } }
}

extension JPEGScanDecoder.State {
    fileprivate mutating func picture(scans count: Int) throws(CodecError) -> Bitmap? {
        if let failure { throw failure }
        do throws(CodecError) {
            return try makePicture(scans: count)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func makePicture(scans count: Int) throws(CodecError) -> Bitmap? {
        let deadline = Deadline(options.limits)
        try options.limits.check(encodedBytes: forgotten + bytes.count)
        guard try start() else { return nil }
        guard try reading?.read(bytes, &used, scans: count, deadline) == true else { return nil }
        if used > bytes.count / 2 {
            forgotten += used
            bytes.removeFirst(used)
            used = 0
        }
        return try reading?.picture(deadline)
    }

    /// Reads the header, if it is there.
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
            reading = try JPEGReading(header, plan)
            return true
        } catch .truncated {
            return false
        }
    }
}

/// libjpeg between two scans.
private struct JPEGReading: ~Copyable {
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

    /// Reads on in `bytes` from `used`, until `count` scans are complete; false if they are not.
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
    func picture(_ deadline: Deadline) throws(CodecError) -> Bitmap {
        try plan.picture(deadline: deadline) { output, text in
            alcedo_jpeg_scans_write(handle, output, deadline.nanoseconds, text)
        }
    }
}
