import Alcedo
import AlcedoAF
import AlcedoTestSupport
import Foundation
import Testing

/// A colour's linear light.
private typealias Light = (red: Double, green: Double, blue: Double)

struct `Filters by CoreImage's names` {
    private let image: Image
    private let bitmap: Bitmap

    init() throws {
        bitmap = try .make(64, 48, .premultiplied) { x, y in
            let alpha = UInt32([255, 255, 255, 128, 0][y % 5])
            let channels = [UInt32(x * 4), UInt32(y * 5), UInt32((x + y) * 2)].map { $0 * alpha / 255 }
            return alpha << 24 | channels[0] << 16 | channels[1] << 8 | channels[2]
        }
        image = Image(bitmap: bitmap)
    }

    /// Compares a filter with a formula on every pixel: within one level where opaque, within two where not.
    private func check(
        _ name: String, _ parameters: [String: Any]? = nil, _ formula: (Light) -> Light
    ) throws {
        let result = try #require(image.af.imageFiltered(withCoreImageFilter: name, parameters: parameters))
        let made = try result.bitmap()
        var worst = 0.0
        for (before, after) in zip(bitmap.pixels, made.pixels) {
            let alpha = Double(before >> 24)
            #expect(before >> 24 == after >> 24)
            guard alpha > 0 else { continue }
            func light(_ shift: UInt32) -> Double {
                decoded((Double(before >> shift & 255) * 255 / alpha).rounded() / 255)
            }
            let wanted = formula((light(16), light(8), light(0)))
            for (value, shift) in [(wanted.red, 16), (wanted.green, 8), (wanted.blue, 0)]
                as [(Double, UInt32)]
            {
                let level = encoded(min(max(value, 0), 1)) * alpha
                let difference = abs(level - Double(after >> shift & 255))
                worst = max(worst, alpha == 255 ? difference : difference - 1)
            }
        }
        #expect(worst <= 1.01, "\(name)")
    }

