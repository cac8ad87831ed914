/// Four numbers in one register.
typealias FloatLanes = SIMD4<Float>

/// Whole numbers below eight million.
///
/// From 2 to the power of 23 on a `Float` has no fraction, so that its lowest bits are the number.
@inline(__always)
func floats(ofWhole numbers: SIMD4<UInt32>) -> FloatLanes {
    // Safe because both are 16 bytes of plain bits.
    unsafeBitCast(numbers | SIMD4(repeating: 0x4B00_0000), to: FloatLanes.self) - 8_388_608
}

/// The nearest whole numbers, of two equally near ones the even; from 0 to 65,535.
@inline(__always)
func wholes(_ numbers: FloatLanes) -> SIMD4<UInt32> {
    // Safe because both are 16 bytes of plain bits.
    unsafeBitCast(numbers + 8_388_608, to: SIMD4<UInt32>.self) & SIMD4(repeating: 0xFFFF)
}

/// The smaller of each two; the left one where the right is none.
@inline(__always)
func smaller(_ left: FloatLanes, _ right: FloatLanes) -> FloatLanes {
    left.replacing(with: right, where: right .< left)
}

/// The larger of each two; the left one where the right is none.
@inline(__always)
func larger(_ left: FloatLanes, _ right: FloatLanes) -> FloatLanes {
    left.replacing(with: right, where: right .> left)
}
