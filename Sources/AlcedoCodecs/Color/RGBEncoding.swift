import CLcms2
import Glibc

/// Primaries and transfer function of a file that has code points instead of a profile.
package struct RGBEncoding: Hashable {
    /// The transfer function, from a stored value to light.
    package enum Transfer: Hashable {
        case sRGB
        case linear
        /// The camera's function of ITU-R BT.709, reversed.
        case bt709
        /// A power function.
        case gamma(Double)
        /// The function of ROMM RGB (ANSI/I3A IT10.7666).
        case romm
        /// SMPTE ST 2084, up to 10,000 cd/m².
        case pq
        /// Hybrid log-gamma of ITU-R BT.2100, as on a display of 1,000 cd/m².
        case hlg
    }

    /// A chromaticity.
    package struct Point: Hashable {
        package var x: Double
        package var y: Double

        package init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }

        package static let d65 = Point(0.3127, 0.3290)

        /// Whether files that round their numbers may mean the same.
        func isClose(_ other: Point) -> Bool { abs(x - other.x) < 1e-5 && abs(y - other.y) < 1e-5 }
    }

    package var white = Point.d65
    package var red: Point
    package var green: Point
    package var blue: Point
    package var transfer: Transfer

    package init(red: Point, green: Point, blue: Point, white: Point = .d65, transfer: Transfer) {
        (self.red, self.green, self.blue, self.white) = (red, green, blue, white)
        self.transfer = transfer
    }

    /// Uses the code points of ITU-T H.273; unknown and unspecified ones mean sRGB.
    ///
    /// The transfer functions of video (BT.709 and similar) are treated as sRGB, as browsers do.
    package init(primaries: Int, transfer: Int) {
        let curve: Transfer =
            switch transfer {
            case 4: .gamma(2.2)
            case 5: .gamma(2.8)
            case 8: .linear
            case 16: .pq
            case 18: .hlg
            default: .sRGB
            }
        switch primaries {
        case 5:
            self.init(
                red: Point(0.64, 0.33), green: Point(0.29, 0.6), blue: Point(0.15, 0.06), transfer: curve)
        case 6, 7:
            self.init(
                red: Point(0.63, 0.34), green: Point(0.31, 0.595), blue: Point(0.155, 0.07), transfer: curve)
        case 9:
            self.init(
                red: Point(0.708, 0.292), green: Point(0.17, 0.797), blue: Point(0.131, 0.046),
                transfer: curve)
        case 11, 12:
            // P3 of the cinema (11) has a white of its own; Display P3 (12) has that of sRGB.
            let white = primaries == 11 ? Point(0.314, 0.351) : .d65
            self.init(
                red: Point(0.68, 0.32), green: Point(0.265, 0.69), blue: Point(0.15, 0.06), white: white,
                transfer: curve)
        default:
            self.init(
                red: Point(0.64, 0.33), green: Point(0.3, 0.6), blue: Point(0.15, 0.06), transfer: curve)
        }
    }

    static let sRGB = RGBEncoding(primaries: 1, transfer: 13)

    /// The same primaries and white, without a curve.
    var linear: RGBEncoding {
        var linear = self
        linear.transfer = .linear
        return linear
    }

    /// Whether files that round their numbers may mean the same.
    func isClose(_ other: RGBEncoding) -> Bool {
        let isSame =
            if case .gamma(let one) = transfer, case .gamma(let another) = other.transfer {
                abs(one - another) < 1e-4
            } else {
                transfer == other.transfer
            }
        return isSame && white.isClose(other.white) && red.isClose(other.red) && green.isClose(other.green)
            && blue.isClose(other.blue)
    }

    /// The code points that are supported; of those that mean the same, files get the first.
    static let primaries = [1, 5, 6, 7, 9, 11, 12]
    static let transfers = [13, 1, 4, 5, 6, 8, 14, 15, 16, 18]

    /// The four code points at `offset` (ITU-T H.273), as in PNG's `cICP` chunk; nil if they are not supported.
    ///
    /// Narrow range and YCbCr are not supported; nothing that has such pixels uses them.
    init?(codePoints bytes: RawSpan, at offset: Int) {
        guard let primaries = bytes.u8(offset), let transfer = bytes.u8(offset + 1),
            bytes.u16BE(offset + 2) == 0x0001, Self.primaries.contains(primaries),
            Self.transfers.contains(transfer)
        else { return nil }
        self.init(primaries: primaries, transfer: transfer)
    }

    /// This encoding as an open profile; the caller closes it with `cmsCloseProfile`.
    func makeProfile() -> cmsHPROFILE? {
        guard let curve = transfer.curve else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var whitePoint = cmsCIExyY(white)
        var primaries = cmsCIExyYTRIPLE(Red: cmsCIExyY(red), Green: cmsCIExyY(green), Blue: cmsCIExyY(blue))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return cmsCreateRGBProfile(&whitePoint, &primaries, &curves)
    }
}

