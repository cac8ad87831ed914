#if Video
    import AlcedoPixels
    import CFFmpeg

    /// Finds the frame at a time: it goes to a key frame before it and decodes from there.
    ///
    /// All pointers are borrowed from their owners.
    struct FrameSearch: ~Copyable {
        private let demuxer: UnsafeMutablePointer<AVFormatContext>
        private let stream: UnsafeMutablePointer<AVStream>
        private let decoder: UnsafeMutablePointer<AVCodecContext>
        private let clock: VideoClock
        private let end: FileEnd?
        private let deadline: Deadline
        private let packet: Packet
        private let decoded: Frame

        /// How many seconds before the wanted frame to start; indexes may be wrong, and frames may need earlier ones.
        private static let leads = [0.0, 10]

        private enum Outcome { case found, later, damaged, nothing }

        init(
            _ demuxer: borrowing Demuxer, _ stream: UnsafeMutablePointer<AVStream>,
            _ decoder: borrowing StreamDecoder, deadline: Deadline
        ) throws(CodecError) {
            let packet = try Packet()
            let decoded = try Frame()
            (self.demuxer, self.stream) = (demuxer.context, stream)
            (self.decoder, self.deadline) = (decoder.context, deadline)
            clock = VideoClock(demuxer.context, stream)
            end = demuxer.end
            self.packet = packet
            self.decoded = decoded
        }

        /// Decodes the frame that is shown `seconds` after the start of the file.
        func find(at seconds: Double, into found: borrowing Frame) throws(CodecError) {
            guard seconds >= 0,
                seconds <= (clock.duration ?? .greatestFiniteMagnitude) + VideoClock.microsecond
            else {
                throw .noFrame(at: seconds, duration: clock.duration ?? .infinity)
            }
            let target = clock.ticks(of: seconds)
            var isAtStart = true
            for lead in Self.leads {
                let start = clock.ticks(of: seconds - lead)
                guard start > clock.ticks(of: 0) else { continue }
                isAtStart = false
                guard seek(to: start) else { continue }
                if try scan(to: target, seconds, into: found) == .found { return }
            }
            // Demuxers go by the times of packets, which may be before those of their frames. Some find nothing before the first.
            let start = clock.ticks(of: -10)
            guard isAtStart || seek(to: start) || seek(to: start, 0) else {
                throw .corrupt(.video, reason: "its first frame is not found")
            }
            var outcome = try scan(to: target, seconds, into: found)
            // An edit list without a duration, which goes with a frame without one, leaves out all frames.
            if outcome == .nothing, clock.duration == nil, seek(to: start) || seek(to: start, 0) {
                outcome = try scan(to: target, seconds, into: found, showsAll: true)
            }
            switch outcome {
            case .found: return
            case .later: found.take(decoded)
            case .damaged: throw .corrupt(.video, reason: "the frame cannot be decoded")
            case .nothing: throw .truncated(.video)
            }
        }

        private func seek(to ticks: Double, _ flags: Int32 = AVSEEK_FLAG_BACKWARD) -> Bool {
            let time = Int64(max(min(ticks, 9e18), -9e18))
            return av_seek_frame(demuxer, stream.pointee.index, time, flags) >= 0
        }

        /// Throws if packets are missing after the last one, which ends after so many seconds.
        private func checkEnd(isCut: Bool, _ reach: Double) throws(CodecError) {
            if !isCut {
                if clock.isWhole(reach) { return }
                guard let end else { return }
                if try end.isWhole(deadline: deadline) { return }
            }
            throw .truncated(.video)
        }

        /// Decodes from the next key frame until a frame starts after `target`, and keeps the one before that.
        ///
        /// With `showsAll` also those that an edit list leaves out count.
        private func scan(
            to target: Double, _ seconds: Double, into found: borrowing Frame, showsAll: Bool = false
        ) throws(CodecError) -> Outcome {
            avcodec_flush_buffers(decoder)
            av_frame_unref(found.pointer)
            var (hasKey, isDamaged, isAtEnd, isCut) = (false, false, false, false)
            var hasFound = false
            var reach = -Double.infinity
            while !isAtEnd {
                defer { av_packet_unref(packet.pointer) }
                let status = av_read_frame(demuxer, packet.pointer)
                try deadline.check()
                if status < 0 {
                    (isAtEnd, isCut) = (true, status != alcedo_av_eof)
                } else if packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 {
                    // Damage of the sound or of a text does not matter.
                    guard packet.pointer.pointee.stream_index == stream.pointee.index else { continue }
                    (isAtEnd, isCut) = (true, true)
                } else {
                    reach = max(reach, clock.end(of: packet.pointer.pointee, in: demuxer))
                    guard packet.pointer.pointee.stream_index == stream.pointee.index else { continue }
                    hasKey = hasKey || packet.pointer.pointee.flags & AV_PKT_FLAG_KEY != 0
                    guard hasKey else { continue }
                    if showsAll { packet.pointer.pointee.flags &= ~AV_PKT_FLAG_DISCARD }
                }
                let sent = avcodec_send_packet(decoder, isAtEnd ? nil : packet.pointer)
                if sent == alcedo_av_no_memory { throw Demuxer.error(sent) }
                if sent < 0, sent != alcedo_av_eof { isDamaged = true }
                while true {
                    let received = avcodec_receive_frame(decoder, decoded.pointer)
                    if received == alcedo_av_again || received == alcedo_av_eof { break }
                    guard received >= 0 else {
                        isDamaged = true
                        break
                    }
                    try deadline.check()
                    let time = decoded.pointer.pointee.best_effort_timestamp
                    // One without a time follows the one before.
                    if time != alcedo_av_no_time, Double(time) > target {
                        // Frames that come before it may be in the part that is missing.
                        if isAtEnd { try checkEnd(isCut: isCut, reach) }
                        if !hasFound { return isDamaged || decoded.isDamaged ? .damaged : .later }
                        return isDamaged || found.isDamaged ? .damaged : .found
                    }
                    found.take(decoded)
                    hasFound = true
                }
            }
            guard hasFound else { return isDamaged ? .damaged : .nothing }
            try checkEnd(isCut: isCut, reach)
            // Only a file that does not tell its duration has been read so far for nothing.
            guard clock.duration != nil || seconds <= reach else {
                throw .noFrame(at: seconds, duration: max(0, reach))
            }
            return isDamaged || found.isDamaged ? .damaged : .found
        }
    }
#endif
