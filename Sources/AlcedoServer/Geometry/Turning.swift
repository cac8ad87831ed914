package import AlcedoPixels

extension ProcessingOptions {
    /// How stored pixels are turned: by the file's orientation unless `ar:0`, then by `rot`, then by `fl`.
    package func orientation(of file: ImageOrientation) -> ImageOrientation {
        var turn = Turn(autoRotate ? file : .up)
        turn.rotate(rotation / 90)
        if flipsHorizontally { turn.mirror() }
        if flipsVertically {
            turn.mirror()
            turn.rotate(2)
        }
        return turn.orientation
    }
}

/// A mirroring from left to right, or none, followed by clockwise quarter turns.
private struct Turn {
    private var isMirrored: Bool
    private var quarters: Int

    private static let plain: [ImageOrientation] = [.up, .right, .down, .left]
    private static let mirrored: [ImageOrientation] = [
        .upMirrored, .rightMirrored, .downMirrored, .leftMirrored,
    ]

    init(_ orientation: ImageOrientation) {
        isMirrored = Self.mirrored.contains(orientation)
        quarters = (isMirrored ? Self.mirrored : Self.plain).firstIndex(of: orientation) ?? 0
    }

    var orientation: ImageOrientation { (isMirrored ? Self.mirrored : Self.plain)[quarters] }

    mutating func rotate(_ count: Int) { quarters = (quarters + count % 4 + 4) % 4 }

    mutating func mirror() {
        isMirrored.toggle()
        quarters = (4 - quarters) % 4
    }
}
