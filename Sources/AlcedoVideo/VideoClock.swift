#if Video
    import CFFmpeg

    /// Seconds from the start of a file, and the units in which its video stream has times.
    ///
    /// Numbers are floating-point, as those of a hostile file overflow others; up to 2⁵³ they are exact.
    struct VideoClock {
        /// Seconds; nil if the file does not tell.
        let duration: Double?

        /// The time that the file has at its start, in seconds; a sound may start a little before its zero.
        private let start: Double
        private let tick: Double

        /// The usual duration of a frame in seconds.
        private let frameDuration: Double

        /// How many frames a file may lack of the duration that it has by its headers.
        private static let mostMissing = 4.0

        init(
            _ demuxer: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>
        ) {
            let file = demuxer.pointee
            let first = file.start_time == alcedo_av_no_time ? 0 : Double(file.start_time) / 1e6
            start = max(0, first)
            tick = Self.seconds(stream.pointee.time_base)
            let rate = stream.pointee.avg_frame_rate
            frameDuration = rate.num > 0 && rate.den > 0 ? 1 / Self.seconds(rate) : 0.1
            let isKnown =
                file.duration != alcedo_av_no_time && file.duration > 0
                && file.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
            duration = isKnown ? first + Double(file.duration) / 1e6 - start : nil
        }

        private static func seconds(_ unit: AVRational) -> Double { Double(unit.num) / Double(unit.den) }

        /// What FFmpeg's own times are rounded to, and more than fractions lose as floating-point numbers.
        static let microsecond = 1e-6

        /// The stream's last time after so many seconds, or a microsecond later.
        func ticks(of seconds: Double) -> Double {
            ((start + seconds + Self.microsecond) / tick).rounded(.down)
        }

        /// Whether a file whose last packet ends after so many seconds is as long as it should be.
        func isWhole(_ reach: Double) -> Bool {
            duration.map { reach >= $0 - Self.mostMissing * frameDuration } ?? true
        }

        /// When what is in a packet of any stream ends, in seconds; minus infinity if it has no time.
        func end(of packet: AVPacket, in demuxer: UnsafeMutablePointer<AVFormatContext>) -> Double {
            let time = packet.pts == alcedo_av_no_time ? packet.dts : packet.pts
            guard time != alcedo_av_no_time, packet.stream_index >= 0,
                packet.stream_index < demuxer.pointee.nb_streams,
                let stream = demuxer.pointee.streams[Int(packet.stream_index)]
            else { return -.infinity }
            let ticks = Double(time) + Double(max(0, packet.duration))
            return ticks * Self.seconds(stream.pointee.time_base) - start
        }
    }
#endif
