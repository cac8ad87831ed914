import AlcedoIsolation
import AlcedoLocks
import AlcedoPixels
import CIsolation
import Glibc

/// Memory for results that the program gives to its worker, one piece at a time.
///
/// While a picture is decoded, the first large bitmap is in such memory, so that nothing has to be copied if it is the
/// result.
final class SharedOutput: BitmapAllocator {
    private struct State {
        /// The request that may use the program's memory; nil for none.
        var request: UInt32?

        /// The address of the current result; 0 for none.
        var address: UInt = 0
        var count = 0

        /// The address of the reusable memory; 0 for none.
        var scratch: UInt = 0
        var scratchCount = 0
    }

    private let channel: Channel
    private let state = Lock(State())

    init(_ channel: Channel) { self.channel = channel }

    /// Whether something is in the memory still.
    var isLent: Bool { state.withLock { $0.address != 0 } }

    /// Lends the memory to a bitmap while `body` runs.
    func lending<Result>(
        for request: UInt32, _ body: () throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        state.withLock { $0.request = request }
        defer { state.withLock { $0.request = nil } }
        return try body()
    }

    /// Where a bitmap is; nil if it is not in such memory, or does not fill it.
    func place(of bitmap: Bitmap) -> Message.Place? {
        let address = UInt(bitPattern: bitmap.storage.baseAddress)
        return state.withLock { state in
            guard state.address == address, state.count == bitmap.storage.count else { return nil }
            return state.address == state.scratch ? .scratch : .memory
        }
    }

    func allocate(byteCount: Int) throws(CodecError) -> UnsafeMutableRawPointer? {
        guard byteCount > Message.largestPicture, !isLent, let request = state.withLock({ $0.request }) else {
            return nil
        }
        return obtain(byteCount, for: request)
    }

    func free(_ memory: UnsafeMutableRawPointer) -> Bool {
        let address = UInt(bitPattern: memory)
        let (isLent, mapped) = state.withLock { state -> (Bool, Int?) in
            guard state.address == address else { return (false, nil) }
            state.address = 0
            return (true, address == state.scratch ? nil : state.count)
        }
        if let mapped { munmap(memory, mapped) }
        return isLent
    }

    /// Copies bytes to memory of the program and returns its place; nil if the program provides none.
    func copy(_ bytes: UnsafeRawBufferPointer, for request: UInt32) -> Message.Place? {
        guard !isLent, let memory = obtain(bytes.count, for: request) else { return nil }
        UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(from: bytes)
        let isScratch = state.withLock { $0.scratch == UInt(bitPattern: memory) }
        return free(memory) ? isScratch ? .scratch : .memory : nil
    }

    private func obtain(_ count: Int, for request: UInt32) -> UnsafeMutableRawPointer? {
        let kept = state.withLock { state -> UInt in
            guard state.scratchCount >= count else { return 0 }
            state.address = state.scratch
            state.count = count
            return state.scratch
        }
        return UnsafeMutableRawPointer(bitPattern: kept) ?? send(for: count, in: request)
    }

    /// Requests memory from the program, which may be reusable.
    private func send(for count: Int, in request: UInt32) -> UnsafeMutableRawPointer? {
        // Not that of the loop, which may hold the image that is being decoded.
        let buffer = MessageBuffer()
        var descriptor: Int32 = -1
        let message: Message
        do throws(Channel.Failure) {
            try channel.send(Message(.wantMemory, id: request, words: [UInt64(count)]))
            message = try channel.receive(into: buffer, descriptor: &descriptor).message
        } catch {
            // The next attempt to talk to the program ends this one.
            return nil
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard message.kind == .memory, message.id == request, let size = message.count(0), size >= count,
            let memory = alcedo_map(descriptor, size, 1)
        else { return nil }
        let isKept = message.words[1] != 0
        let old = state.withLock { state -> (UInt, Int) in
            state.address = UInt(bitPattern: memory)
            state.count = count
            guard isKept else { return (0, 0) }
            defer { (state.scratch, state.scratchCount) = (state.address, size) }
            return (state.scratch, state.scratchCount)
        }
        if let base = UnsafeMutableRawPointer(bitPattern: old.0) { munmap(base, old.1) }
        return memory
    }
}
