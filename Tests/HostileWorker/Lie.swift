import AlcedoIsolation
import AlcedoPixels
import CIsolation
import Glibc

/// What a worker may tell the program.
struct Lie {
    /// The request that is to be answered.
    let id: UInt32

    private let channel = Channel(ofWorker: Channel.workerDescriptor)

    init(id: UInt32) { self.id = id }

    /// Answers and waits for the consequences; false if `deed` is no lie.
    func tell(_ deed: String) -> Bool {
        guard Self.deeds.contains(deed) else { return false }
        do throws(Channel.Failure) {
            try answer(deed)
            // What follows is answered with a dot.
            let buffer = MessageBuffer()
            while true {
                let id = try channel.receive(into: buffer).message.id
                try channel.send(Message(.pixels, id: id, words: [1, 1]), tail: [0, 0, 0, 255])
            }
        } catch {
            _exit(98)
        }
    }

    private static let deeds = [
        "keep a mapping", "shrink the memory", "answer another size", "answer a size that overflows",
        "answer no size", "answer too little", "answer another request", "answer something else",
        "answer garbage", "answer too much", "ask for too much memory", "ask for memory again and again",
        "send a hundred descriptors", "answer more than it keeps", "answer a kind of alpha that is none",
    ]

    /// More than a worker keeps memory for.
    private static let side = 4200
    private let byteCount = Self.side * Self.side * 4

    private func answer(_ deed: String) throws(Channel.Failure) {
        switch deed {
        case "keep a mapping":
            let memory = try obtain(byteCount)
            _ = alcedo_map(memory, byteCount, 1)
            try send(width: UInt64(Self.side), height: UInt64(Self.side), isShared: true)
        case "shrink the memory":
            // Answers well all the same: whoever reads it finds all of it.
            let memory = try obtain(byteCount)
            if ftruncate(memory, 0) == 0 { _exit(97) }
            try send(width: UInt64(Self.side), height: UInt64(Self.side), isShared: true)
        case "answer another size":
            _ = try obtain(byteCount)
            try send(width: 1000, height: 1000, isShared: true)
        case "answer more than it keeps":
            _ = try obtain(1 << 20)
            try channel.send(Message(.pixels, id: id, words: [5000, 5000, 0, 0, 2]))
        case "answer a size that overflows":
            _ = try obtain(byteCount)
            try send(width: 1 << 62, height: 4, isShared: true)
        case "answer no size": try send(width: 0, height: 0, isShared: false)
        case "answer too little": try send(width: 512, height: 512, isShared: false)
        case "answer another request": try channel.send(Message(.nothing, id: id &+ 1))
        case "answer something else":
            try channel.send(.facts(ImageInfo(format: .png, size: HostileCodec.size), id: id))
        case "answer a kind of alpha that is none":
            let words: [UInt64] = [1, 1, 7]
            try channel.send(Message(.pixels, id: id, words: words), tail: [0, 0, 0, 0])
        case "answer garbage": sendBytes((0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        case "answer too much":
            sendBytes(
                Message(.nothing, id: id).encoded(tailCount: 200_000) + [UInt8](repeating: 1, count: 200_000))
        case "ask for too much memory":
            try channel.send(Message(.wantMemory, id: id, words: [1 << 40]))
            let buffer = MessageBuffer()
            guard try channel.receive(into: buffer).message.kind == .noMemory else { _exit(97) }
            try channel.send(Message(.failure, id: id, words: [1]))
        case "ask for memory again and again": while true { _ = try obtain(byteCount) }
        case "send a hundred descriptors": sendDescriptors(100)
        default: break
        }
    }

    private func send(width: UInt64, height: UInt64, isShared: Bool) throws(Channel.Failure) {
        try channel.send(Message(.pixels, id: id, words: [width, height, 0, 0, isShared ? 1 : 0]))
    }

    /// The descriptor of memory that the program gives.
    private func obtain(_ count: Int) throws(Channel.Failure) -> Int32 {
        let buffer = MessageBuffer()
        var descriptor: Int32 = -1
        try channel.send(Message(.wantMemory, id: id, words: [UInt64(count)]))
        guard try channel.receive(into: buffer, descriptor: &descriptor).message.kind == .memory else {
            _exit(96)
        }
        return descriptor
    }

    private func sendBytes(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { alcedo_send_bytes(channel.socket, $0.baseAddress, $0.count, nil, 0) }
    }

    /// Sends a message with the same descriptor many times.
    private func sendDescriptors(_ count: Int) {
        // A control message: its length, SOL_SOCKET, SCM_RIGHTS, and the descriptors.
        var control: [UInt64] = [UInt64(16 + count * 4), 1 | 1 << 32]
        control += Array(repeating: UInt64(3) | 3 << 32, count: (count + 1) / 2)
        var bytes = Message(.nothing, id: id).encoded(tailCount: 0)
        let (byteCount, controlCount) = (bytes.count, 16 + count * 4)
        bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: byteCount)
                withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = controlCount
                    _ = sendmsg(channel.socket, &message, 0)
                }
            }
        }
    }
}
