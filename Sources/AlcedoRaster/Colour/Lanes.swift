// Written lane by lane: the compiler specializes the standard library's vector conversions once for the module and inlines
// them in one file only, but turns these into single instructions everywhere.

/// The upper 16 bits of unsigned products: one instruction on x86-64.
@inline(__always)
func upperHalves(_ left: SIMD8<UInt16>, _ right: SIMD8<UInt16>) -> SIMD8<UInt16> {
    narrowed((widened(left) &* widened(right)) &>> SIMD8(repeating: 16))
}

/// Zero-extends to 32 bits.
@inline(__always)
func widened(_ lanes: SIMD8<UInt16>) -> SIMD8<UInt32> {
    SIMD8(
        UInt32(lanes[0]), UInt32(lanes[1]), UInt32(lanes[2]), UInt32(lanes[3]),
        UInt32(lanes[4]), UInt32(lanes[5]), UInt32(lanes[6]), UInt32(lanes[7])
    )
}

/// Sign-extends to 32 bits.
@inline(__always)
func signExtended(_ lanes: SIMD8<UInt16>) -> SIMD8<UInt32> {
    SIMD8(
        signExtended(lanes[0]), signExtended(lanes[1]), signExtended(lanes[2]), signExtended(lanes[3]),
        signExtended(lanes[4]), signExtended(lanes[5]), signExtended(lanes[6]), signExtended(lanes[7])
    )
}

@inline(__always)
private func signExtended(_ lane: UInt16) -> UInt32 {
    UInt32(truncatingIfNeeded: Int16(truncatingIfNeeded: lane))
}

/// Truncates to 16 bits.
@inline(__always)
func narrowed(_ lanes: SIMD8<UInt32>) -> SIMD8<UInt16> {
    SIMD8(
        UInt16(truncatingIfNeeded: lanes[0]), UInt16(truncatingIfNeeded: lanes[1]),
        UInt16(truncatingIfNeeded: lanes[2]), UInt16(truncatingIfNeeded: lanes[3]),
        UInt16(truncatingIfNeeded: lanes[4]), UInt16(truncatingIfNeeded: lanes[5]),
        UInt16(truncatingIfNeeded: lanes[6]), UInt16(truncatingIfNeeded: lanes[7])
    )
}

/// Zero-extends to 16 bits.
@inline(__always)
func widened(_ lanes: SIMD8<UInt8>) -> SIMD8<UInt16> {
    SIMD8(
        UInt16(lanes[0]), UInt16(lanes[1]), UInt16(lanes[2]), UInt16(lanes[3]),
        UInt16(lanes[4]), UInt16(lanes[5]), UInt16(lanes[6]), UInt16(lanes[7])
    )
}

/// Truncates to 8 bits.
@inline(__always)
func narrowed(_ lanes: SIMD8<UInt16>) -> SIMD8<UInt8> {
    SIMD8(
        UInt8(truncatingIfNeeded: lanes[0]), UInt8(truncatingIfNeeded: lanes[1]),
        UInt8(truncatingIfNeeded: lanes[2]), UInt8(truncatingIfNeeded: lanes[3]),
        UInt8(truncatingIfNeeded: lanes[4]), UInt8(truncatingIfNeeded: lanes[5]),
        UInt8(truncatingIfNeeded: lanes[6]), UInt8(truncatingIfNeeded: lanes[7])
    )
}

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
