#if Video
    import AlcedoPixels
    import CFFmpeg

    /// The way a stream's pictures have to be turned, which its container has.
    enum Turn {
        /// The orientation that is closest to the stream's matrix.
        static func orientation(of stream: UnsafeMutablePointer<AVStream>) -> Orientation {
            guard let matrix = alcedo_display_matrix(stream) else { return .up }
            // A point (x, y) is shown at (ax + cy, bx + dy), with y downwards.
            let (a, b, c, d) = (Int(matrix[0]), Int(matrix[1]), Int(matrix[3]), Int(matrix[4]))
            if abs(a) + abs(d) >= abs(b) + abs(c) {
                return a < 0 ? (d < 0 ? .down : .upMirrored) : (d < 0 ? .downMirrored : .up)
            }
            return b < 0 ? (c < 0 ? .rightMirrored : .left) : (c < 0 ? .right : .leftMirrored)
        }
    }
#endif
