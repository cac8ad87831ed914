import Glibc

/// When a decoder has to be done, in wall-clock time.
package struct Deadline: Sendable {
    /// On the system's monotonic clock; `UInt64.max` for never.
    package let nanoseconds: UInt64

    /// What ends the work earlier.
    package let stop: DecodeStop?

    private let seconds: Double

    package static let never = Deadline(DecodeLimits { $0.seconds = .infinity })

    /// ``DecodeLimits/seconds`` from now.
    package init(_ limits: DecodeLimits, stop: DecodeStop? = nil) {
        self.stop = stop
        seconds = limits.seconds
        // From about a century on there is no limit, so that the sum does not overflow.
        nanoseconds = seconds < 3e9 ? Self.now + UInt64(max(0, seconds) * 1e9) : .max
    }

    /// The error once it has passed.
    package var error: CodecError { .timeLimitExceeded(seconds: seconds) }

    /// Throws if it has passed; takes as long as a thousand pixels or fewer.
    package func check() throws(CodecError) {
        if hasPassed { throw error }
    }

    package var hasPassed: Bool { stop?.isStopped == true || nanoseconds != .max && Self.now >= nanoseconds }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Deadline {
    /// How many rows of `width` pixels to decode between two checks.
    package static func rows(of width: Int) -> Int { max(1, (1 << 16) / max(1, width)) }
}