    private func decoded(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    private func luma(_ light: Light) -> Double {
        0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue
    }

    private func each(_ light: Light, _ change: (Double) -> Double) -> Light {
        (change(light.red), change(light.green), change(light.blue))
    }

    @Test(arguments: [0, 0.4, 1])
    func `CoreImage's sepia is W3C's matrix on encoded values, mixed with the picture`(amount: Double) throws
    {
        try check("CISepiaTone", ["inputIntensity": amount]) { light in
            let value = each(light, encoded)
            let sepia: Light = (
                0.393 * value.red + 0.769 * value.green + 0.189 * value.blue,
                0.349 * value.red + 0.686 * value.green + 0.168 * value.blue,
                0.272 * value.red + 0.534 * value.green + 0.131 * value.blue
            )
            let mixed: Light = (
                value.red + (sepia.red - value.red) * amount,
                value.green + (sepia.green - value.green) * amount,
                value.blue + (sepia.blue - value.blue) * amount
            )
            return each(mixed) { decoded(min($0, 1)) }
        }
    }

    @Test func `CoreImage's inversion turns light around`() throws {
        try check("CIColorInvert") { each($0) { 1 - $0 } }
    }

    @Test(arguments: [0.3, -2, Double.pi])
    func `CoreImage's hue filter turns hues by W3C's matrix`(angle: Double) throws {
        try check("CIHueAdjust", ["inputAngle": angle]) { light in
            let (c, s) = (cos(angle), sin(angle))
            return (
                (0.213 + c * 0.787 - s * 0.213) * light.red + (0.715 - c * 0.715 - s * 0.715) * light.green
                    + (0.072 - c * 0.072 + s * 0.928) * light.blue,
                (0.213 - c * 0.213 + s * 0.143) * light.red + (0.715 + c * 0.285 + s * 0.140) * light.green
                    + (0.072 - c * 0.072 - s * 0.283) * light.blue,
                (0.213 - c * 0.213 - s * 0.787) * light.red + (0.715 - c * 0.715 + s * 0.715) * light.green
                    + (0.072 + c * 0.928 + s * 0.072) * light.blue
            )
        }
    }

    @Test func `CoreImage's exposure doubles light, gamma raises light to a power, and steps are equal`()
        throws
    {
        try check("CIExposureAdjust", ["inputEV": 0.5]) { each($0) { $0 * 2.0.squareRoot() } }
        try check("CIGammaAdjust", ["inputPower": 0.75]) { each($0) { pow($0, 0.75) } }
        try check("CIColorPosterize", ["inputLevels": 5]) { each($0) { ($0 * 4).rounded() / 4 } }
    }

    @Test func `CoreImage's colour controls are saturation, then brightness, then contrast`() throws {
        let parameters: [String: Any] = [
            "inputSaturation": 1.5, "inputBrightness": 0.1, "inputContrast": 0.8,
        ]
        try check("CIColorControls", parameters) { light in
            let grey = luma(light)
            return each(light) { ((grey + ($0 - grey) * 1.5) + 0.1 - 0.5) * 0.8 + 0.5 }
        }
    }

    @Test func `CoreImage's monochrome picture is a colour times luma`() throws {
        let color = Color(red: 1, green: 0.5, blue: 0.2, alpha: 1)
        try check("CIColorMonochrome", ["inputColor": color, "inputIntensity": 0.6]) { light in
            let grey = luma(light)
            return (
                light.red * 0.4 + grey * 0.6, light.green * 0.4 + grey * decoded(0.5) * 0.6,
                light.blue * 0.4 + grey * decoded(0.2) * 0.6
            )
        }
    }

    @Test func `CoreImage's colour matrix has a row for each channel, and a bias`() throws {
        let parameters: [String: Any] = [
            "inputRVector": [0, 1, 0, 0], "inputGVector": [0.5, 0.25, 0.25, 0] as [CGFloat],
            "inputBiasVector": [0, 0.1, -0.1, 0],
        ]
        try check("CIColorMatrix", parameters) {
            ($0.green, 0.5 * $0.red + 0.25 * $0.green + 0.25 * $0.blue + 0.1, $0.blue - 0.1)
        }
    }

    @Test func `CoreImage's photographic effects are greys`() throws {
        for (name, contrast) in [
            ("CIPhotoEffectMono", 1.0), ("CIPhotoEffectNoir", 1.2), ("CIPhotoEffectTonal", 0.9),
        ] {
            try check(name) { light in
                let grey = (luma(light) - 0.5) * contrast + 0.5
                return (grey, grey, grey)
            }
        }
    }

    @Test func `CoreImage's box blur is the mean of the neighbours' light`() throws {
        let flat = try Bitmap.make(9, 9) { x, y in x == 4 && y == 4 ? 0xFFFF_FFFF : 0xFF00_0000 }
        let result = try Image(bitmap: flat).af.filtered(
            withCoreImageFilter: "CIBoxBlur", parameters: ["inputRadius": 2])
        let made = try result.bitmap()
        for y in 0..<9 {
            for x in 0..<9 {
                let isNear = abs(x - 4) <= 2 && abs(y - 4) <= 2
                let mean = isNear ? encoded(1 / 25) * 255 : 0
                #expect(abs(Double(made[x, y] & 255) - mean) <= 1.01)
            }
        }
    }

    @Test(arguments: [0.7, 1, 4, 10])
    func `CoreImage's Gaussian blur is one of light, with its radius as standard deviation`(radius: Double)
        throws
    {
        let side = 96
        // Edges, a line, a dot and a ramp.
        let source = try Bitmap.make(side, side) { x, y in
            let level: UInt32 =
                x < 30 ? 0 : x < 60 ? 255 : x == 70 ? 255 : x == 80 && y == 50 ? 255 : UInt32(2 * y)
            return 0xFF00_0000 | level * 0x01_0101
        }
        let kernel = (-60...60).map { exp(-Double($0 * $0) / (2 * radius * radius)) }
        let total = kernel.reduce(0, +)
        func blurred(_ line: [Double]) -> [Double] {
            line.indices.map { index in
                kernel.enumerated().reduce(0) { sum, tap in
                    sum + tap.element / total * line[max(0, min(index + tap.offset - 60, side - 1))]
                }
            }
        }
        var rows = (0..<side).map { y in
            blurred((0..<side).map { decoded(Double(source[$0, y] & 255) / 255) })
        }
        for x in 0..<side {
            for (y, value) in blurred(rows.map { $0[x] }).enumerated() { rows[y][x] = value }
        }
        let result = try Image(bitmap: source).af.filtered(
            withCoreImageFilter: "CIGaussianBlur", parameters: ["inputRadius": radius]
        ).bitmap()
        var (worst, sum) = (0.0, 0.0)
        for y in 0..<side {
            for x in 0..<side {
                let difference = abs(Double(result[x, y] & 255) - encoded(rows[y][x]) * 255)
                worst = max(worst, difference)
                sum += difference
            }
        }
        #expect(sum / Double(side * side) < 1.5, "\(sum / Double(side * side))")
        #expect(worst < 16, "\(worst)")
    }

    @Test func `CoreImage's blurs keep flat and translucent areas as they are`() throws {
        let color: UInt32 = 0x8040_2010
        let flat = Image(bitmap: try .make(40, 30, .premultiplied) { _, _ in color })
        for name in ["CIGaussianBlur", "CIBoxBlur"] {
            let result = try flat.af.filtered(withCoreImageFilter: name).bitmap()
            for pixel in result.pixels {
                for shift: UInt32 in [0, 8, 16, 24] {
                    #expect(abs(Int(pixel >> shift & 255) - Int(color >> shift & 255)) <= 1)
                }
            }
        }
    }

    @Test func `filters by CoreImage's names keep an animation moving`() throws {
        let gif = try Image(decoding: Data(try Fixture.data("gif/fire.gif")))
        let filtered = try gif.af.filtered(withCoreImageFilter: "CIColorInvert")
        #expect(gif.kf.imageFrameCount ?? 0 > 1)
        #expect(filtered.kf.imageFrameCount == gif.kf.imageFrameCount)
    }

    @Test func `CoreImage's filters that do not exist, or lack the given parameters, say so`() throws {
        func failure(_ name: String, _ parameters: [String: Any] = [:]) -> CoreImageFilterError? {
            Result { try image.af.filtered(withCoreImageFilter: name, parameters: parameters) }.error
                as? CoreImageFilterError
        }
        guard case .unknownFilter("CINothing", let known)? = failure("CINothing") else {
            Issue.record("a filter of no known name works")
            return
        }
        #expect(known.contains("CISepiaTone"))
        #expect(failure("CINothing")?.errorDescription?.contains("CISepiaTone") == true)
        #expect(
            failure("CIColorInvert", ["inputRadius": 1])
                == .unknownParameter("inputRadius", filter: "CIColorInvert", known: []))
        #expect(
            failure("CIGaussianBlur", ["inputRadius": "wide"])
                == .invalidValue(parameter: "inputRadius", filter: "CIGaussianBlur", expected: "a number"))
        #expect(failure("CIColorMatrix", ["inputRVector": [1, 2]]) != nil)
        #expect(image.af.imageFiltered(withCoreImageFilter: "CINothing") == nil)
        struct Unknown: CoreImageFilter {
            let filterName = "CINothing"
            var parameters: [String: Any] { [:] }
        }
        #expect(Unknown().filter(image) === image)
    }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
