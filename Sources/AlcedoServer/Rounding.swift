/// The two ways of rounding to whole pixels; both give 0 for NaN and stay within ±`Int32.max`.
///
/// The bound keeps sums and products of a few results inside `Int`.
enum Rounding {
    static let most = Double(Int32.max)

    /// Rounds halves away from zero.
    static func halfAway(_ value: Double) -> Int { whole(value.rounded(.toNearestOrAwayFromZero)) }

    /// Rounds halves to the even neighbour.
    static func halfEven(_ value: Double) -> Int { whole(value.rounded(.toNearestOrEven)) }

    /// At least one pixel.
    static func side(_ value: Double) -> Int { max(1, halfAway(value)) }

    private static func whole(_ value: Double) -> Int {
        value.isNaN ? 0 : Int(min(max(value, -most), most))
    }
}
