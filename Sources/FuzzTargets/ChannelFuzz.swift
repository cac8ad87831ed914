#if DEBUG || FUZZ
    import AlcedoCodecs
    @testable import AlcedoIsolation
    import AlcedoPixels
    import AlcedoWorker
    import Glibc

    /// The messages between a program and its worker, read by both sides.
    ///
    /// The first byte selects the input: a whole message, or the kind of a message with these words and tail.
    enum ChannelFuzz {
        static func run(_ bytes: [UInt8]) {
            guard let first = bytes.first else { return }
            let messages = message(first, Array(bytes.dropFirst()))
            for message in messages { message.withUnsafeBytes(readResponse) }
            // A worker does as much as the program allows.
            let isModest = messages.allSatisfy { message in
                message.withUnsafeBytes { Message($0).flatMap { DecodeRequest($0) } }
                    .map { $0.options.limits.pixelsPerFrame <= 1 << 20 } ?? true
            }
            if isModest { serve(messages) }
        }

        private static func message(_ first: UInt8, _ rest: [UInt8]) -> [[UInt8]] {
            let kinds = Message.Kind.allCases
            let kind = kinds[Int(first & 0x7F) % kinds.count]
            guard first & 0x80 == 0, rest.count >= 16 else { return [rest] }
            // Small words are counts and sizes that make sense.
            let words = rest.prefix(16).map { $0 < 250 ? UInt64($0) : UInt64.max - UInt64($0) }
            let tail = Array(rest.dropFirst(16).prefix(Message.longestTail))
            var request = DecodeRequest(.open)
            request.inputCount = tail.count
            request.options.limits.pixelsPerFrame = 1 << 20
            let opening = request.message(id: 1).encoded(tailCount: tail.count) + tail
            return [opening, Message(kind, id: 1, words: words).encoded(tailCount: tail.count) + tail]
        }

        /// The program's side.
        private static func readResponse(_ bytes: UnsafeRawBufferPointer) {
            guard let message = Message(bytes) else { return }
            let tail = UnsafeRawBufferPointer(rebasing: bytes[Message.byteCount...])
            let response = Worker.Response(message: message, tail: tail, memory: nil)
            if let info = message.info(of: .png) { precondition(!info.size.isEmpty && info.frameCount > 0) }
            if let bitmap = response.bitmap(DeepColors.sRGB.conversion) {
                precondition(bitmap.memoryCount == tail.count)
            }
            if let duration = response.duration { precondition(duration.isFinite) }
            _ = message.error(in: .png, text: tail)?.description
            _ = response.bytes(atMost: 100)
        }

        /// The worker's side.
        private static func serve(_ messages: [[UInt8]]) {
            guard let (program, worker) = Channel.pair() else { return }
            defer {
                program.close()
                worker.close()
            }
            for message in messages {
                _ = send(program.socket, message, message.count, Int32(MSG_NOSIGNAL))
            }
            // Responses are not read; they fit the socket's buffer.
            shutdown(program.socket, Int32(SHUT_WR))
            var loop = RequestLoop(worker, [GIFCodec(), PNGCodec()])
            do throws(Channel.Failure) { while true { try loop.serve() } } catch { return }
        }
    }
#endif
