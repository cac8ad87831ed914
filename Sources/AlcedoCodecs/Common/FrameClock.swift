/// Converts seconds to a format's units without accumulating rounding errors over an animation.
package struct FrameClock {
    private let unitsPerSecond: Double
    private let longest: Int
    private var time = 0.0
    private var written = 0

    package init(unitsPerSecond: Double, longest: Int) {
        self.unitsPerSecond = unitsPerSecond
        self.longest = longest
    }

    /// The units of a frame of `duration` seconds; 0 for an invalid duration.
    package mutating func units(for duration: Double) -> Int {
        guard duration > 0, duration < 1e6 else { return duration >= 1e6 ? longest : 0 }
        time += duration
        let units = min(max(Int((time * unitsPerSecond).rounded()) - written, 0), longest)
        written += units
        return units
    }
}
