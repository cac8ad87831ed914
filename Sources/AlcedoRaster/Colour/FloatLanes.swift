/// Four floats in one register.
typealias FloatLanes = SIMD4<Float>

/// Converts integers below 2²³.
///
/// A `Float` from 2²³ to 2²⁴ has no fraction bits, so its lowest bits are the integer.
@inline(__always)
func floats(ofIntegers numbers: SIMD4<UInt32>) -> FloatLanes {
    // Safe because both are 16 bytes of plain bits.
    unsafeBitCast(numbers | SIMD4(repeating: 0x4B00_0000), to: FloatLanes.self) - 8_388_608
}

/// Rounds to the nearest integer, ties to even; from 0 to 65,535.
@inline(__always)
func roundedIntegers(_ numbers: FloatLanes) -> SIMD4<UInt32> {
    // Safe because both are 16 bytes of plain bits.
    unsafeBitCast(numbers + 8_388_608, to: SIMD4<UInt32>.self) & SIMD4(repeating: 0xFFFF)
}

/// The minimum of each lane; the left one if the right one is NaN.
@inline(__always)
func laneMinimum(_ left: FloatLanes, _ right: FloatLanes) -> FloatLanes {
    left.replacing(with: right, where: right .< left)
}

/// The maximum of each lane; the left one if the right one is NaN.
@inline(__always)
func laneMaximum(_ left: FloatLanes, _ right: FloatLanes) -> FloatLanes {
    left.replacing(with: right, where: right .> left)
}
