#if Video
    import AlcedoPixels
    import CFFmpeg
    import Glibc

    /// The bytes of an open file, read where FFmpeg wants them.
    struct FileInput: ~Copyable {
        private struct State {
            let file: Int32
            let size: Int64
            let deadline: Deadline
            /// Whether holes are parts that are missing.
            let isPartial: Bool
            var position: Int64 = 0
            /// Whether a part was needed that is missing.
            var lacksPart = false
        }

        /// What FFmpeg reads from.
        let context: UnsafeMutablePointer<AVIOContext>

        private let state: UnsafeMutablePointer<State>

        private static let bufferSize = 32 << 10

        /// Reads until `deadline`, and with `isPartial` up to a hole; the descriptor has to stay open.
        init(_ file: Int32, isPartial: Bool, deadline: Deadline) throws(CodecError) {
            // A worker may not call `fstat`, which is a lookup by name for glibc.
            let size = lseek(file, 0, SEEK_END)
            guard size >= 0 else { throw .corrupt(.video, reason: "its size is unknown") }
            guard let buffer = av_malloc(Self.bufferSize) else {
                throw .outOfMemory(byteCount: Self.bufferSize)
            }
            let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
            state.initialize(
                to: State(file: file, size: Int64(size), deadline: deadline, isPartial: isPartial))
            let context = avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0, state,
                { FileInput.read($0, $1, $2) }, nil, { FileInput.seek($0, $1, $2) })
            guard let context else {
                av_free(buffer)
                state.deallocate()
                throw .outOfMemory(byteCount: Self.bufferSize)
            }
            self.context = context
            self.state = state
        }

        deinit {
            // FFmpeg may have replaced the buffer.
            av_free(context.pointee.buffer)
            var context: UnsafeMutablePointer<AVIOContext>? = context
            avio_context_free(&context)
            state.deallocate()
        }

        /// Whether something was read that is missing: FFmpeg may have gone on as if the file ended there.
        var lacksPart: Bool { state.pointee.lacksPart }

        /// Has FFmpeg give up what it does when the time is over.
        var interrupt: AVIOInterruptCB {
            AVIOInterruptCB(
                callback: { FileInput.hasPassed($0) ? 1 : 0 }, opaque: UnsafeMutableRawPointer(state))
        }

        private static func hasPassed(_ opaque: UnsafeMutableRawPointer?) -> Bool {
            guard let state = opaque?.assumingMemoryBound(to: State.self) else { return true }
            return state.pointee.deadline.hasPassed
        }

        private static func read(
            _ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32
        ) -> Int32 {
            guard let state = opaque?.assumingMemoryBound(to: State.self), let buffer, count > 0 else {
                return alcedo_av_io
            }
            if hasPassed(opaque) { return alcedo_av_exit }
            let present = presentBytes(Int(count), state)
            guard present > 0 else { return alcedo_av_io }
            while true {
                let result = pread(state.pointee.file, buffer, present, off_t(state.pointee.position))
                if result == 0 { return alcedo_av_eof }
                if result > 0 {
                    state.pointee.position += Int64(result)
                    return Int32(result)
                }
                guard errno == EINTR else { return alcedo_av_io }
            }
        }

        /// How many of `count` bytes at the position are there; 0 where they are missing, which the file's position then tells.
        private static func presentBytes(_ count: Int, _ state: UnsafeMutablePointer<State>) -> Int {
            let (file, size, position) = (state.pointee.file, state.pointee.size, state.pointee.position)
            guard state.pointee.isPartial, position < size else { return count }
            // The first missing part is the one to load, whatever FFmpeg reads after the error.
            guard !state.pointee.lacksPart else { return 0 }
            guard lseek(file, off_t(position), alcedo_seek_data) == off_t(position) else {
                state.pointee.lacksPart = true
                lseek(file, off_t(position), SEEK_SET)
                return 0
            }
            let end = lseek(file, off_t(position), alcedo_seek_hole)
            lseek(file, 0, SEEK_END)
            return min(count, Int(end) - Int(position))
        }

        private static func seek(
            _ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32
        ) -> Int64 {
            guard let state = opaque?.assumingMemoryBound(to: State.self) else { return -1 }
            let origin: Int64
            switch whence & ~AVSEEK_FORCE {
            case AVSEEK_SIZE: return state.pointee.size
            case SEEK_SET: origin = 0
            case SEEK_CUR: origin = state.pointee.position
            case SEEK_END: origin = state.pointee.size
            default: return -1
            }
            let (position, overflow) = origin.addingReportingOverflow(offset)
            guard !overflow, position >= 0 else { return -1 }
            state.pointee.position = position
            return position
        }
    }
#endif