extension cmsCIExyY {
    fileprivate init(_ point: RGBEncoding.Point) { self.init(x: point.x, y: point.y, Y: 1) }
}

// MARK: - Curves

extension RGBEncoding.Transfer {
    /// The tone curve, which the caller frees with `cmsFreeToneCurve`.
    fileprivate var curve: OpaquePointer? {
        switch self {
        case .sRGB: cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case .linear: cmsBuildGamma(nil, 1)
        case .bt709:
            cmsBuildParametricToneCurve(nil, 4, [1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081])
        case .gamma(let exponent): cmsBuildGamma(nil, Self.bounded(exponent))
        case .romm: cmsBuildParametricToneCurve(nil, 4, [1.8, 1, 0, 1 / 16.0, 1 / 32.0])
        case .pq, .hlg: Self.table(light)
        }
    }

    /// The light of a value from 0 to 1, where 1 is sRGB's white.
    func light(_ value: Double) -> Double {
        switch self {
        case .sRGB: value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        case .linear: value
        case .bt709: value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
        case .gamma(let exponent): pow(value, Self.bounded(exponent))
        case .romm: value < 1 / 32.0 ? value / 16 : pow(value, 1.8)
        case .pq: Self.toneMapped(Self.pqLight(value))
        case .hlg: Self.toneMapped(Self.hlgLight(value))
        }
    }

    private static func bounded(_ exponent: Double) -> Double { min(max(exponent, 0.1), 10) }

    private static func table(_ value: (Double) -> Double) -> OpaquePointer? {
        cmsBuildTabulatedToneCurve16(
            nil, 4096, (0..<4096).map { UInt16(value(Double($0) / 4095) * 65535 + 0.5) })
    }

    /// Light in cd/m², by the EOTF of SMPTE ST 2084, whose fractions these are.
    private static func pqLight(_ value: Double) -> Double {
        let power = pow(value, 32 / 2523.0)
        let share = max(power - 3424 / 4096.0, 0) / (2413 / 128.0 - 2392 / 128.0 * power)
        return 10_000 * pow(share, 8192 / 1305.0)
    }

    /// Light in cd/m² of a display with a peak of 1000, for which ITU-R BT.2100 has a system gamma of 1.2.
    private static func hlgLight(_ value: Double) -> Double {
        let scene =
            value <= 0.5
            ? value * value / 3 : (exp((value - 0.559_910_73) / 0.178_832_77) + 0.284_668_92) / 12
        return 1000 * pow(scene, 1.2)
    }

    /// Whether light may be brighter than white.
    var isHDR: Bool { self == .pq || self == .hlg }

    /// The value of light, where 1 is sRGB's white; 203 cd/m² of PQ and HLG, which are not compressed.
    ///
    /// Only for these two.
    func level(ofLight light: Double) -> Double {
        let light = max(light, 0) * 203
        if self == .pq {
            let power = pow(min(light, 10_000) / 10_000, 1305 / 8192.0)
            return pow((3424 / 4096.0 + 2413 / 128.0 * power) / (1 + 2392 / 128.0 * power), 2523 / 32.0)
        }
        let scene = pow(min(light, 1000) / 1000, 1 / 1.2)
        return scene <= 1 / 12.0
            ? (3 * scene).squareRoot() : 0.178_832_77 * log(12 * scene - 0.284_668_92) + 0.559_910_73
    }

    /// Maps HDR light: white is 203 cd/m² (ITU-R BT.2408), and light above three quarters of it is compressed.
    private static func toneMapped(_ light: Double) -> Double {
        let (share, knee) = (light / 203, 0.75)
        guard share > knee else { return share }
        let excess = share - knee
        return knee + (1 - knee) * excess / (excess + 1 - knee)
    }
}
